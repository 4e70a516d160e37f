"""Which scenes a sweep has somebody look at: each state with its own rule."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ledger.records import SweepRecord
from ledger.states import SceneState
from model.picture import PictureKind
from model.scene import Scene
from plan.fields import settings_text
from sync.pictures.covers import ON_EVERY_SERVER, screenshot_stamp, wanted_kinds
from validation.config import Stash2PlexConfig
from validation.metadata import fingerprint_of, is_as_undone

NEVER, A_DAY, EVERY_SWEEP = float("inf"), 86400.0, 0.0

LOOK_AGAIN_AFTER: dict[SceneState, float] = {
    SceneState.SYNCED: NEVER,
    SceneState.SKIPPED: NEVER,
    SceneState.REFUSED: NEVER,
    SceneState.UNDONE: NEVER,
    SceneState.IGNORED: NEVER,
    SceneState.AMBIGUOUS: A_DAY,  # somebody may have renamed or split an item in Plex, which Stash does not know
    SceneState.FAILED: A_DAY,  # whatever ailed Plex may have passed
    SceneState.WAITING: EVERY_SWEEP,  # one look, see NotSynced, where Plex has a file of its name at all
}
"""Seconds after which a scene is looked at again although nothing about it has changed."""


@dataclass(frozen=True)
class SweepRules:
    """Compares scenes with what was made of them, under the settings and on the server of this sweep.

    `unfinished` are the scenes for which a write was under way when a worker died, so that their record may not hold,
    and those that have left an item.
    `is_listed` says whether a file may be in Plex: there may be thousands that it will never have.
    """

    config: Stash2PlexConfig
    target: str
    server_id: str | None
    unfinished: frozenset[int]
    now: float
    is_listed: Callable[[str], bool] = lambda _path: True
    pictures: frozenset[PictureKind] = ON_EVERY_SERVER

    @cached_property
    def settings(self) -> str:
        return settings_text(self.config, self.target)

    def wants(self, scene: Scene, known: SweepRecord) -> bool:
        """Tell whether the scene is to be looked at."""
        if known.state is SceneState.IGNORED:  # whatever has changed, a person leaves it out
            return False
        if self._has_changed(scene, known):
            return True
        if self.now - known.recorded_at >= LOOK_AGAIN_AFTER[known.state]:
            return known.state is not SceneState.WAITING or any(self.is_listed(file.path) for file in scene.files)
        if known.state is SceneState.REFUSED:  # of a value; its pictures, if it has any, are shown all the same
            return scene.id in self.unfinished or (bool(known.covers) and self._has_new_cover(scene, known))
        return known.state is SceneState.SYNCED and (
            known.server_id != self.server_id or scene.id in self.unfinished or self._has_new_cover(scene, known)
        )

    def _has_changed(self, scene: Scene, known: SweepRecord) -> bool:
        fingerprint = fingerprint_of(scene, self.settings)
        if known.state is SceneState.UNDONE:  # what a person took back, other settings do not bring again
            return not is_as_undone(known.fingerprint, fingerprint, screenshot_stamp(scene.screenshot))
        return fingerprint != known.fingerprint

    def _has_new_cover(self, scene: Scene, known: SweepRecord) -> bool:
        stamp = screenshot_stamp(scene.screenshot)
        return bool(stamp) and any(known.covers.get(kind) != stamp for kind in wanted_kinds(self.config, self.pictures))
