"""Finding performers, studios and tags by name or alias, as Stash does: EQUALS is SQL's LIKE."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from sim.stash.errors import ResolverError
from sim.stash.graphql.call import Call
from sim.stash.graphql.execution import Args
from sim.stash.library.scene_filter import ordered, page

Predicate = Callable[[Any], bool]


def named(call: Call, args: Args, kind: str) -> tuple[int, list[Any]]:
    """Return how many records of a kind fit the filter, and a page of them."""
    fits = _predicate(args.get(f"{kind}_filter") or {})
    with call.library.lock:
        found = [record for record in getattr(call.library, f"{kind}s").values() if fits(record)]
    paging: Mapping[str, Any] = args.get("filter") or {}
    return len(found), page(ordered(found, paging), paging)


def _predicate(wanted: Mapping[str, Any]) -> Predicate:
    tests = [_text(_VALUES[name], criterion) for name, criterion in wanted.items() if name in _VALUES]
    either = _predicate(wanted["OR"]) if wanted.get("OR") else None
    return lambda record: all(test(record) for test in tests) or (either is not None and either(record))


_VALUES: dict[str, Callable[[Any], tuple[str, ...]]] = {
    "name": lambda record: (record.name,),
    "aliases": lambda record: getattr(record, "aliases", ()) or getattr(record, "alias_list", ()),
}


def _text(values: Callable[[Any], tuple[str, ...]], criterion: Mapping[str, Any]) -> Predicate:
    if criterion["modifier"] != "EQUALS":
        raise ResolverError(f"unsupported modifier {criterion['modifier']}")
    like = re.compile(re.escape(criterion["value"]).replace("%", ".*").replace("_", "."), re.IGNORECASE | re.DOTALL)
    return lambda record: any(like.fullmatch(text) for text in values(record))
