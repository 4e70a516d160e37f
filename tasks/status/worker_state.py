"""The worker, as its lock and the state that it leaves tell. Standard library only, and little of it."""

from __future__ import annotations

import os

from model.sentences import counted
from runtime.code_stamp import changed_at
from runtime.folder import DataFolder
from runtime.launch import entry_script
from runtime.lock import is_held
from runtime.record import dataclass
from runtime.version import VERSION
from tasks.answers import SweepStatus, WorkerStatus
from tasks.context import read_json
from tasks.wording import ago, iso
from validation.json_shapes import as_object, as_text

NEARLY = 0.99  # a library grows: more scenes may come than the sweep before had seen


@dataclass(frozen=True, slots=True)
class WorkerState:
    """All that the worker says, read once. `notice` is what a person should know and what stops no work."""

    status: WorkerStatus
    notice: str | None
    pictures: str | None
    sweep: dict[str, object]

    @property
    def alive(self) -> bool:
        return self.status.alive

    @property
    def obstacle(self) -> str | None:
        """What keeps the living worker from working."""
        return self.status.obstacle if self.alive else None


def read_worker(folder: DataFolder) -> WorkerState:
    """Read the lock and the state, each once."""
    state, alive = read_json(folder.worker_state), is_held(folder.worker_lock)
    started_at, version, pid = state.get("started_at"), as_text(state.get("version")), state.get("pid")
    began = started_at if isinstance(started_at, int | float) and not isinstance(started_at, bool) else None
    status = WorkerStatus(
        alive=alive,
        version=version or None,
        pid=pid if alive and isinstance(pid, int) else None,
        started_at=_moment(began),
        obstacle=as_text(state.get("obstacle")) or None,
        is_installing=alive and state.get("is_installing") is True,
        is_outdated=alive
        and began is not None
        and (version != VERSION or changed_at(os.path.dirname(entry_script())) > began),
    )
    pictures = as_text(state.get("pictures")) if alive else ""
    return WorkerState(
        status, as_text(state.get("notice")) or None, pictures or None, as_object(state.get("sweep")) or {}
    )


def sweep_status(sweep: dict[str, object]) -> SweepStatus:
    """Say where the check of all scenes stands; how far it is, by how many scenes the one before it saw."""
    last = as_object(sweep.get("last")) or {}
    is_running, total, seen = sweep.get("running") is True, last.get("scenes"), sweep.get("seen")
    progress = None
    if is_running and isinstance(total, int) and isinstance(seen, int) and total > 0:
        progress = round(min(seen / total, NEARLY), 3)
    return SweepStatus(is_running, progress, _moment(last.get("at")), _moment(sweep.get("next_at")))


def describe_sweep(sweep: dict[str, object], now: float) -> str:
    """Say what the check of all scenes is doing or waits for, and how the last whole one went."""
    last = as_object(sweep.get("last")) or {}
    said = ""
    if sweep.get("running"):
        said += f" All scenes are being checked, {_scenes(sweep.get('seen'))} so far."
    elif sweep.get("waits_for_stash"):
        said += " The next check of all scenes waits for Stash's own jobs to end."
    elif sweep.get("problem"):
        said += f" The last check of all scenes was broken off and will be tried again: {sweep['problem']}"
    if isinstance(at := last.get("at"), float):
        said += f" The last whole check, {ago(at, now)}, compared {_scenes(last.get('scenes'))} in "
        said += f"{last.get('seconds')} s and queued {last.get('differing')}."
    return said


def _scenes(number: object) -> str:
    return counted(number if isinstance(number, int) else 0, "scene")


def _moment(value: object) -> str | None:
    return iso(value) if isinstance(value, int | float) and 0 < value < 1e11 else None  # noqa: PLR2004 - the year 5138
