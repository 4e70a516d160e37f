"""The one module that locks: an exclusive lock on a file, held until the process ends, however it ends.

Never a PID file: in Docker Stash is PID 1 and reaps nobody, so the PID of a dead worker still answers.
"""

import os
import sys
import time

if sys.platform == "win32":
    import msvcrt

    def _try_exclusive(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _try_shared(descriptor: int) -> bool:
        # Windows' C library has no shared lock. Whoever probes holds it for microseconds; acquire() is patient.
        if not _try_exclusive(descriptor):
            return False
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
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


class FileLock:
    """An exclusive lock that dies with its process."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock, or say at once that another has it. Somebody's passing probe is waited out."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not _try_exclusive(descriptor):
            if is_held(self._path) or time.monotonic() > deadline:
                os.close(descriptor)
                return False
            time.sleep(0.005)
        self._descriptor = descriptor
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
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
