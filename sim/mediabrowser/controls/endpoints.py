"""The control endpoints: what a test in another process needs of `SimMediaBrowser`, over HTTP, below `/sim/`."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from sim.mediabrowser.faults import CATALOGUE, Fault, hanging, slow, status
from sim.mediabrowser.web.exchange import TEXT, Answer, Refused, Request, empty, json_answer

if TYPE_CHECKING:  # the server makes its endpoints
    from sim.mediabrowser.server import SimMediaBrowser

Args = dict[str, str]
Act = Callable[["SimMediaBrowser", Args], object]


def _fault(args: Args) -> Fault:
    """`fault=starting` by its name, `fault=520` by its status, `fault=slow` or `hanging` with `seconds=`."""
    name, seconds = args["fault"], float(args.get("seconds", "1"))
    if name.isdigit():
        return status(int(name))
    if name in ("slow", "hanging"):
        return slow(seconds) if name == "slow" else hanging(seconds)
    fault = CATALOGUE[name]
    return replace(fault, seconds=seconds) if "seconds" in args else fault


def _break(server: "SimMediaBrowser", args: Args) -> object:
    times = int(args["times"]) if "times" in args else None
    chosen = {name: args.get(name) for name in ("method", "path", "kind")}
    server.faults.add(_fault(args), times=times, skip=int(args.get("skip", "0")), **chosen)
    return None


def _quirks(server: "SimMediaBrowser", args: Args) -> object:
    """Throw switches; the values are JSON."""
    names = {name.replace("_", "").lower(): name for name in asdict(server.quirks)}
    for name, text in args.items():
        setattr(server.quirks, names[name.replace("_", "")], json.loads(text))
    return asdict(server.quirks)


def _requests(server: "SimMediaBrowser", args: Args) -> object:
    wanted = [call for call in server.requests if args.get("kind") in (None, call.kind)]
    calls = [{"method": one.method, "path": one.path, "kind": one.kind, "status": one.status} for one in wanted]
    disasters = [str(disaster) for disaster in server.disasters]
    return {"counts": server.journal.counts(), "disasters": disasters, "requests": calls}


def _item(server: "SimMediaBrowser", args: Args) -> object:
    """Show an item by its `id`, or by a `path` it is made of."""
    return server.item_json(_id(server, args))


def _id(server: "SimMediaBrowser", args: Args) -> str:
    found = args.get("id") or server.find(args["path"])
    if found is None:
        raise Refused(404)
    return found


def _edit(server: "SimMediaBrowser", args: Args) -> object:
    values: dict[str, Any] = json.loads(args["values"])
    server.edit_by_person(_id(server, args), lock=args.get("lock", "true") == "true", **values)
    return None


def _phase(server: "SimMediaBrowser", args: Args) -> object:
    seconds = float(args["seconds"]) if "seconds" in args else None
    server.set_phase(cast("Literal['running', 'starting', 'stopping']", args["phase"]), seconds)
    return None


def _file(args: Args) -> tuple[str, int, float]:
    return args["path"], int(args.get("size", "1000000")), float(args.get("duration", "60"))


def _seconds(args: Args) -> float:
    return float(args.get("seconds", "0"))


ACTS: dict[tuple[str, str], Act] = {
    ("GET", "/sim/requests"): _requests,
    ("DELETE", "/sim/requests"): lambda server, _: server.journal.clear(),
    ("POST", "/sim/faults"): _break,
    ("DELETE", "/sim/faults"): lambda server, _: server.faults.clear(),
    ("POST", "/sim/quirks"): _quirks,
    ("POST", "/sim/away"): lambda server, args: server.go_away(_seconds(args)),
    ("POST", "/sim/phase"): _phase,
    ("POST", "/sim/restart"): lambda server, args: server.restart(_seconds(args)),
    ("POST", "/sim/upgrade"): lambda server, args: server.upgrade(args["flavour"], _seconds(args)),
    ("POST", "/sim/another"): lambda server, _: server.become_another_server(),
    ("GET", "/sim/item"): _item,
    ("POST", "/sim/item"): lambda server, args: server.add_item(*_file(args), library=args.get("library", "Scenes")),
    ("DELETE", "/sim/item"): lambda server, args: server.delete(_id(server, args)),
    ("POST", "/sim/edit"): _edit,
    ("POST", "/sim/file"): lambda server, args: server.add_file(*_file(args)),
    ("DELETE", "/sim/file"): lambda server, args: server.remove_file(args["path"]),
    ("POST", "/sim/move"): lambda server, args: server.move_file(args["path"], args["to"]),
    ("POST", "/sim/scan"): lambda server, _: server.start_scan(),
}


class ControlEndpoints:
    """No key, no faults, no journal: it stands outside the play."""

    def __init__(self, server: "SimMediaBrowser") -> None:
        self._server = server

    def answer(self, request: Request) -> Answer:
        act = ACTS.get((request.method, request.whole_path))
        if act is None:
            return empty(404)
        try:
            result = act(self._server, request.args)
        except Refused as refusal:
            return empty(refusal.status)
        except (KeyError, ValueError, AttributeError) as error:
            return Answer(repr(error).encode(), 400, TEXT)
        return json_answer(result)
