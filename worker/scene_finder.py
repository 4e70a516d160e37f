"""Which Plex item a scene is, and whose that item is: values only, for the worker who writes and for the dry run."""

from ledger.baseline import Baseline
from ledger.records import ItemRecord, SceneRecord
from ledger.store import Ledger
from plan.fields import SCALARS
from plex.exceptions import ItemGone
from plex.item import ItemDetails, same_text
from plex.matcher import Match, MatchConfidence, SceneFile
from runtime.path_veil import named
from validation.config import Stash2PlexConfig
from validation.metadata import SyncMetadata
from worker.plex_line import PlexLine

NOT_ORGANIZED = "Not organized, and only_organized is on."


class SceneFinder:
    """Matches scenes through the line's index and path map, and verifies what Plex then shows."""

    def __init__(self, ledger: Ledger, line: PlexLine) -> None:
        self._ledger = ledger
        self._line = line

    def find(
        self, metadata: SyncMetadata, pinned: int | None, config: Stash2PlexConfig, *, may_ask: bool = True
    ) -> Match:
        """Find the scene's item, in the index or by asking Plex. Raises BadPathMap, and PlexError."""
        return self._line.index(config).resolve(
            files_of(metadata),
            self._line.path_map(config),
            pinned=pinned,
            ignore_case=self._line.client(config).server().ignores_case,
            may_ask=may_ask,
        )

    def verified(
        self, metadata: SyncMetadata, found: Match, shown: ItemDetails | None, config: Stash2PlexConfig
    ) -> ItemDetails:
        """Return the matched item if it still holds the matched file: a key may have become another's since."""
        if shown is not None and holds(shown, found):
            return shown
        assert found.rating_key is not None
        path_map = self._line.path_map(config)
        for file in metadata.files:
            self._line.index(config).find_again(found.rating_key, path_map.to_plex(file.path))
        again = self.find(metadata, None, config)
        if again.rating_key is not None and again.part is not None and again.confidence is MatchConfidence.HIGH:
            fresh = self._line.client(config).details_of(again.rating_key)
            if holds(fresh, again):
                return fresh
        raise ItemGone("the item is gone and its file is not found under another")

    def other_holder(self, scene_id: int, shown: ItemDetails, machine: str) -> int | None:
        """Find the other scene this item belongs to, unless the item's key has become another file's since."""
        holder = self._ledger.holder_of(shown.rating_key, machine)
        if holder in (None, scene_id):
            return None
        record = self._ledger.scene(holder)
        return holder if record and any(part.path == record.path for part in shown.parts) else None

    def baseline(self, record: SceneRecord | None, shown: ItemDetails, machine: str) -> Baseline:
        """Return what we wrote to this item, for this scene or for one that had it before: a merge hands items on.

        One rebuilt under a new key, or on another server, starts without.
        """
        if record is not None and (record.rating_key, record.machine) == (shown.rating_key, machine):
            return record.baseline
        known = self._ledger.item(shown.rating_key, machine)
        return known.baseline if known is not None and is_same(known, shown) else Baseline()


def files_of(metadata: SyncMetadata) -> list[SceneFile]:
    return [SceneFile(file.path, file.size or None, file.duration or None) for file in metadata.files]


def is_sure(found: Match, config: Stash2PlexConfig) -> bool:
    """Tell whether this match may be written to."""
    return found.rating_key is not None and (found.confidence is MatchConfidence.HIGH or not config.strict_matching)


def not_there(metadata: SyncMetadata, found: Match) -> str:
    """Say that Plex has no item for a scene, and which file was looked for."""
    where = named(metadata.files[0].path) if metadata.files else "no file"
    return f"Not in Plex yet: {found.note or 'nothing matches'} (Stash has {where})."


def ambiguous(found: Match) -> str:
    """Say between which items a person must choose."""
    candidates = ", ".join(map(str, found.candidates))
    return f"Ambiguous: {found.note}; candidates: {candidates}. Choose one, or make the names differ."


def shared_with(holder: int, shown: ItemDetails) -> str:
    return f"Scene {holder} is synced to the same Plex item ({shown.rating_key}). Split it in Plex."


def holds(shown: ItemDetails, found: Match) -> bool:
    """Tell whether an item holds the file it was matched by; a person's own choice needs no file."""
    return found.part is None or any(part.path == found.part.path for part in shown.parts)


def is_same(known: ItemRecord, shown: ItemDetails) -> bool:
    """Tell an item that we wrote to from a later one of its key: it has the file, or shows still all that we wrote."""
    if any(part.path == known.path for part in shown.parts):
        return True
    written = [(one.field, known.baseline.scalars.get(one.name)) for one in SCALARS]
    return any(ours for _, ours in written) and all(same_text(shown.value(at), ours) for at, ours in written if ours)
