"""The service's process: takes the lock, starts the parts, scans, and stops when it is told to."""

import contextlib
import logging
import os
import secrets
import signal
import sys
import threading
import time
from types import FrameType

from intake.service.file_work import FileWork
from intake.service.lane import Lane
from intake.service.lease_keeper import LeaseKeeper
from intake.service.publish_work import PublishWork
from intake.service.scanner import Scanner
from intake.service.sight import sight_of
from intake.store.errors import StoreError
from intake.store.port import ChangeListener, IntakeStore
from intake.store.row import Lane as LaneName
from intake.store.sqlite_store import put_aside_if_damaged
from intake.watching.arrivals import ArrivalFinder
from intake.watching.quiet import QuietTable
from intake.watching.watch import FolderWatch, Hints
from intake.wiring import (
    WrongSettings,
    make_file_owner,
    make_gate,
    make_publishers,
    make_rules,
    make_sources,
    open_store,
)
from runtime.folder import DataFolder
from runtime.lock import FileLock
from runtime.privacy.redaction import Redactor
from runtime.state_file import read_state, text_in, write_state
from runtime.version import VERSION
from validation.intake_config import IntakeConfig
from worker.log_file import open_log_stream

log = logging.getLogger(__name__)

STOP_SECONDS = 8.0  # Docker kills after ten
LISTEN_SECONDS = 2.0


def run_service(folder: DataFolder, config: IntakeConfig) -> int:
    """Be the service of this folder until a signal comes. 0: stopped as told. 1: another one runs here, or a bug."""
    os.makedirs(folder.intake_dir, mode=0o700, exist_ok=True)
    lock = FileLock(folder.intake_lock)
    if not lock.acquire():
        sys.stderr.write(f"Stash2Plex: another intake service runs on {folder.root}.\n")
        return 1
    redactor = Redactor(folder)
    redactor.learn(*config.secrets)
    open_log_stream(sys.stderr, redactor)
    try:
        return Service(folder, config, redactor).run()
    except (StoreError, WrongSettings) as error:
        log.error("%s", error)  # noqa: TRY400 - the sentence says it all
        return 1
    except Exception:
        log.exception("Intake ends by a bug of ours; please report it.")
        return 1
    finally:
        lock.release()


class Service:
    """All parts of a running intake. The main thread scans."""

    def __init__(self, folder: DataFolder, config: IntakeConfig, redactor: Redactor) -> None:
        self._folder = folder
        self._config = config
        self._redactor = redactor
        self._stop = threading.Event()
        self._hints = Hints()
        self._state: dict[str, object] = {}
        self._has_lost_a_thread = False
        self._name = f"{config.host}:{_installation(folder)}"
        self._put_aside_damage()
        rules = make_rules(config)
        self._keeper = LeaseKeeper(self._store("leases"), self._stop)
        self._lanes = self._make_lanes()
        finder = ArrivalFinder(rules.watched, make_gate(config), QuietTable(config.stable_seconds))
        self._watch = FolderWatch(config.watch_dir, self._hints.give)
        self._scanner = Scanner(finder, self._store("scan"), self._watch, self._hints, self._wake)
        self._listening = threading.Thread(target=self._listen, name="news", daemon=True)

    def run(self) -> int:
        """Work until a signal comes, then finish or hand back what is in hand. 1 if one of the threads has died."""
        self._obey_signals()
        threading.excepthook = self._on_dead_thread
        log.info("Intake %s begins on %s (process %d).", VERSION, self._config.host, os.getpid())
        self._take_back()
        self._keeper.start()
        self._listening.start()
        for lane in self._lanes:
            lane.start()
        while not self._stop.is_set():
            pause = self._scanner.step()
            self._show()
            self._scanner.rest(pause)
        self._end()
        return 1 if self._has_lost_a_thread else 0

    def _take_back(self) -> None:
        """Go on at once with what a service before this one had in hand: the lock says that it is dead."""
        store = self._store("start")
        with contextlib.suppress(StoreError):  # then its leases run out by themselves
            if number := store.take_back(f"{self._name}:"):
                log.info("Taking up %d rows that the service before had in hand.", number)
        store.close()

    def _store(self, part: str) -> IntakeStore:
        return open_store(self._folder, self._config, f"{self._name}:{part}")

    def _make_lanes(self) -> list[Lane]:
        config = self._config
        rules = make_rules(config)
        publishers = make_publishers(self._folder, config)
        patience = (config.retry_minutes, config.max_retries)
        files, publish = self._store("files"), self._store("publish")
        sources = make_sources(self._folder, config)
        owner = make_file_owner(self._folder, config)
        works = {
            LaneName.FILES: FileWork(files, sources, rules, self._keeper, owner, publishes=bool(publishers)),
            LaneName.PUBLISH: PublishWork(publish, publishers, self._keeper, config.emby_scan_retry_delays, *patience),
        }
        sight = sight_of(rules)
        return [
            Lane(name, store, works[name], sight[name], self._keeper, self._redactor, patience, self._stop)
            for name, store in ((LaneName.FILES, files), (LaneName.PUBLISH, publish))
        ]

    def _on_dead_thread(self, died: threading.ExceptHookArgs) -> None:
        """End by a bug in one of the threads rather than go on without it: who started the service starts it again.

        Events are only hints: whoever listened for them is replaced at the next scan.
        """
        if self._watch.has_lost(died.thread):
            log.warning("Listening for new files has failed (%r); it begins anew.", died.exc_value)
            self._hints.give()
            return
        log.critical("A bug of ours, please report it.", exc_info=died.exc_value)
        self._has_lost_a_thread = True
        os.kill(os.getpid(), signal.SIGTERM)

    def _put_aside_damage(self) -> None:
        if self._config.uses_postgres:
            return
        if aside := put_aside_if_damaged(self._folder.intake_dir, time.strftime("%Y%m%d-%H%M%S")):
            log.error("The files' rows were damaged; they are kept as %s. Files are taken in anew.", aside)

    def _obey_signals(self) -> None:
        for name in ("SIGTERM", "SIGINT", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._on_signal)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._stop.set()
        self._hints.give()

    def _wake(self) -> None:
        for lane in self._lanes:
            lane.wake()

    def _listen(self) -> None:
        listener: ChangeListener = self._store("news").listener()
        while not self._stop.is_set():
            if listener.wait(LISTEN_SECONDS):
                self._wake()
        listener.close()

    def _end(self) -> None:
        log.info("Intake ends.")
        deadline = time.monotonic() + STOP_SECONDS
        ended = [lane.join(max(0.1, deadline - time.monotonic())) for lane in self._lanes]
        if not all(ended):
            log.warning("A file is still in hand; whoever comes next takes it up in a minute.")
        self._keeper.end()
        self._scanner.close()
        self._listening.join(LISTEN_SECONDS + 1)

    def _show(self) -> None:
        """Let others know, without asking this process, who works here and what is in the way."""
        obstacles = [self._scanner.obstacle, *(lane.obstacle for lane in self._lanes)]
        state: dict[str, object] = {
            "version": VERSION,
            "pid": os.getpid(),  # for a person; whether it lives, only the lock says
            "host": self._config.host,
            "obstacles": list(dict.fromkeys(self._redactor.clean(one) for one in obstacles if one)),
            "left_alone": [
                {"path": path, "word": refusal.word, "sentence": refusal.sentence}
                for path, refusal in self._scanner.refused
            ],
        }
        if state == self._state:
            return
        self._state = state
        try:
            write_state(self._folder.intake_state, state)
        except (OSError, UnicodeError) as error:
            log.warning("The state could not be written: %s.", error)


def _installation(folder: DataFolder) -> str:
    """Return this data folder's own name, made once: a service that starts here knows the claims of the one before."""
    path = os.path.join(folder.intake_dir, "installation.json")
    name = text_in(read_state(path), "name")
    if not name:
        name = secrets.token_hex(4)
        write_state(path, {"name": name})
    return name
