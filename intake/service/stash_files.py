"""Files that Stash knows are moved by Stash itself, so that a scene and its file stay together."""

import contextlib
import logging
import os
from collections.abc import Callable, Collection

from intake.moving.beside import extension
from intake.moving.plan import MovePlan, PlannedFile
from intake.naming.shown import quoted
from intake.publishing.server_paths import THE_SAME, PathMap
from intake.sources.port import SourceAway
from stash.client import StashClient
from stash.exceptions import StashError, StashRefused

log = logging.getLogger(__name__)


class StashFiles:
    """Asks Stash for each video of a plan. `connect` opens a connection; a broken one is not used again."""

    def __init__(self, connect: Callable[[], StashClient], paths: PathMap = THE_SAME) -> None:
        self._connect = connect
        self._paths = paths
        self._client: StashClient | None = None

    def move(self, plan: MovePlan, extensions: Collection[str]) -> None:
        """Move what Stash knows of an announced plan; the rest is left to whoever carries it out."""
        for file in plan.files:
            if extension(file.source) in extensions:
                self._move(file)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _move(self, file: PlannedFile) -> None:
        if os.path.lexists(file.source) and not os.path.lexists(file.target):
            try:
                self._ask_to_move(file)
            except StashRefused as error:
                log.warning("Stash does not move %s itself, so we do: %s", quoted(file.source), error)
            except StashError as error:
                self.close()
                raise SourceAway(str(error)) from error
        _keep_its_time(file)

    def _ask_to_move(self, file: PlannedFile) -> None:
        if self._client is None:
            self._client = self._connect()
        for scene in self._client.scenes_of_file(self._paths.there(file.source), "", []):
            if scene.file_id:
                folder, name = os.path.split(file.target)
                self._client.move_file(scene.file_id, self._paths.there(os.path.join(folder, "")).rstrip("/"), name)
                return


def _keep_its_time(file: PlannedFile) -> None:
    """Give a file that Stash has copied to another device its old time, by which it is known to be the planned one."""
    with contextlib.suppress(OSError):
        found = os.lstat(file.target)
        if not os.path.lexists(file.source) and found.st_size == file.identity.size:
            os.utime(file.target, ns=(found.st_atime_ns, file.identity.mtime_ns))
