"""Explain: the whole story of one scene, from its files to what Plex would be told, whoever can be asked."""

from dataclasses import dataclass, field

from stash.wire import Refusal
from tasks.arguments import Arguments
from tasks.desk import Desk
from tasks.explain_known import read_known
from tasks.headline import Seen, headline
from tasks.ledger_desk import ledger_errors
from tasks.packages import load_packages
from tasks.table import Answer


@dataclass(slots=True)
class NobodyAsked:
    """The servers' side of the story where they cannot be asked at all."""

    problems: list[str]
    is_gone: bool = False
    verdict: str = ""
    would_change: list[str] = field(default_factory=list[str])
    is_found: bool = False

    def shown(self) -> Answer:
        return {"title": None, "organized": None, "files": [], "match": None, "plan": None, "not_asked": self.problems}


def explain(desk: Desk) -> Answer:
    """Tell the story of a scene; refuse only for one that nobody knows."""
    scene_id = Arguments(desk.args).need_id("scene_id")
    known = read_known(desk, scene_id)
    asked = _ask(desk, scene_id)
    if asked.is_gone and not known.is_anything:
        raise Refusal(f"Stash has no scene {scene_id}, and none of that number was ever synced.")
    told = headline(known, asked)
    return {
        "scene_id": scene_id,
        "state": told.state,
        "sentence": told.sentence,
        "next_step": told.next_step,
        **asked.shown(),
        **known.shown(),
        "obstacle": known.obstacle,
    }


def _ask(desk: Desk, scene_id: int) -> Seen:
    try:
        load_packages(desk)
    except Refusal as problem:
        return NobodyAsked([f"Stash and Plex: {problem}"])
    from tasks.explain_servers import ask_servers  # noqa: PLC0415 - only now are its packages sure to be there

    with ledger_errors(desk):
        return ask_servers(desk, scene_id)
