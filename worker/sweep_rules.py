"""Which scenes a sweep has somebody look at: each state with its own rule."""

from dataclasses import dataclass
from functools import cached_property

from ledger.records import Judgement
from ledger.states import SceneState
from plan.fields import settings_text
from stash.scenes import Scene
from validation.config import Stash2PlexConfig
from validation.metadata import fingerprint_of, is_same_scene
from worker.covers import screenshot_stamp, wanted_kinds

NEVER, A_DAY, EVERY_SWEEP = float("inf"), 86400.0, 0.0

LOOK_AGAIN_AFTER: dict[SceneState, float] = {
    SceneState.SYNCED: NEVER,
    SceneState.SKIPPED: NEVER,
    SceneState.REFUSED: NEVER,
    SceneState.UNDONE: NEVER,
    SceneState.AMBIGUOUS: A_DAY,  # somebody may have renamed or split an item in Plex, which Stash does not know
    SceneState.FAILED: A_DAY,  # whatever ailed Plex may have passed
    SceneState.WAITING: EVERY_SWEEP,  # one look, see Unwritten
}
"""Seconds after which a scene is looked at again although nothing about it has changed."""


@dataclass(frozen=True)
class SweepRules:
    """Compares scenes with what was made of them, under the settings and on the server of this sweep.

    `unsettled` are the scenes for which a write was under way when a worker died: their record may not hold.
    """

    config: Stash2PlexConfig
    machine: str | None
    unsettled: frozenset[int]
    now: float

    @cached_property
    def settings(self) -> str:
        return settings_text(self.config)

    def wants(self, scene: Scene, known: Judgement) -> bool:
        """Tell whether the scene is to be looked at."""
        if self._has_changed(scene, known) or self.now - known.recorded_at >= LOOK_AGAIN_AFTER[known.state]:
            return True
        return known.state is SceneState.SYNCED and (
            known.machine != self.machine or scene.id in self.unsettled or self._has_new_cover(scene, known)
        )

    def _has_changed(self, scene: Scene, known: Judgement) -> bool:
        fingerprint = fingerprint_of(scene, self.settings)
        if known.state is SceneState.UNDONE:  # what a person took back, other settings do not bring again
            return not is_same_scene(fingerprint, known.fingerprint)
        return fingerprint != known.fingerprint

    def _has_new_cover(self, scene: Scene, known: Judgement) -> bool:
        stamp = screenshot_stamp(scene.screenshot)
        return bool(stamp) and any(known.covers.get(kind) != stamp for kind in wanted_kinds(self.config))
