"""Damage: documents that are nearly right, as servers of other versions, proxies and enemies send them."""

import copy

from hypothesis import strategies as st

TEXTS = st.one_of(
    st.text(st.characters(), max_size=20),
    st.text(st.characters(categories=["Cs", "Cc", "Zl", "Lo", "Mn"]), max_size=5),
    st.sampled_from(
        ["", " ", "0", "-1", "1", "9" * 30, "9" * 5000, "1e999", "null", "../..", "\x00", "\ud800", "a" * 5000]
    ),
)
NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.sampled_from([2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**400, 1e308]),
    st.floats(),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)


def places(document, path=()):
    """Name every value inside a document."""
    yield path
    pairs = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in pairs:
        yield from places(value, (*path, key))


@st.composite
def damaged(draw, document):
    """Draw a document of which a few values were dropped, replaced or repeated."""
    holder = {"": copy.deepcopy(document)}
    for _ in range(draw(st.integers(0, 4))):
        *above, last = draw(st.sampled_from([("", *path) for path in places(holder[""])]))
        parent = holder
        for key in above:
            parent = parent[key]
        match draw(st.sampled_from(["drop", "null", "replace", "repeat"])):
            case "drop" if above:
                del parent[last]
            case "null":
                parent[last] = None
            case "repeat" if isinstance(parent, list):
                parent.append(copy.deepcopy(parent[last]))
            case _:
                parent[last] = draw(JSON)
    return holder[""]
