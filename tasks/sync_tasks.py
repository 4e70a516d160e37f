"""Tasks that bring scenes to Plex. They only queue: a task occupies Stash's one job queue while it runs."""

from datetime import UTC, datetime, timedelta

from stash.wire import Refusal
from sync_queue import operations
from sync_queue.operations import enqueue
from tasks.arguments import Arguments
from tasks.desk import Desk
from tasks.packages import load_packages
from tasks.report import Report
from tasks.table import Answer

RECENT = timedelta(hours=24)


def sync_all(desk: Desk) -> Report:
    """Queue a comparison of every scene with what Plex really shows."""
    _enqueue_all(desk, "Sync All", full=True)
    jobs = _waiting(desk)
    return Report(f"All scenes will be compared with Plex; {jobs} jobs wait now.", {"queued": "all", "waiting": jobs})


def reconcile(desk: Desk) -> Report:
    """Ask the worker for a sweep now: every scene is compared with what was synced last."""
    _enqueue_all(desk, "Reconcile", full=False)
    jobs = _waiting(desk)
    sentence = f"All scenes will be checked for changes that fired no hook; {jobs} jobs wait now."
    return Report(sentence, {"queued": "sweep", "waiting": jobs})


def sync_recent(desk: Desk) -> Report:
    """Queue the scenes that were changed in the last 24 hours.

    All are looked at: Stash compares times as text, in whatever zone its server was when it wrote them.
    """
    load_packages(desk)
    from stash.client import StashClient  # noqa: PLC0415 - needs packages that may just have been installed
    from stash.exceptions import StashError  # noqa: PLC0415

    since = datetime.fromtimestamp(desk.now(), UTC) - RECENT
    client, seen, queued = StashClient(desk.session()), 0, 0
    try:
        total = client.scene_count()
        for page in client.scene_changes():
            ids = [scene_id for scene_id, changed_at in page if _moment(changed_at) >= since]
            with desk.writing():
                enqueue(desk.connection, "scene", ids, "Sync Recent", desk.now(), due_at=desk.now())
            seen, queued = seen + len(page), queued + len(ids)
            desk.teller.progress(seen / max(total, 1))
    except StashError as problem:
        raise Refusal(f"{problem} {queued} scenes were queued before that.") from problem
    finally:
        client.close()
    desk.wake_worker()
    return Report(
        f"{queued} of {seen} scenes were changed in the last 24 hours; they are queued.",
        {"queued": queued, "seen": seen},
    )


def sync_scenes(desk: Desk) -> Answer:
    """Queue scenes for a comparison with what Plex really shows, before everything that waits."""
    ids = Arguments(desk.args).ids()
    with desk.writing():
        added = enqueue(desk.connection, "scene", ids, "asked for", desk.now(), full=True)
    desk.wake_worker()
    waited = f" {len(ids) - added} of them waited already." if added < len(ids) else ""
    return {"sentence": f"{len(ids)} scenes are queued.{waited}", "queued": len(ids)}


def _enqueue_all(desk: Desk, reason: str, *, full: bool) -> None:
    with desk.writing():
        enqueue(desk.connection, "all", [0], reason, desk.now(), full=full)
    desk.wake_worker()


def _waiting(desk: Desk) -> int:
    counts = operations.count(desk.connection, desk.now())
    return counts["due"] + counts["later"]


def _moment(text: str) -> datetime:
    """Read Stash's time, which carries the server's own offset; one that cannot be read counts as new."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return datetime.max.replace(tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
