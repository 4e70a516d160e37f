"""Watching: the operating system's hints that something has arrived. Lost ones cost time and nothing else.

watchdog is optional: without it, or where it hears nothing (network drives, folders of another system in Docker), the
folder is scanned more often.
"""

import contextlib
import logging
import os
import re
import secrets
import threading
import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from intake.naming.shown import quoted

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver

INTERVAL_SECONDS, INTERVAL_WITH_HINTS_SECONDS = 10.0, 300.0
DEBOUNCE_SECONDS, LONGEST_DEBOUNCE_SECONDS = 0.2, 2.0
_HEARD_WITHIN_SECONDS = 1.0
_NETWORK = (
    "nfs",
    "cifs",
    "smb",
    "fuse",
    "9p",
    "virtiofs",
    "afs",
    "ceph",
    "glusterfs",
    "lustre",
    "vboxsf",
    "prl_fs",
    "drvfs",
)


class Hints:
    """Wakes whoever waits for something to arrive."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def give(self) -> None:
        self._event.set()

    def wait(self, timeout_seconds: float) -> bool:
        """Wait for a hint, then until no more come for a moment; say whether there was one."""
        if not self._event.wait(timeout_seconds):
            return False
        deadline = time.monotonic() + LONGEST_DEBOUNCE_SECONDS
        while self._event.is_set() and time.monotonic() < deadline:
            self._event.clear()
            self._event.wait(DEBOUNCE_SECONDS)
        self._event.clear()
        return True


class FolderWatch:
    """Gives a hint when a file appears below a folder, and when events may have been lost."""

    def __init__(self, folder: str, hint: Callable[[], None]) -> None:
        self._folder = folder
        self._hint = hint
        self._observer: BaseObserver | None = None
        self._inode = 0
        self._is_broken = False
        self._hears = False
        self._heard = threading.Event()
        self._complaints = _Complaints(hint)

    def start(self) -> str:
        """Start listening; return why it cannot be, empty if it can."""
        try:
            self._inode = os.stat(self._folder).st_ino
            self._observer = _observe(self._folder, self._give)
        except ImportError:
            return "watchdog is not installed, so the folder is looked at every ten seconds. Try: pip install watchdog"
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            return (
                f"The folder {quoted(self._folder)} is looked at every ten seconds, as it cannot be watched: {reason}."
            )
        self._is_broken = False
        logging.getLogger("watchdog").addHandler(self._complaints)
        self._hears = not is_on_network(self._folder) and self._hears_probe()
        if self._hears:
            return ""
        return (
            f"The folder {quoted(self._folder)} is looked at every ten seconds, as not all that arrives there is "
            "heard of: it is on a network drive, or of another system, or cannot be written to."
        )

    def _give(self) -> None:
        self._heard.set()
        self._hint()

    def _hears_probe(self) -> bool:
        """Make and remove a file, and say whether the system has told of it."""
        self._heard.clear()
        probe = os.path.join(self._folder, f".stash2plex-probe-{secrets.token_hex(4)}")
        try:
            os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            return self._heard.wait(_HEARD_WITHIN_SECONDS)
        except OSError:
            return False
        finally:
            with contextlib.suppress(OSError):
                os.unlink(probe)

    def has_lost(self, thread: threading.Thread | None) -> bool:
        """Tell whether a thread that has died was one of the listening; then it is to be started again."""
        is_ours = type(thread).__module__.startswith("watchdog.")
        self._is_broken |= is_ours
        return is_ours

    def is_listening(self) -> bool:
        """Tell whether hints can still come: not if the thread has ended, or the folder was replaced by another."""
        try:
            is_same = os.stat(self._folder).st_ino == self._inode
        except OSError:
            return False
        return is_same and not self._is_broken and self._observer is not None and self._observer.is_alive()

    @property
    def interval_seconds(self) -> float:
        """How long the folder may go without a scan."""
        return INTERVAL_WITH_HINTS_SECONDS if self._hears and self.is_listening() else INTERVAL_SECONDS

    def stop(self) -> None:
        logging.getLogger("watchdog").removeHandler(self._complaints)
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None


def do_events_arrive(folder: str) -> bool:
    """Find out by a file that is made and removed whether the system tells of what happens in a folder."""
    watch = FolderWatch(folder, lambda: None)
    try:
        return watch.start() == ""
    finally:
        watch.stop()


def is_on_network(folder: str, mounts: str = "/proc/self/mountinfo") -> bool:
    """Tell whether others may write into a folder unheard: by the kind of its file system, where the system says it."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split() for line in file]
    except OSError:
        return False
    path = os.path.realpath(folder)
    found = "", ""
    for fields in lines:
        point = _unescaped(fields[4])
        is_around = path == point or path.startswith(point.rstrip("/") + "/")
        if is_around and len(point) >= len(found[0]):  # of two at one place the later one is seen
            found = point, fields[fields.index("-") + 1]
    return found[1].startswith(_NETWORK)


def _unescaped(point: str) -> str:
    return re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), point)


class _Complaints(logging.Handler):
    """watchdog only logs that events were lost: whatever it complains about, it is time to look."""

    def __init__(self, hint: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._hint = hint

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - what it says does not matter
        self._hint()


def _observe(folder: str, hint: Callable[[], None]) -> "BaseObserver":
    """Listen to whatever may mean an arrival. Not to reading: a scan reads, and would cause the next one."""
    from watchdog import events  # noqa: PLC0415 - optional, and large: only who watches loads it
    from watchdog.observers import Observer  # noqa: PLC0415 - as above

    # Folders that are made one in another are added twice now and then, and each time all that are watched are listed.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")

    class HintingHandler(events.FileSystemEventHandler):
        def on_any_event(self, event: events.FileSystemEvent) -> None:  # noqa: ARG002 - the scan finds out which
            hint()

    wanted: list[type[events.FileSystemEvent]] = [
        events.FileCreatedEvent,
        events.FileMovedEvent,
        events.FileClosedEvent,
        events.DirCreatedEvent,
        events.DirMovedEvent,
    ]
    observer = Observer()
    observer.schedule(HintingHandler(), folder, recursive=True, event_filter=wanted)
    observer.start()
    return observer
