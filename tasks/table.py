"""The table of tasks: mode to function. The manifest is held to it by a test."""

from collections.abc import Callable

from tasks.desk import Desk
from tasks.health import health_check
from tasks.plex_tasks import clear_match_cache, preview, undo_last_run
from tasks.queue_tasks import clear_dlq, clear_queue, process_queue, purge_dlq, queue_status, retry_failed
from tasks.report import Report
from tasks.sync_tasks import reconcile, sync_all, sync_recent

TASKS: dict[str, Callable[[Desk], Report]] = {
    "all": sync_all,
    "recent": sync_recent,
    "preview": preview,
    "process_queue": process_queue,
    "queue_status": queue_status,
    "retry_failed": retry_failed,
    "clear_queue": clear_queue,
    "clear_dlq": clear_dlq,
    "purge_dlq": purge_dlq,
    "health_check": health_check,
    "reconcile": reconcile,
    "undo_last_run": undo_last_run,
    "clear_match_cache": clear_match_cache,
}
