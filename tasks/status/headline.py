"""What the page says first: a short sentence on how things stand. Pure. The long one is for logs and the terminal."""

from __future__ import annotations

from tasks.answers import QueueCounts, SweepStatus, TargetStatus
from tasks.status.needs import Conditions


def headline(conditions: Conditions, queue: QueueCounts, targets: tuple[TargetStatus, ...], sweep: SweepStatus) -> str:
    """Say what keeps everything waiting, or else what is being done and which server is away."""
    on = [one for one in targets if one.is_on]
    away = [one.name for one in on if one.outage]
    if stopped := _stopped(conditions):
        return stopped
    names = " and ".join(away)
    if away and len(away) == len(on):
        return f"Waiting for {names} to come back."
    return f"{_work(queue, sweep)} {names} is away." if away else _work(queue, sweep)


def _stopped(conditions: Conditions) -> str:
    if not conditions.is_set_up:
        return "No server is set up yet."
    if not conditions.is_enabled:
        return "Syncing is paused."
    if conditions.worker.is_installing:
        return "Getting ready for the first time."
    return "" if conditions.worker.alive else "The worker is starting."


def _work(queue: QueueCounts, sweep: SweepStatus) -> str:
    if due := queue.due + queue.claimed:
        return f"Syncing: {due:,} to do."
    if sweep.is_running:
        return "Checking all scenes."
    if queue.later:
        return f"Up to date; {queue.later:,} to try again later."
    return "Everything is up to date."
