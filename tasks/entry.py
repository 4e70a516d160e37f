"""Actions, as Stash calls them: find the row, read the arguments, do it, log a task's sentence, answer in JSON.

Standard library only, and little of it: a status waits for every import made here.
"""

from __future__ import annotations

import time

from model.user_error import UserError
from runtime.folder import DataFolder
from runtime.record import field_names
from runtime.version import VERSION
from stash import wire
from sync_queue.session import Session
from tasks.answers import as_json
from tasks.arguments import Arguments
from tasks.context import TaskContext, open_context
from tasks.table import OPERATIONS, TASKS, Action

TYPE_CHECKING = False  # typing and collections.abc take time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sync.context import TargetOpener

API = 2


class StashReporter:
    """Tells Stash, in its line protocol: Stash keeps it all in its log."""

    def __init__(self, folder: DataFolder, *secrets: str) -> None:
        self._folder = folder
        self._secrets = secrets

    def log(self, sentence: str, *, ok: bool = True) -> None:
        wire.log(wire.INFO if ok else wire.WARNING, self.for_log(sentence))

    def for_log(self, text: str) -> str:
        from runtime.privacy.redaction import Redactor  # noqa: PLC0415 - a status has nothing to log, and no time for it

        redactor = Redactor(self._folder)  # made anew: the action may have read the settings meanwhile
        redactor.learn(*self._secrets)
        return redactor.clean_for_log(text)

    def progress(self, fraction: float) -> None:
        wire.progress(fraction)


def handle(request: wire.Request, opening: Callable[[], TargetOpener]) -> object:
    """Do what `args.mode` names. `opening` is called when a target has to be opened, and not before."""
    mode = request.args.get("mode")
    if not isinstance(mode, str) or (mode not in TASKS and mode not in OPERATIONS):
        asked = f"There is no task or operation {mode!r:.60}" if mode else "No task was named (args.mode)"
        raise UserError(f"{asked}. There are: {', '.join([*TASKS, *OPERATIONS])}.")
    if not request.directory:
        raise UserError("Stash did not say where its config folder is (server_connection.Dir).")
    session = Session(request.scheme, request.host, request.port, request.cookie, time.time())
    folder = DataFolder.of_stash(request.directory)
    reporter = StashReporter(folder, request.cookie)
    try:
        with open_context(folder, session, reporter, opening) as context:
            answer = run_action(mode, context, request.args)
            if mode in TASKS:
                context.reporter.log(answer.sentence)
            return answer_json(answer)
    except UserError as error:  # Stash logs it
        raise UserError(reporter.for_log(str(error))) from error


def run_action(mode: str, context: TaskContext, args: Mapping[str, object]) -> Any:
    """Do what a mode names, as a task or as an operation, and return its typed answer."""
    action = TASKS.get(mode) or OPERATIONS[mode]
    asked = read_arguments(action, mode, args)
    if mode not in TASKS and not action.may_take_long:
        return action.load()(context, asked)
    from tasks.history.task_log import keeping  # noqa: PLC0415 - a light operation leaves nothing

    with keeping(mode, context) as keep:
        answer = keep(action.load()(context, asked))
    context.wake_worker()  # whatever was asked, a worker that died must not wait for the next edit
    context.reporter.progress(1.0)
    return answer


def read_arguments(action: Action, mode: str, args: Mapping[str, object]) -> Any:
    """Make typed arguments of what was given, or say what is wrong with it."""
    is_bare = mode == action.task and not any(name != "mode" for name in args)
    given = Arguments({**args, **(action.as_task if is_bare else {})})
    given.check_names(mode, field_names(action.arguments))
    return action.arguments.read(given)


def answer_json(answer: object) -> dict[str, object]:
    """Write an answer as JSON, with the number of this interface and the version of the plugin beside it."""
    fields = as_json(answer)
    assert isinstance(fields, dict)
    return {"api": API, "version": VERSION, **fields}
