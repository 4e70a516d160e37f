"""Claims: whose an item is, where several scenes lead to it."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from ledger.store import Ledger
from model.item import Item
from model.match import MatchRule
from model.paths import is_windows, normalise
from model.scene import SceneFile
from sync.connection import BoundTarget
from sync.scenes.decide import Claim, PreparedScene, holds, is_sure
from sync.stash_connection import StashConnection

_SUREST = frozenset({MatchRule.PINNED, MatchRule.EXACT_PATH})
ClaimsByScene = Sequence[tuple[PreparedScene, Sequence[Claim]]]


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

    def winners(self, by_scene: ClaimsByScene, target: BoundTarget) -> dict[str, Claim]:
        """Say by item who has it: the surest, of equals the one who has it already, then the first main claim.

        Who has it by the ledger alone, or by its path in Stash, counts if its files of today lead there. Raises
        StashError if Stash cannot be asked for them.
        """
        claims = [*(own[0] for _, own in by_scene), *(one for _, own in by_scene for one in own[1:])]
        shown, matched = {claim.item: claim.shown for claim in claims}, {claim.scene_id for claim in claims}
        holders = self._ledger.scenes.holders(shown, target.server_id)
        others = {item: {scene_id} for item, scene_id in holders.items() if scene_id not in matched}
        for item, scene_ids in self._on_their_paths(by_scene, target).items():
            others.setdefault(item, set()).update(scene_ids - matched)
        known = [claim for claim in claims if holders.get(claim.item) == claim.scene_id]
        best: dict[str, Claim] = {}
        for claim in (*self._of_today(others, shown, target), *known, *claims):
            winner = best.setdefault(claim.item, claim)
            if claim is not winner and claim.found.score > winner.found.score:
                best[claim.item] = claim
        return best

    def losers(self, winners: Mapping[str, Claim], server_id: str) -> set[int]:
        """Name the scenes that have one of these items by the ledger, and lose it."""
        holders = self._ledger.scenes.holders(winners, server_id)
        return {scene_id for item, scene_id in holders.items() if scene_id != winners[item].scene_id}

    def _on_their_paths(self, by_scene: ClaimsByScene, target: BoundTarget) -> dict[str, set[int]]:
        """Find by item the scenes that Stash has at its very path, where a claim only goes by name and size.

        They have a say though nobody syncs them: unorganized, left out, or never looked at.
        """
        asked: dict[str, str] = {}
        for scene, claims in by_scene:
            for claim in claims:
                part = claim.found.part
                if part is not None and claim.found.rule not in _SUREST:
                    asked.update(dict.fromkeys(_stash_paths(part.path, scene.metadata.files, target), claim.item))
        spelled = [path.replace("/", "\\") if is_windows(path) else path for path in asked]
        scenes = self._stash.client().scenes_with_files(spelled) if asked else {}
        found: dict[str, set[int]] = {}
        for scene in scenes.values():
            for path in {normalise(file.path) for file in scene.files} & asked.keys():
                found.setdefault(asked[path], set()).add(scene.id)
        return found

    def _of_today(
        self, holders: Mapping[str, Collection[int]], shown: Mapping[str, Item], target: BoundTarget
    ) -> Iterator[Claim]:
        """Match those who may have these items anew, and give the claims that hold."""
        ids = {scene_id for scene_ids in holders.values() for scene_id in scene_ids}
        if not ids:
            return
        scenes = self._stash.client().scenes(list(ids))
        files = {scene_id: scene.files for scene_id, scene in scenes.items()}
        pinned = self._ledger.pins.of_files(files, target.server_id)
        for item, scene_id in ((item, one) for item, scene_ids in holders.items() for one in sorted(scene_ids)):
            if scene := scenes.get(scene_id):
                found = target.find(scene.files, pinned.get(scene_id), may_ask=False)
                yield from (
                    Claim(scene_id, one, shown[item])
                    for one in found.all
                    if one.item_id == item and is_sure(one, target.config) and holds(shown[item], one)
                )


def _stash_paths(target_path: str, files: Sequence[SceneFile], target: BoundTarget) -> list[str]:
    """Say where Stash may have the file of an item that a scene with these files looks like.

    Stash looks for a path in all its files. So nobody asks for the item's own path where it lies in another folder of
    the root than the scene's: with no path map, every scene may be found by its name alone.
    """
    roots = {_root(normalise(file.path)) for file in files}
    own = normalise(target_path)
    return [path for path in target.path_map.from_target(target_path) if path != own or _root(own) in roots]


def _root(path: str) -> str:
    return "/".join(path.split("/")[:2])
