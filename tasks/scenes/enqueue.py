"""Scenes are queued for the worker: all, the recent ones, some. A task only queues: Stash runs one task at a time."""

from datetime import UTC, datetime, timedelta

from ledger.states import SceneState
from model.sentences import counted
from model.targets import TITLES
from model.user_error import UserError
from tasks.answers import Queued
from tasks.arguments import OfTarget, SomeScenes
from tasks.context import TaskContext
from tasks.servers import describe_packages, load_packages

RECENT = timedelta(hours=24)


def sync_all(context: TaskContext, asked: OfTarget) -> Queued:
    """Queue a comparison of every scene with what the servers really show."""
    _enqueue_all(context, asked, "Sync All", verify=True)
    return _queued(context, f"All scenes will be compared with {_names(context, asked)};")


def reconcile(context: TaskContext, asked: OfTarget) -> Queued:
    """Ask the worker for a sweep now: every scene is compared with what was synced last."""
    _enqueue_all(context, asked, "Reconcile", verify=False)
    return _queued(context, "All scenes will be checked for what Stash did not report;")


def sync_recent(context: TaskContext, asked: OfTarget) -> Queued:
    """Queue the scenes that were changed in the last 24 hours.

    All are looked at: Stash compares times as text, in whatever zone its server was when it wrote them.
    """
    load_packages(context)
    from stash.client import StashClient  # noqa: PLC0415 - needs packages that may just have been installed
    from stash.exceptions import StashError  # noqa: PLC0415 - as above

    since = datetime.fromtimestamp(context.now(), UTC) - RECENT
    client, seen, queued = StashClient(context.session()), 0, 0
    try:
        total = client.scene_count()
        for page in client.scene_changes():
            ids = [scene_id for scene_id, changed_at in page if _moment(changed_at) >= since]
            context.enqueue("scene", ids, "Sync Recent", context.targets(asked.target), due_at=context.now())
            seen, queued = seen + len(page), queued + len(ids)
            context.reporter.progress(seen / max(total, 1))
    except StashError as problem:
        raise UserError(f"{problem} {counted(queued, 'scene')} queued before that.") from problem
    finally:
        client.close()
    context.wake_worker()
    sentence = f"Changed in the last 24 hours and queued: {queued:,} of {counted(seen, 'scene')}."
    return Queued(sentence, queued, context.counts().waiting)


def sync_scenes(context: TaskContext, asked: SomeScenes) -> Queued:
    """Queue scenes for a comparison with what the servers really show, before everything that waits."""
    ids = asked.ids
    added = context.enqueue("scene", ids, "asked for", context.targets(asked.target), verify=True)
    context.wake_worker()
    waited = f" {len(ids) - added} of them waited already." if added < len(ids) else ""
    sentence = f"{counted(len(ids), 'scene')} queued.{waited}{_left_out(context, asked)}"
    return Queued(sentence, len(ids), context.counts().waiting)


def _left_out(context: TaskContext, asked: SomeScenes) -> str:
    """Say of which scenes nothing will come, because a person leaves them out."""
    said = ""
    for target in context.targets(asked.target):
        with context.ledger(target) as ledger:
            left_out = [one for one in ledger.scenes.of(asked.ids).values() if one.state is SceneState.IGNORED]
        if left_out:
            said += f" Left out by hand, so nothing comes of it: {counted(len(left_out), 'scene')}."
    return said


def _enqueue_all(context: TaskContext, asked: OfTarget, reason: str, *, verify: bool) -> None:
    context.enqueue("all", [0], reason, context.targets(asked.target), verify=verify)
    context.wake_worker()


def _queued(context: TaskContext, said: str) -> Queued:
    waiting = context.counts().waiting
    return Queued(f"{said} {counted(waiting, 'job')} waiting now.{describe_packages(context)}", None, waiting)


def _names(context: TaskContext, asked: OfTarget) -> str:
    return " and ".join(TITLES[name] for name in context.targets(asked.target))


def _moment(text: str) -> datetime:
    """Read Stash's time, which carries the server's own offset; one that cannot be read counts as new."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return datetime.max.replace(tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
