"""The health check: every part that must work, OK or what to do."""

import os
import shutil
import sys
import time
from collections.abc import Iterator

from runtime.lock import is_held
from runtime.packages import PackageLoader
from runtime.path_veil import named
from runtime.version import VERSION
from stash.wire import Refusal
from sync_queue import operations
from sync_queue.session import read_session
from tasks.desk import Desk
from tasks.finding import Finding, ill, well
from tasks.ledger_desk import ledger_errors
from tasks.plex_standing import outage_words, recovery_words
from tasks.report import Report
from tasks.status import read_worker

LITTLE_SPACE = 100 * 1024 * 1024
START_SECONDS = 10.0
LOOK_SECONDS = 0.1


def health_check(desk: Desk) -> Report:
    findings: list[Finding] = []
    for finding in _examine(desk):
        findings.append(finding)
        desk.teller.say(f"{finding.part}: {finding.sentence}", ok=finding.ok)
    bad = sum(not finding.ok for finding in findings)
    sentence = f"All {len(findings)} parts are well." if not bad else f"{bad} of {len(findings)} parts need you."
    return Report(sentence, {"ok": not bad, "findings": [finding._asdict() for finding in findings]})


def _examine(desk: Desk) -> Iterator[Finding]:
    yield well("Python", f"{sys.version.split()[0]}; Stash2Plex {VERSION}.")
    yield _packages(desk)
    yield _folder(desk)
    yield _queue(desk)
    yield _dead_letters(desk)
    yield _worker(desk)
    yield _circuit(desk)
    yield from _servers(desk)


def _packages(desk: Desk) -> Finding:
    loader = PackageLoader(desk.folder)
    if loader.ready():
        return well("Packages")
    return ill("Packages", loader.problem() or "They are not installed yet; the worker installs them when it starts.")


def _folder(desk: Desk) -> Finding:
    root = desk.folder.root
    if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        return ill("Data folder", f"{root} cannot be written by this user; give it to the user Stash runs as.")
    free = shutil.disk_usage(root).free
    if free < LITTLE_SPACE:
        return ill("Data folder", f"Only {free // 1024**2} MB are free at {root}; free some space.")
    is_open = os.name == "posix" and bool(os.stat(root).st_mode & 0o077)
    others = "; others may look into the folder, not into its files" if is_open else ""
    return well("Data folder", f"{root}, {free // 1024**3} GB free{others}.")


def _queue(desk: Desk) -> Finding:
    counts = operations.count(desk.connection, desk.now())
    return well("Queue", f"{counts['due']} jobs due, {counts['later']} later, {counts['claimed']} being worked on.")


def _dead_letters(desk: Desk) -> Finding:
    dead = operations.count(desk.connection, desk.now())["dead"]
    if not dead:
        return well("Dead letters", "none.")
    return ill(
        "Dead letters", f"{dead} jobs were given up: look at View Queue Status, mend the cause, run Retry Failed."
    )


def _worker(desk: Desk) -> Finding:
    worker = read_worker(desk.folder)
    if not worker.alive:
        return _start_worker(desk)
    if worker.is_outdated:
        running = f"Version {worker.version}, begun {worker.started_at}, is older than the plugin's files."
        return ill("Worker", f"{running} It should be replaced within a minute; if not, end process {worker.pid}.")
    if worker.obstacle:
        return ill("Worker", f"{worker.obstacle} If you have mended that already, look again in a moment.")
    return well("Worker", f"version {worker.version} is running.")


def _start_worker(desk: Desk) -> Finding:
    """Start one and see it live: whoever has just installed the plugin has done nothing wrong."""
    desk.wake_worker()
    deadline = time.monotonic() + START_SECONDS
    while not is_held(desk.folder.worker_lock):
        if time.monotonic() > deadline:
            return ill(
                "Worker", f"None was running, and one that was started does not stay: see {desk.folder.worker_log}."
            )
        time.sleep(LOOK_SECONDS)
    return well("Worker", "none was running; one was started.")


def _circuit(desk: Desk) -> Finding:
    counts = operations.count(desk.connection, desk.now())
    if outage := outage_words(desk.folder, counts, desk.now()):
        return ill("Circuit", outage)
    return Finding("Circuit", ok=True, sentence=recovery_words(desk.folder, desk.now()) or "OK, closed.")


def _servers(desk: Desk) -> Iterator[Finding]:
    session = read_session(desk.connection)
    if session is None:
        yield ill("Stash", "Nobody has told us yet where it is. Edit any scene in Stash, or run a task there.")
        return
    if not PackageLoader(desk.folder).ready():
        yield ill("Stash", "It cannot be asked before the packages are there.")
        return
    from tasks.server_health import check_servers  # noqa: PLC0415 - only now are its packages sure to be there

    all_well = True
    for finding in check_servers(session, desk.folder):
        all_well = all_well and finding.ok
        yield finding
    if all_well:
        yield _coverage(desk)


def _coverage(desk: Desk) -> Finding:
    from tasks.coverage import measure  # noqa: PLC0415 - as above
    from tasks.plex_desk import open_plex_desk  # noqa: PLC0415 - as above

    try:
        with ledger_errors(desk), open_plex_desk(desk) as plex:
            measured = measure(plex)
    except Refusal as problem:
        return ill("Path map", str(problem))
    if measured.warning:
        return ill("Path map", f"{measured.warning}.")
    sample = f" Not found, for example: {', '.join(map(named, measured.missing[:3]))}." if measured.missing else ""
    return well("Path map", f"{measured}.{sample}")
