"""The composition root: the one module that decides who works with whom."""

from dataclasses import dataclass

from runtime.folder import DataFolder
from runtime.redaction import Redactor
from sync_queue.manager import QueueManager
from worker.clock import SystemClock
from worker.conditions import ConditionsBoard
from worker.log_target import LogTarget
from worker.processor import SyncWorker
from worker.scene_work import SceneWork
from worker.stash_line import StashLine
from worker.stash_watch import StashWatch


@dataclass(frozen=True)
class Crew:
    """The parts of a running worker that its process has to do with."""

    queue: QueueManager
    worker: SyncWorker
    watch: StashWatch
    board: ConditionsBoard


def assemble(folder: DataFolder, redactor: Redactor) -> Crew:
    """Build a worker over the queue in this folder. The caller holds the worker's lock."""
    clock = SystemClock()
    queue = QueueManager.begin(folder.queue_dir, clock.now())
    board = ConditionsBoard()
    work = SceneWork(queue, StashLine(queue), LogTarget(), clock)
    worker = SyncWorker(queue, work, board, clock, redactor)
    watch = StashWatch(queue, StashLine(queue), board, clock, folder.settings_file, redactor)
    return Crew(queue, worker, watch, board)
