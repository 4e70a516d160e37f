"""Stash's hooks: what an event means for the queue. Standard library only, no network: the person's Save is waiting."""

from __future__ import annotations

import os
import time

from model.user_error import UserError
from runtime.database import is_damage, retry_while_busy, sqlite3
from runtime.folder import DataFolder
from runtime.launch import ensure_worker
from stash import wire
from sync_queue.operations import enqueue, targets_on, writing
from sync_queue.queue_file import connect, explain, report_damage
from sync_queue.session import Session, remember_session
from validation.events import BadEvent, Event, parse_event

TYPE_CHECKING = False  # typing and collections.abc cost the hook time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Callable


# Fields that never reach Plex. An event that brought nothing else is not worth a job.
IDENTITY = frozenset({"id", "ids", "clientMutationId"})
VIEWING = frozenset({"o_counter", "play_count", "play_duration", "resume_time"})
BOOKKEEPING = frozenset({"favorite", "rating100", "ignore_auto_tag"})


def on_scene_create(event: Event) -> list[int]:
    return event.ids


def on_scene_update(event: Event) -> list[int]:
    return [] if _sent_only(event, VIEWING) else event.ids


def on_scene_destroy(event: Event) -> list[int]:
    """The worker finds the scene gone and forgets it."""
    return event.ids


def on_related_update(event: Event) -> list[int]:
    """A performer, studio, tag or group changed: one job stands for all its scenes."""
    return [] if _sent_only(event, BOOKKEEPING) else event.ids


def on_related_merge(event: Event) -> list[int]:
    """The scenes of the sources are the destination's by now."""
    return event.ids


def on_related_destroy(event: Event) -> list[int]:
    return event.ids


def _sent_only(event: Event, fields: frozenset[str]) -> bool:
    """Say whether nothing but these fields was sent. A scan sends no field names, and then everything may matter."""
    sent = event.fields - IDENTITY
    return bool(sent) and sent <= fields


HANDLERS: dict[str, Callable[[Event], list[int]]] = {
    "Scene.Create.Post": on_scene_create,
    "Scene.Update.Post": on_scene_update,
    "Scene.Destroy.Post": on_scene_destroy,
    "Performer.Update.Post": on_related_update,
    "Performer.Destroy.Post": on_related_destroy,
    "Studio.Update.Post": on_related_update,
    "Studio.Destroy.Post": on_related_destroy,
    "Tag.Update.Post": on_related_update,
    "Tag.Merge.Post": on_related_merge,
    "Tag.Destroy.Post": on_related_destroy,
    "Group.Update.Post": on_related_update,
    "Group.Destroy.Post": on_related_destroy,
}


def handle(request: wire.Request) -> str:
    """Do all that a hook does and return the sentence for Stash."""
    try:
        event = parse_event(request.args.get("hookContext"))
    except BadEvent as problem:
        raise UserError(str(problem)) from problem
    handler = HANDLERS.get(event.trigger) if event else None
    if event is None or handler is None:
        return "ok: not an event that reaches Plex"
    ids = handler(event)
    if not ids:
        return f"ok: nothing to sync, only {', '.join(sorted(event.fields - IDENTITY))} was sent"
    if not request.directory:
        raise UserError("Stash did not say where its config folder is (server_connection.Dir); nothing was queued.")
    folder = DataFolder.of_stash(request.directory)
    _capture(folder, event, ids, request)
    _wake_worker(folder)
    return f"ok: {_named(event, ids)} queued"


def _wake_worker(folder: DataFolder) -> None:
    """The job is on disk, so whatever keeps the worker from starting is no reason to fail the hook."""
    try:
        ensure_worker(folder)
    except OSError as error:
        wire.log(
            wire.ERROR,
            f"The edit is queued, but no worker can be started: {error.strerror} ({error.filename}). "
            f"Everything in {folder.root} must belong to the user Stash runs as.",
        )


def _capture(folder: DataFolder, event: Event, ids: list[int], request: wire.Request) -> None:
    """Put the jobs and the session on disk in one transaction."""
    now = time.time()
    session = Session(request.scheme, request.host, request.port, request.cookie, now)
    try:
        folder.make()
        connection = connect(folder.queue_dir)
        try:
            retry_while_busy(lambda: _write(connection, event, ids, session))
        finally:
            connection.close()
    except sqlite3.Error as error:
        if is_damage(error):
            report_damage(folder.queue_dir)
            _wake_worker(folder)  # it is the worker who puts a damaged queue aside
        raise UserError(f"{explain(error, folder.queue_dir)} {_what_was_lost(event, ids)}") from error
    except OSError as error:
        raise UserError(
            f"The data folder {folder.root} cannot be used: {os.strerror(error.errno or 0)}. "
            f"Make it writable for the user Stash runs as. {_what_was_lost(event, ids)}"
        ) from error


def _write(connection: sqlite3.Connection, event: Event, ids: list[int], session: Session) -> None:
    with writing(connection):
        for target in targets_on(connection):
            enqueue(connection, event.subject, ids, event.trigger, session.seen_at, target=target)
        remember_session(connection, session)


def _what_was_lost(event: Event, ids: list[int]) -> str:
    found_by = "the next check of all scenes finds it, or the task Reconcile now"
    return f"The change of {_named(event, ids)} was not queued; {found_by}."


def _named(event: Event, ids: list[int]) -> str:
    return f"{event.subject} {ids[0]}" if len(ids) == 1 else f"{len(ids)} {event.subject}s"
