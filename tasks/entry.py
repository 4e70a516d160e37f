"""Tasks and operations, as Stash calls them: find the mode, do it, log the sentence, answer the numbers."""

import time

from runtime.folder import DataFolder
from runtime.redaction import Redactor
from stash import wire
from sync_queue.session import Session
from tasks.desk import open_desk
from tasks.table import TASKS


class StashTeller:
    """Tells Stash, in its line protocol: Stash keeps it all in its log."""

    def __init__(self, folder: DataFolder, *secrets: str) -> None:
        self._folder = folder
        self._secrets = secrets

    def say(self, sentence: str, *, ok: bool = True) -> None:
        wire.log(wire.INFO if ok else wire.WARNING, self.for_log(sentence))

    def for_log(self, text: str) -> str:
        redactor = Redactor(self._folder)  # made anew: the task may have read the settings meanwhile
        redactor.learn(*self._secrets)
        return redactor.clean_for_log(text)

    def progress(self, fraction: float) -> None:
        wire.progress(fraction)


def handle(request: wire.Request) -> object:
    mode = request.args.get("mode")
    task = TASKS.get(mode) if isinstance(mode, str) else None
    if task is None:
        asked = f"There is no task {mode!r:.60}" if mode else "No task was named (args.mode)"
        raise wire.Refusal(f"{asked}. There are: {', '.join(TASKS)}.")
    if not request.directory:
        raise wire.Refusal("Stash did not say where its config folder is (server_connection.Dir).")
    session = Session(request.scheme, request.host, request.port, request.cookie, time.time())
    folder = DataFolder.of_stash(request.directory)
    teller = StashTeller(folder, request.cookie)
    try:
        with open_desk(folder, session, request.args, teller) as desk:
            report = task(desk)
    except wire.Refusal as refusal:  # Stash logs it
        raise wire.Refusal(teller.for_log(str(refusal))) from refusal
    teller.say(report.sentence)
    return report.as_output()
