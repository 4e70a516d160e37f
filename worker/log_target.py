"""A target that writes to the worker's log what it was given: the stand-in until Plex plugs in."""

import logging

from stash.scenes import Scene
from validation.config import Stash2PlexConfig
from worker.outcome import Done, Outcome

log = logging.getLogger(__name__)


class LogTarget:
    def deliver(self, scene: Scene, config: Stash2PlexConfig, *, full: bool) -> Outcome:  # noqa: ARG002
        log.info("scene:%d: read from Stash (title, %d files, %d tags).", scene.id, len(scene.files), len(scene.tags))
        return Done()

    def forget(self, scene_id: int) -> Outcome:
        log.info("scene:%d: gone from Stash.", scene_id)
        return Done()
