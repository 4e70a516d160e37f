"""The pipeline: scenes go through it in batches; what it learns and begins in one is known to the next."""

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import suppress

from ledger.store import Ledger
from model.errors import TargetError
from model.scene import Scene
from runtime.clock import Clock
from sync.connection import TargetConnection
from sync.outcome import Done, Outcome
from sync.pictures.wanted import PictureRequests
from sync.ports import JobStore
from sync.runs import OpenRun
from sync.scenes.batch import BatchParts, Finished, SceneBatch
from sync.scenes.claims import Claims
from sync.scenes.folder_scans import FolderScans
from sync.scenes.left_items import LeftItems
from sync.scenes.not_synced import NotSynced
from sync.scenes.read_back import ReadBack
from sync.scenes.writer import ItemWriter
from sync.stash_connection import StashConnection
from sync_queue.models import SyncJob
from validation.config import Stash2PlexConfig


class ScenePipeline:
    """Makes a server show what Stash says. For the worker's thread."""

    def __init__(
        self, queue: JobStore, ledger: Ledger, connection: TargetConnection, stash: StashConnection, clock: Clock
    ) -> None:
        self._ledger = ledger
        self._connection = connection
        self._run = OpenRun(ledger, "worker", clock)
        self._read_back = ReadBack(ledger, clock)
        self._written_by: Stash2PlexConfig | None = None
        self._pictures = PictureRequests(queue, ledger, clock)
        self._parts = BatchParts(
            queue,
            ledger,
            connection,
            clock,
            Claims(ledger, stash),
            ItemWriter(ledger, self._run, clock),
            self._read_back,
            NotSynced(ledger, clock),
            LeftItems(queue, ledger, connection, clock),
            self._pictures,
            FolderScans(clock),
        )

    def deliver(
        self, pairs: Sequence[tuple[SyncJob, Scene]], config: Stash2PlexConfig
    ) -> Generator[Finished, None, None]:
        """Finish every job of the batch, as far as its time allows. A job that is yielded is in the ledger already.

        A TargetError that is raised is about the batch as a whole; of a single job it is its own.
        """
        batch, self._written_by = SceneBatch(self._parts, pairs, config), config
        finished: set[int] = set()
        try:
            for job, outcome in batch.outcomes():
                finished.add(job.row_id)
                yield job, outcome
        except TargetError as error:
            left = [(job, scene) for job, scene in pairs if job.row_id not in finished]
            if len(left) > 1:
                raise
            yield from ((job, batch.fail(scene, error)) for job, scene in left)
        finally:
            self._pictures.enqueue_pictures()

    def forget(self, scene_id: int) -> Outcome:
        self._ledger.scenes.forget(scene_id)
        return Done()

    def rest(self, config: Stash2PlexConfig) -> str | None:
        """Nothing is due: what was written since the last rest is one run, to be undone as one.

        Say why scenes must be looked at again, if something on the server is a reason.
        """
        self._run.end()
        if self._read_back.is_due:
            with suppress(TargetError):  # then what the items show later counts as a person's
                self._read_back_rest(self._written_by or config)
        self._written_by = None
        return self._connection.tick(config)

    def _read_back_rest(self, config: Stash2PlexConfig) -> None:
        """Read what the last batch wrote, by the settings by which it was written if they are known."""
        server_id, client = self._connection.server_id(config), self._connection.client(config)
        while keys := self._read_back.keys(server_id):
            self._read_back.learn(keys, client.details([], keys), server_id)

    def close(self) -> None:
        with suppress(sqlite3.Error):  # the ledger may be what the worker closes for; a run may go without an end
            self._run.end()
        self._connection.close()
