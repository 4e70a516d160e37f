"""Tasks and operations, as Stash calls them: find the mode, do it, log the sentence, answer the numbers."""

import time

from runtime.folder import DataFolder
from stash import wire
from sync_queue.session import Session
from tasks.desk import open_desk
from tasks.table import TASKS


class StashTeller:
    """Tells Stash, in its line protocol."""

    def say(self, sentence: str, *, ok: bool = True) -> None:
        wire.log(wire.INFO if ok else wire.WARNING, sentence)

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
    with open_desk(DataFolder.of_stash(request.directory), session, request.args, StashTeller()) as desk:
        report = task(desk)
    wire.log(wire.INFO, report.sentence)
    return report.as_output()
