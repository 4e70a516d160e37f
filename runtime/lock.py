"""The one module that locks: an exclusive lock on a file, held until the process ends, however it ends.

Never a PID file: in Docker Stash is PID 1 and reaps nobody, so the PID of a dead worker still answers.
"""

import os
import sys
import time

if sys.platform == "win32":
    import msvcrt

    WIDTH = 1024

    def _try_exclusive(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, WIDTH)
        except OSError:
            return False
        return True

    def _try_shared(descriptor: int) -> bool:
        # Windows' C library has no shared lock. The holder locks all bytes, whoever probes one of its own.
        os.lseek(descriptor, os.getpid() % WIDTH, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_exclusive(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _try_shared(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


PATIENCE_SECONDS = 2.0
DOUBT_SECONDS = 0.2  # on Windows two probes may meet on one byte and pass for a holder


def is_held(path: str) -> bool:
    """Say whether somebody holds the lock for good.

    The probe is a shared lock, so that probes do not take each other for a holder.
    """
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not _try_shared(descriptor)
    finally:
        os.close(descriptor)


def has_writer(path: str) -> bool:
    """Say whether any process of this machine has a file open for writing.

    The kernel grants a lease on a file only if none has. False also where it does not tell: on other systems, on most
    network drives, and for files of other users.
    """
    if sys.platform != "linux":
        return False
    import signal  # noqa: PLC0415 - the hook loads this module, and has no time for that one

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # a writer that comes now; SIGIO would end this process
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


class FileLock:
    """An exclusive lock that dies with its process."""

    def __init__(self, path: str, anchor: str | None = None) -> None:
        """`anchor` is a folder that is locked as well: a lock file is deleted more easily than the folder around it."""
        self._path = path
        self._anchor = anchor
        self._descriptor: int | None = None
        self._anchor_descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock, or say at once that another has it. Somebody's passing probe is waited out."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        began = time.monotonic()
        while not _try_exclusive(descriptor):
            waited = time.monotonic() - began
            if waited > PATIENCE_SECONDS or (waited > DOUBT_SECONDS and is_held(self._path)):
                os.close(descriptor)
                return False
            time.sleep(0.005)
        self._descriptor = descriptor
        if not self._hold_anchor():
            self.release()
            return False
        return True

    def _hold_anchor(self) -> bool:
        if self._anchor is None or os.name != "posix":  # Windows does not let go of a file that is open
            return True
        self._anchor_descriptor = os.open(self._anchor, os.O_RDONLY)
        try:
            return _try_exclusive(self._anchor_descriptor)
        except OSError:  # a network file system that locks no folders
            return True

    def wait(self, timeout_seconds: float) -> bool:
        """Take the lock as soon as its holder lets go."""
        deadline = time.monotonic() + timeout_seconds
        while not self.acquire():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True

    def is_lost(self) -> bool:
        """Say whether the file was removed or replaced, so that another could take a lock of the same name."""
        if self._descriptor is None:
            return True
        try:
            return not os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except FileNotFoundError:
            return True

    def release(self) -> None:
        for descriptor in (self._descriptor, self._anchor_descriptor):
            if descriptor is not None:
                os.close(descriptor)
        self._descriptor = self._anchor_descriptor = None
