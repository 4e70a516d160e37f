"""Tasks and operations, as Stash calls them: find the mode, do it, log the sentence, answer the numbers."""

import time

from runtime.folder import DataFolder
from stash import wire
from sync_queue.session import Session
from tasks.arguments import Arguments
from tasks.desk import Desk, open_desk
from tasks.table import OPERATIONS, TASKS, Answer, find_operation, find_task

API = 1


class StashTeller:
    """Tells Stash, in its line protocol: Stash keeps it all in its log."""

    def __init__(self, folder: DataFolder, *secrets: str) -> None:
        self._folder = folder
        self._secrets = secrets

    def say(self, sentence: str, *, ok: bool = True) -> None:
        wire.log(wire.INFO if ok else wire.WARNING, self.for_log(sentence))

    def for_log(self, text: str) -> str:
        from runtime.redaction import Redactor  # noqa: PLC0415 - a status has nothing to log, and no time for it

        redactor = Redactor(self._folder)  # made anew: the task may have read the settings meanwhile
        redactor.learn(*self._secrets)
        return redactor.clean_for_log(text)

    def progress(self, fraction: float) -> None:
        wire.progress(fraction)


def handle(request: wire.Request) -> object:
    mode = request.args.get("mode")
    if not isinstance(mode, str) or (mode not in TASKS and mode not in OPERATIONS):
        asked = f"There is no task or operation {mode!r:.60}" if mode else "No task was named (args.mode)"
        raise wire.Refusal(f"{asked}. There are: {', '.join([*TASKS, *OPERATIONS])}.")
    if not request.directory:
        raise wire.Refusal("Stash did not say where its config folder is (server_connection.Dir).")
    session = Session(request.scheme, request.host, request.port, request.cookie, time.time())
    folder = DataFolder.of_stash(request.directory)
    teller = StashTeller(folder, request.cookie)
    try:
        with open_desk(folder, session, request.args, teller) as desk:
            return run_task(mode, desk) if mode in TASKS else run_operation(mode, desk)
    except wire.Refusal as refusal:  # Stash logs it
        raise wire.Refusal(teller.for_log(str(refusal))) from refusal


def run_task(mode: str, desk: Desk) -> Answer:
    """Do a task; its closing line goes to whoever watches, its numbers to whoever asked."""
    report = find_task(mode)(desk)
    desk.wake_worker()  # whatever was asked, a worker that died must not wait for the next edit
    desk.teller.progress(1.0)
    desk.teller.say(report.sentence)
    return report.as_output()


def run_operation(name: str, desk: Desk) -> Answer:
    Arguments(desk.args).check_names(name, OPERATIONS[name].arguments)
    return {"api": API, **find_operation(name)(desk)}
