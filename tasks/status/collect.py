"""The status: how many jobs and scenes stand where, who works on them, what is in the way, what needs a person.

It is asked for again and again by a page that is open, so it reads each file once and imports little.
"""

from __future__ import annotations

import os

from model.sentences import counted
from sync.known_targets import KnownTarget
from tasks.answers import QueueCounts, StashSeen, Status
from tasks.arguments import Nothing
from tasks.context import TaskContext
from tasks.status.headline import headline
from tasks.status.needs import Conditions, needs_you
from tasks.status.target_state import ServerState, target_status
from tasks.status.worker_state import WorkerState, describe_sweep, read_worker, sweep_status
from tasks.wording import iso


def status(context: TaskContext, _asked: Nothing) -> Status:
    """Say how things stand, and have a worker live: who looks at a page wants the work to go on."""
    answer = collect_status(context)
    if not answer.worker.alive:
        context.wake_worker()
    return answer


def collect_status(context: TaskContext) -> Status:
    """Read everything once, and change nothing."""
    now, folder = context.now(), context.folder
    worker, session = read_worker(folder), context.queue.session()
    queue, known = context.counts(is_alive=worker.alive), context.known_targets()
    shown = [one for one in known.targets if one.is_on] or [KnownTarget("plex", is_on=False)]
    queues = {one.target: context.counts(one.target, is_alive=worker.alive) for one in shown}
    read = [target_status(one, folder.target(one.target), queues[one.target], worker.pictures, now) for one in shown]
    targets = tuple(one for one, _, _ in read)
    is_set_up = known.is_known and any(one.is_on for one in known.targets)
    if not known.is_known:  # by a version that kept no such list: what was synced once was set up
        is_set_up = os.path.exists(folder.target("plex").ledger)
    outages = tuple(one.outage for one in targets if one.outage)
    need_access = frozenset(one.target for one, server, _ in read if server.needs_person)
    conditions = Conditions(is_set_up, known.is_enabled, worker.status, outages)
    sweep = sweep_status(worker.sweep)
    return Status(
        headline=headline(conditions, queue, targets, sweep),
        sentence=_describe(queue, worker, [server for _, server, _ in read]) + describe_sweep(worker.sweep, now),
        is_set_up=is_set_up,
        is_enabled=known.is_enabled,
        intake_is_on=os.path.exists(folder.intake_state),
        worker=worker.status,
        queue=queue,
        targets=targets,
        needs_you=needs_you(conditions, targets, need_access),
        sweep=sweep,
        stash=StashSeen(session.url, iso(session.seen_at)) if session else None,
    )


def _describe(queue: QueueCounts, worker: WorkerState, servers: list[ServerState]) -> str:
    """Say how much waits and what is in the way: the outage as it stands now, or else what the worker said."""
    runs = "a worker is running" if worker.alive else "no worker is running"
    outage, obstacle = next((one.waiting for one in servers if one.waiting), None), worker.status.obstacle
    said = outage or (obstacle if worker.alive or not obstacle else f"The last one said: {obstacle}")
    added = "".join(f" {part}" for part in (said, worker.pictures, worker.notice) if part)
    return (
        f"{counted(queue.due, 'job')} due, {queue.later} later, {queue.claimed} being worked on, "
        f"{queue.dead} given up; {runs}.{added}"
    )
