"""The worker's birth: a process that Stash neither waits for nor kills."""

import os
import sys

from runtime.folder import DataFolder
from runtime.lock import is_held

MAX_STDERR_BYTES = 256 * 1024


def entry_script() -> str:
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Stash2Plex.py")


def ensure_worker(folder: DataFolder) -> bool:
    """Start a worker if nobody holds the lock; say whether one was started.

    Two callers may both start one: the second worker finds the lock taken and leaves.
    """
    if is_held(folder.worker_lock):
        return False
    spawn_worker(folder)
    return True


def spawn_worker(folder: DataFolder) -> None:
    import subprocess  # noqa: PLC0415 - a tenth of the hook's time, wanted only when there is a worker to start

    flags = 0
    if sys.platform == "win32":
        # Not DETACHED_PROCESS: every grandchild would open a console window of its own.
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    # Stash reads a hook's stdout to its end: a child that inherited it would block the Save for life.
    with open(folder.worker_stderr, "ab") as stderr:
        if stderr.tell() > MAX_STDERR_BYTES:
            stderr.truncate(0)
        worker = subprocess.Popen(  # noqa: S603 - our own interpreter and script
            [sys.executable or "python3", entry_script(), "worker", "--data-dir", folder.root],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            cwd=folder.root,
            creationflags=flags,
            start_new_session=True,
        )
    worker.returncode = 0  # nobody will wait for it; without this Popen complains when it is collected
