"""The worker's first moments: take the lock, then import the rest.

A burst of hooks starts several workers before the first holds the lock. All but one must be gone again soon, so
nothing expensive is imported before it is clear who stays.
"""

import os

from runtime.folder import DataFolder
from runtime.launch import spawn_worker
from runtime.lock import FileLock


def run_worker(folder: DataFolder) -> int:
    """Be the worker of this folder, unless there is one."""
    os.umask(0o077)
    folder.make()
    lock = FileLock(folder.worker_lock, anchor=folder.root)
    if not lock.acquire():
        return 0
    from worker.process import Ending, WorkerProcess  # noqa: PLC0415 - see above

    process = WorkerProcess(folder, lock)
    ending = process.live()
    lock.release()
    # Whoever came while we were leaving saw the lock held and started nobody.
    if ending in (Ending.UPDATED, Ending.DISPLACED) or process.was_called_while_leaving():
        spawn_worker(folder)
    return 0
