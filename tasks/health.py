"""The health check: every part that must work, OK or what to do."""

import sys
from typing import NamedTuple

from runtime.lock import is_held
from runtime.packages import PackageLoader
from runtime.state_file import read_state
from runtime.version import VERSION
from sync_queue import operations
from sync_queue.session import read_session
from tasks.desk import Desk
from tasks.plex_standing import outage_words, recovery_words
from tasks.report import Report


class Finding(NamedTuple):
    part: str
    ok: bool
    sentence: str


def health_check(desk: Desk) -> Report:
    findings = [_python(), _packages(desk), _queue(desk), _worker(desk), _circuit(desk), *_servers(desk)]
    for finding in findings:
        desk.teller.say(f"{finding.part}: {finding.sentence}", ok=finding.ok)
    bad = sum(not finding.ok for finding in findings)
    sentence = "All is well." if not bad else f"{bad} of {len(findings)} parts need you."
    return Report(sentence, {"ok": not bad, "findings": [finding._asdict() for finding in findings]})


def _python() -> Finding:
    return Finding("Python", ok=True, sentence=f"OK, {sys.version.split()[0]}; Stash2Plex {VERSION}.")


def _packages(desk: Desk) -> Finding:
    loader = PackageLoader(desk.folder)
    if loader.ready():
        return Finding("Packages", ok=True, sentence="OK.")
    waiting = "They are not installed yet; the worker installs them when it starts."
    return Finding("Packages", ok=False, sentence=loader.problem() or waiting)


def _queue(desk: Desk) -> Finding:
    counts = operations.count(desk.connection, desk.now())
    waiting = counts["due"] + counts["later"] + counts["claimed"]
    if counts["dead"]:
        sentence = f"{counts['dead']} jobs were given up: look at View Queue Status, mend the cause, run Retry Failed."
        return Finding("Queue", ok=False, sentence=sentence)
    return Finding("Queue", ok=True, sentence=f"OK, {waiting} jobs in {desk.folder.queue_dir}.")


def _worker(desk: Desk) -> Finding:
    if not is_held(desk.folder.worker_lock):
        desk.wake_worker()
        return Finding("Worker", ok=False, sentence="None was running; one was started. Look again in a moment.")
    state = read_state(desk.folder.worker_state)
    if state.get("obstacle"):
        return Finding("Worker", ok=False, sentence=str(state["obstacle"]))
    return Finding("Worker", ok=True, sentence=f"OK, version {state.get('version', 'unknown')} is running.")


def _circuit(desk: Desk) -> Finding:
    counts = operations.count(desk.connection, desk.now())
    outage = outage_words(desk.folder, counts, desk.now())
    return Finding("Circuit", ok=outage is None, sentence=outage or recovery_words(desk.folder, desk.now()) or "OK.")


def _servers(desk: Desk) -> list[Finding]:
    session = read_session(desk.connection)
    if session is None:
        return [Finding("Stash", ok=False, sentence="Nobody has told us yet where it is. Edit any scene in Stash.")]
    if not PackageLoader(desk.folder).ready():
        return [Finding("Stash", ok=False, sentence="It cannot be asked before the packages are there.")]
    from tasks.server_health import check_servers  # noqa: PLC0415 - only now are its packages sure to be there

    return [Finding(*finding) for finding in check_servers(session, desk.folder)]
