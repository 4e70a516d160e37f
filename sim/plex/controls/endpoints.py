"""Controls over HTTP: what a test in another process needs of `SimPlex`, over HTTP, below `/sim/`."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from sim.plex.faults import CATALOGUE, hanging, slow, status
from sim.plex.faults import Fault as PlexFault
from sim.plex.web.exchange import JSON, Answer, Refused, Request, page

if TYPE_CHECKING:  # the server makes them
    from sim.plex.server import SimPlex

Act = Callable[["SimPlex", dict[str, str]], object]


def _fault(args: dict[str, str]) -> PlexFault:
    """`fault=maintenance` by its name, `fault=520` by its status, `fault=slow` or `hanging` with `seconds=`."""
    name, seconds = args["fault"], float(args.get("seconds", "1"))
    if name.isdigit():
        return status(int(name))
    if name == "slow":
        return slow(seconds)
    if name == "hanging":
        return hanging(seconds)
    fault = CATALOGUE[name]
    return replace(fault, seconds=seconds) if "seconds" in args else fault


def _break(plex: "SimPlex", args: dict[str, str]) -> object:
    times = int(args["times"]) if "times" in args else None
    plex.faults.add(
        _fault(args),
        times=times,
        method=args.get("method"),
        path=args.get("path"),
        kind=args.get("kind"),
        skip=int(args.get("skip", "0")),
    )
    return None


def _quirks(plex: "SimPlex", args: dict[str, str]) -> object:
    """Throw switches; each takes the type it has."""
    for name, text in args.items():
        old = getattr(plex.quirks, name)
        new = text == "1" if isinstance(old, bool) else type(old)(text)
        setattr(plex.quirks, name, new)
    return asdict(plex.quirks)


def _requests(plex: "SimPlex", args: dict[str, str]) -> object:
    entries = [asdict(entry) for entry in plex.requests if args.get("kind") in (None, entry.kind)]
    return {"counts": plex.journal.counts(), "disasters": plex.disasters, "requests": entries}


def _item(plex: "SimPlex", args: dict[str, str]) -> object:
    """Show an item by its `key`, or by a `path` it holds."""
    key = args["key"] if "key" in args else plex.find(args["path"])
    if key is None:
        raise Refused(404)
    plain: dict[str, Any] = asdict(plex.item(key))
    return {**plain, "locks": sorted(plain["locks"])}


def _file(args: dict[str, str]) -> tuple[str, int, int]:
    return args["path"], int(args.get("size", "1000000")), int(args.get("duration", "60000"))


ACTS: dict[tuple[str, str], Act] = {
    ("GET", "/sim/requests"): _requests,
    ("DELETE", "/sim/requests"): lambda plex, _: plex.journal.clear(),
    ("POST", "/sim/faults"): _break,
    ("DELETE", "/sim/faults"): lambda plex, _: plex.faults.clear(),
    ("POST", "/sim/quirks"): _quirks,
    ("POST", "/sim/away"): lambda plex, args: plex.go_away(float(args["seconds"])),
    ("POST", "/sim/another"): lambda plex, _: plex.become_another_server(),
    ("GET", "/sim/item"): _item,
    ("POST", "/sim/item"): lambda plex, args: plex.add_item(*_file(args), section=args.get("section", "Scenes")),
    ("DELETE", "/sim/item"): lambda plex, args: plex.delete(args["key"]),
    ("POST", "/sim/rebuild"): lambda plex, args: plex.rebuild(args["key"]),
    ("POST", "/sim/wipe"): lambda plex, args: plex.wipe(args["key"]),
    ("POST", "/sim/refresh"): lambda plex, args: plex.refresh(args["key"]),
    ("POST", "/sim/file"): lambda plex, args: plex.add_file(*_file(args)),
    ("DELETE", "/sim/file"): lambda plex, args: plex.remove_file(args["path"]),
}


class Control:
    """No token, no faults, no journal: this is no part of the simulated server."""

    def __init__(self, plex: "SimPlex") -> None:
        self._plex = plex

    def answer(self, request: Request) -> Answer:
        act = ACTS.get((request.method, request.path))
        if act is None:
            return page(404)
        try:
            result = act(self._plex, request.args)
        except Refused as refusal:
            return page(refusal.status)
        except (KeyError, ValueError, AttributeError) as error:
            return Answer(repr(error).encode(), 400)
        return Answer(json.dumps(result).encode(), content_type=JSON)
