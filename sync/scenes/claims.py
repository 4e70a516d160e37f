"""Claims: whose an item is, where several scenes lead to it."""

from collections.abc import Iterator, Mapping, Sequence

from ledger.store import Ledger
from model.item import Item
from sync.connection import BoundTarget
from sync.scenes.decide import Claim, holds, is_sure
from sync.stash_connection import StashConnection


def claims_beside(main: Claim, details: Mapping[str, Item]) -> Iterator[Claim]:
    """Give the scene's claims to the other items that hold files of its, as far as they are there."""
    for found in main.found.also:
        shown = details.get(found.item_id or "")
        if shown is not None and holds(shown, found) and shown.item_id != main.item:
            yield Claim(main.scene_id, found, shown)


class Claims:
    """Decides by what the scenes' files say today. For one thread."""

    def __init__(self, ledger: Ledger, stash: StashConnection) -> None:
        self._ledger = ledger
        self._stash = stash

    def winners(self, by_scene: Sequence[Sequence[Claim]], target: BoundTarget) -> dict[str, Claim]:
        """Say by item who has it: the surest, of equals the one who has it already, then the first main claim.

        Who has it by the ledger alone counts only if its files of today still lead there. Raises StashError if Stash
        cannot be asked for them.
        """
        claims = [*(own[0] for own in by_scene), *(one for own in by_scene for one in own[1:])]
        shown, matched = {claim.item: claim.shown for claim in claims}, {claim.scene_id for claim in claims}
        holders = self._ledger.scenes.holders(shown, target.server_id)
        others = {item: scene_id for item, scene_id in holders.items() if scene_id not in matched}
        known = [claim for claim in claims if holders.get(claim.item) == claim.scene_id]
        best: dict[str, Claim] = {}
        for claim in (*self._of_today(others, shown, target), *known, *claims):
            winner = best.setdefault(claim.item, claim)
            if claim.found.score > winner.found.score:
                best[claim.item] = claim
        return best

    def losers(self, winners: Mapping[str, Claim], server_id: str) -> set[int]:
        """Name the scenes that have one of these items by the ledger, and lose it."""
        holders = self._ledger.scenes.holders(winners, server_id)
        return {scene_id for item, scene_id in holders.items() if scene_id != winners[item].scene_id}

    def _of_today(self, holders: Mapping[str, int], shown: Mapping[str, Item], target: BoundTarget) -> Iterator[Claim]:
        """Match those who have these items anew, and give the claims that still hold."""
        if not holders:
            return
        scenes = self._stash.client().scenes(list(set(holders.values())))
        files = {scene_id: scene.files for scene_id, scene in scenes.items()}
        pinned = self._ledger.pins.of_files(files, target.server_id)
        for item, scene_id in holders.items():
            if scene := scenes.get(scene_id):
                found = target.find(scene.files, pinned.get(scene_id), may_ask=False)
                yield from (
                    Claim(scene_id, one, shown[item])
                    for one in found.all
                    if one.item_id == item and is_sure(one, target.config) and holds(shown[item], one)
                )
