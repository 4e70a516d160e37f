"""The description of what a list can be filtered and sorted by; plexapi asks for it before its first search."""

from sim.plex.library.records import TYPE_NUMBERS, Section
from sim.plex.web.markup import Attribute, Node

_TYPES = {
    "movie": ("movie",),
    "show": ("show", "season", "episode"),
    "artist": ("artist", "album", "track"),
    "photo": ("photoalbum", "photo"),
}
_FILTERS = {
    "genre": "string",
    "year": "integer",
    "contentRating": "string",
    "collection": "string",
    "director": "string",
    "actor": "string",
    "writer": "string",
    "producer": "string",
    "country": "string",
    "studio": "string",
    "label": "string",
}
_SORTS = ("titleSort", "originallyAvailableAt", "rating", "audienceRating", "userRating", "duration", "addedAt")
_FIELDS = {
    "title": "string",
    "studio": "string",
    "userRating": "integer",
    "contentRating": "tag",
    "year": "integer",
    "originallyAvailableAt": "date",
    "duration": "integer",
    "genre": "tag",
    "collection": "tag",
    "director": "tag",
    "writer": "tag",
    "producer": "tag",
    "actor": "tag",
    "country": "tag",
    "addedAt": "date",
    "viewCount": "integer",
    "lastViewedAt": "date",
    "mediaSize": "integer",
    "label": "tag",
}
_OPERATORS = {
    "tag": (("=", "is"), ("!=", "is not")),
    "integer": (("=", "is"), ("!=", "is not"), (">>=", "is greater than"), ("<<=", "is less than")),
    "string": (
        ("=", "contains"),
        ("!=", "does not contain"),
        ("==", "is"),
        ("!==", "is not"),
        ("<=", "begins with"),
        (">=", "ends with"),
    ),
    "boolean": (("=", "is true"), ("!=", "is false")),
    "date": (("<<=", "is before"), (">>=", "is after")),
}


def described(section: Section, active: str) -> Node:
    """`file` is missing here although the server knows it: it is not declared on the real one either."""
    types = [_type(section, kind, is_active=kind == active) for kind in (*_TYPES[section.kind], "collection")]
    operators = [
        Node("FieldType", {"type": kind}, [Node("Operator", {"key": key, "title": title}) for key, title in known])
        for kind, known in _OPERATORS.items()
    ]
    return Node("Meta", {}, [*types, *operators])


def _type(section: Section, kind: str, *, is_active: bool) -> Node:
    base, number = f"/library/sections/{section.id}", TYPE_NUMBERS[kind]
    children = [_filter(base, name, value_type) for name, value_type in _FILTERS.items()]
    children += [_sort(name, is_default=name == "titleSort") for name in _SORTS]
    children += [Node("Field", {"key": name, "title": name, "type": kind}) for name, kind in _FIELDS.items()]
    attributes: dict[str, Attribute] = {
        "key": f"{base}/all?type={number}",
        "type": kind,
        "title": f"{kind.capitalize()}s",
        "active": is_active,
    }
    return Node("Type", attributes, children)


def _filter(base: str, name: str, value_type: str) -> Node:
    return Node(
        "Filter",
        {"filter": name, "filterType": value_type, "key": f"{base}/{name}", "title": name, "type": "filter"},
    )


def _sort(name: str, *, is_default: bool) -> Node:
    attributes: dict[str, Attribute] = {
        "default": "asc" if is_default else None,
        "defaultDirection": "asc" if is_default else "desc",
        "descKey": f"{name}:desc",
        "key": name,
        "title": name,
    }
    return Node("Sort", attributes)
