"""The worker's process: holds the lock for life, watches, and knows when to leave.

It is crash-only: killed at any instruction it loses nothing, and the next hook, task or page view starts another.
"""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import threading
import time
from enum import Enum
from typing import TYPE_CHECKING

from runtime.code_watch import CodeWatch
from runtime.database import is_damage
from runtime.packages import INSTALLING, ROOT, PackageLoader, PackagesMissing
from runtime.privacy.redaction import Redactor
from runtime.state_file import write_state
from runtime.version import VERSION
from sync_queue.queue_file import connect, explain
from sync_queue.session import read_session
from worker.log_file import open_log_file, set_debug

if TYPE_CHECKING:
    from types import FrameType

    from runtime.folder import DataFolder
    from runtime.lock import FileLock
    from worker.wiring import WorkerParts  # imports the packages, which may have to be installed first

log = logging.getLogger(__name__)

BEAT_SECONDS = 2.0  # a signal ends the rest at once
BEATS_PER_CODE_LOOK = 5
BEATS_PER_PACKAGE_TRY = 300
BATCH_PATIENCE_SECONDS = 60.0


class Ending(Enum):
    """Why a worker stopped working."""

    LEAVE = "leave"
    UPDATED = "updated"
    DISPLACED = "displaced"
    QUEUE_LOST = "queue lost"
    TARGETS_CHANGED = "targets changed"


class WorkerProcess:
    """The main thread's part: everything but the jobs."""

    def __init__(self, folder: DataFolder, lock: FileLock) -> None:
        self._folder = folder
        self._lock = lock
        self._redactor = Redactor(folder)
        self._code = CodeWatch(ROOT)
        self._asked_to_end = threading.Event()
        self._beats = 0
        self._shown: dict[str, object] = {}
        self._notice: str | None = None
        self._warning: str | None = None
        self._sweep: dict[str, object] | None = None
        self._pictures: str | None = None
        self._started_at = time.time()
        self._leaving_at = float("inf")

    def live(self) -> Ending:
        """Work until there is a reason to end, and say which."""
        for name in ("SIGTERM", "SIGINT", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._on_signal)
        open_log_file(self._folder.worker_log, self._redactor)
        log.info("Worker %s begins (process %d).", VERSION, os.getpid())
        try:
            ending = self._wait_for_packages() or self._work()
        except Exception as error:
            log.exception("The worker ends by a bug of ours; please report it.")
            self._show(f"The worker ended by a bug of ours ({type(error).__name__}); its log has the trace.")
            return Ending.LEAVE
        log.info("Worker ends (%s).", ending.value)
        self._show(None)
        return ending

    def was_called_while_leaving(self) -> bool:
        """Say whether a hook or a task has come since it was clear that this worker leaves. Asked without the lock."""
        try:
            connection = connect(self._folder.queue_dir)
            session = read_session(connection)
            connection.close()
        except (sqlite3.Error, OSError):
            return False
        return session is not None and session.seen_at > self._leaving_at

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._leaving_at = time.time()
        self._asked_to_end.set()

    def _wait_for_packages(self) -> Ending | None:
        """Have the packages importable. Without them it stays and waits, so that not every hook starts another pip."""
        loader = PackageLoader(self._folder)
        while not loader.ready():
            if self._beats % BEATS_PER_PACKAGE_TRY == 0:
                self._show(INSTALLING, is_installing=True)
                try:
                    loader.load()
                except PackagesMissing as problem:
                    log.error("%s", problem)  # noqa: TRY400 - the sentence says it all
                    self._show(str(problem))
            if ending := self._beat():
                return ending
        return None

    def _work(self) -> Ending:
        session = None
        while True:
            parts = self._build_worker()
            if isinstance(parts, Ending):
                return parts
            if (
                session is not None and parts.queue.session() is None
            ):  # what the lost queue knew of Stash, this process still knows
                parts.queue.keep_session(session)
            ending = self._stay_with(parts)
            session = parts.watch.session
            if ending not in (Ending.QUEUE_LOST, Ending.TARGETS_CHANGED):
                return ending
            self._leaving_at = float("inf")
            if ending is Ending.QUEUE_LOST:
                log.warning("The queue or the ledger was damaged, removed or replaced; opening them anew.")

    def _build_worker(self) -> WorkerParts | Ending:
        """Put the parts together, however long the disk takes to be usable."""
        from worker.wiring import build_worker  # noqa: PLC0415 - only now are the packages sure to be there

        while True:
            try:
                return build_worker(self._folder, self._redactor)
            except sqlite3.Error as error:
                self._show(explain(error, self._folder.queue_dir))
            except OSError as error:
                self._show(f"The data folder {self._folder.root} cannot be used: {error.strerror}.")
            log.error("%s", self._shown["obstacle"])
            if ending := self._beat():
                return ending

    def _stay_with(self, parts: WorkerParts) -> Ending:
        for lane in parts.lanes:
            lane.start()
        ending = None
        while ending is None:
            ending = self._look(parts) or self._beat()
        self._leaving_at = min(self._leaving_at, time.time())
        ended = [part.stop(BATCH_PATIENCE_SECONDS) for part in (parts.sweeper, *parts.lanes)]
        self._sweep = parts.sweeper.status()
        if not all(ended):
            log.warning("A job did not end in time; the next worker will do it again.")
        parts.close()
        return ending

    def _look(self, parts: WorkerParts) -> Ending | None:
        try:
            parts.watch.tick()
        except sqlite3.Error as error:
            log.error("%s", explain(error, self._folder.queue_dir))  # noqa: TRY400 - the sentence says it all
            if is_damage(error):
                return Ending.QUEUE_LOST
        parts.sweeper.tick()
        self._sweep = parts.sweeper.status()
        conditions = parts.conditions.get()
        for target in parts.targets:
            target.recovery.tick()
        self._notice = parts.notice or self._notice
        self._warning = parts.watch.notice
        self._pictures = " ".join(filter(None, (target.pictures.sentence for target in parts.targets))) or None
        self._show(conditions.obstacle or parts.trouble())
        set_debug(on=conditions.config is not None and conditions.config.debug_logging)
        if parts.watch.targets != tuple(target.name for target in parts.targets):
            log.info("Now for: %s.", ", ".join(parts.watch.targets))
            return Ending.TARGETS_CHANGED
        is_lane_lost = any(lane.lost_queue or not lane.is_alive() for lane in parts.lanes)
        if is_lane_lost or parts.sweeper.found_damage or any(target.ledger.is_lost() for target in parts.targets):
            return Ending.QUEUE_LOST
        if reason := parts.watch.reason_to_leave():
            log.info("Leaving: %s.", reason)
            return Ending.LEAVE
        return None

    def _beat(self) -> Ending | None:
        """Rest for a moment; say whether this process should end, whatever its parts are doing."""
        self._beats += 1
        if self._asked_to_end.wait(BEAT_SECONDS):
            return Ending.LEAVE
        if self._lock.is_lost():
            log.warning("Leaving: the lock's file was removed or replaced.")
            return Ending.DISPLACED if os.path.isdir(self._folder.root) else Ending.LEAVE
        if self._beats % BEATS_PER_CODE_LOOK == 0 and self._code.is_replaced():
            log.info("Leaving: the plugin was updated; the new version takes over.")
            return Ending.UPDATED
        return None

    def _show(self, obstacle: str | None, *, is_installing: bool = False) -> None:
        """Let status know, without asking this process, who works here and what is in the way."""
        state: dict[str, object] = {
            "version": VERSION,
            "pid": os.getpid(),  # for a person; whether it lives, only the lock says
            "started_at": self._started_at,
            "obstacle": self._redactor.clean(obstacle) if obstacle else None,
            "is_installing": is_installing,
            "notice": " ".join(filter(None, (self._notice, self._warning))) or None,
            "sweep": self._sweep,
            "pictures": self._pictures,
        }
        if state == self._shown:
            return
        self._shown = state
        try:
            write_state(self._folder.worker_state, state)
        except OSError as error:
            log.warning("The state could not be written: %s.", error.strerror)
