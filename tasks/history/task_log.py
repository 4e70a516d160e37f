"""What tasks leave: when each ran last, how far it is, how it ended. A file for each mode, so that no two write one."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from model.user_error import UserError
from runtime.lock import FileLock, is_held
from runtime.state_file import number_in, read_state, text_in, write_state
from sync.ports import Reporter
from tasks.answers import LastTasks, TaskRow
from tasks.arguments import Nothing
from tasks.context import TaskContext
from tasks.wording import iso

SAVE_EVERY_SECONDS = 1.0
BROKEN_OFF = "It was ended before it was done."


@dataclass
class _Kept:
    """The record of one run of a task, and the reporter through which it tells how far it is."""

    path: str
    reporter: Reporter
    now: Callable[[], float]
    state: dict[str, Any]
    saved_at: float = 0.0

    def log(self, sentence: str, *, ok: bool = True) -> None:
        self.reporter.log(sentence, ok=ok)

    def progress(self, fraction: float) -> None:
        self.reporter.progress(fraction)
        self.state["progress"] = round(min(max(fraction, 0.0), 1.0), 3)
        if abs(self.now() - self.saved_at) >= SAVE_EVERY_SECONDS:
            self.save()

    def end(self, sentence: str, *, ok: bool) -> None:
        self.state |= {"ended_at": self.now(), "sentence": sentence, "ok": ok}
        self.save()

    def save(self) -> None:
        self.saved_at = self.now()
        with suppress(OSError):  # a full disk: the task goes on, and who asks later learns nothing of it
            write_state(self.path, self.state)


@contextmanager
def keeping(mode: str, context: TaskContext) -> Generator[Callable[[Any], Any]]:
    """Keep what comes of a task: give the block its answer to `keep`; an error counts as its end."""
    folder = context.folder.task_results
    lock, reporter = FileLock(_lock(folder, mode)), context.reporter
    if not _acquired(lock, folder):
        yield lambda answer: answer
        return
    state: dict[str, Any] = {"mode": mode, "began_at": context.now(), "ended_at": None, "sentence": None, "ok": True}
    kept = _Kept(os.path.join(folder, f"{mode}.json"), reporter, context.now, state)
    context.reporter = kept
    try:
        kept.save()

        def keep(answer: Any) -> Any:
            kept.end(str(getattr(answer, "sentence", "")), ok=getattr(answer, "ok", True) is not False)
            return answer

        yield keep
    except UserError as error:
        kept.end(str(error), ok=False)
        raise
    finally:
        context.reporter = reporter
        lock.release()


def _acquired(lock: FileLock, folder: str) -> bool:
    """Take the lock of a mode. Of the same task twice at once, the first is kept; on a full disk, none is."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return lock.acquire()
    except OSError:
        return False


def is_running(context: TaskContext, mode: str) -> bool:
    return is_held(_lock(context.folder.task_results, mode))


def last_run(context: TaskContext, mode: str) -> TaskRow | None:
    """Give what the last run of a task left, if it ever ran."""
    return _row(read_state(os.path.join(context.folder.task_results, f"{mode}.json")), context)


def last_task(context: TaskContext, _asked: Nothing) -> LastTasks:
    """List what each task left, the newest first."""
    folder = context.folder.task_results
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
    except FileNotFoundError:
        names = []
    states = [read_state(os.path.join(folder, name)) for name in names]
    states.sort(key=lambda state: number_in(state, "began_at"), reverse=True)
    return LastTasks(tuple(row for state in states if (row := _row(state, context))))


def _row(state: dict[str, Any], context: TaskContext) -> TaskRow | None:
    mode, began_at = text_in(state, "mode"), number_in(state, "began_at")
    if not mode or not began_at:
        return None
    ended_at = number_in(state, "ended_at")
    is_broken_off = not ended_at and not is_running(context, mode)
    return TaskRow(
        mode=mode,
        began_at=iso(began_at),
        ended_at=iso(ended_at) if ended_at else None,
        sentence=BROKEN_OFF if is_broken_off else text_in(state, "sentence") or None,
        ok=state.get("ok") is True and not is_broken_off,
        progress=None if ended_at or is_broken_off else number_in(state, "progress"),
    )


def _lock(folder: str, mode: str) -> str:
    return os.path.join(folder, f"{mode}.lock")
