"""The table of all that Stash can ask for by `args.mode`: tasks and operations, each imported when it is asked for.

A status must not wait for what only a sync needs. The manifest and the documents are held to it by tests.
"""

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple, cast

from tasks.desk import Desk
from tasks.report import Report

Answer = dict[str, object]

TASKS: dict[str, str] = {
    "all": "tasks.sync_tasks:sync_all",
    "recent": "tasks.sync_tasks:sync_recent",
    "preview": "tasks.plex_tasks:preview",
    "process_queue": "tasks.queue_tasks:process_queue",
    "queue_status": "tasks.queue_tasks:queue_status",
    "retry_failed": "tasks.queue_tasks:retry_failed",
    "clear_queue": "tasks.queue_tasks:clear_queue",
    "clear_dlq": "tasks.queue_tasks:clear_dlq",
    "purge_dlq": "tasks.queue_tasks:purge_dlq",
    "health_check": "tasks.health:health_check",
    "reconcile": "tasks.sync_tasks:reconcile",
    "undo_last_run": "tasks.plex_tasks:undo_last_run",
    "clear_match_cache": "tasks.plex_tasks:clear_match_cache",
}


class Operation(NamedTuple):
    """Where an operation's function is, and the names of its arguments."""

    where: str
    arguments: tuple[str, ...] = ()


OPERATIONS: dict[str, Operation] = {
    "status": Operation("tasks.status:status"),
    "scenes": Operation("tasks.scene_list:scenes", ("state", "limit", "after")),
    "explain": Operation("tasks.explain:explain", ("scene_id",)),
    "dead_letters": Operation("tasks.dead_letters:dead_letters", ("limit", "after")),
    "retry": Operation("tasks.dead_letters:retry", ("ids", "all")),
    "discard": Operation("tasks.dead_letters:discard", ("ids", "all")),
    "sync_scenes": Operation("tasks.sync_tasks:sync_scenes", ("ids",)),
    "preview_scene": Operation("tasks.plex_operations:preview_scene", ("scene_id",)),
    "map_scene": Operation("tasks.plex_operations:map_scene", ("scene_id", "rating_key")),
    "unmap_scene": Operation("tasks.plex_operations:unmap_scene", ("scene_id",)),
    "test_connection": Operation("tasks.plex_operations:test_connection"),
    "path_map_coverage": Operation("tasks.plex_operations:path_map_coverage"),
    "journal": Operation("tasks.journal_list:journal", ("run_id", "scene_id", "limit", "after")),
    "undo": Operation("tasks.plex_operations:undo", ("run_id", "scene_id", "all")),
}


def find_task(mode: str) -> Callable[[Desk], Report]:
    return cast("Callable[[Desk], Report]", _load(TASKS[mode]))


def find_operation(name: str) -> Callable[[Desk], Answer]:
    return cast("Callable[[Desk], Answer]", _load(OPERATIONS[name].where))


def _load(where: str) -> object:
    module, _, function = where.partition(":")
    return getattr(import_module(module), function)
