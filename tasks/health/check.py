"""The health check: every part that must work, OK or what to do."""

import os
import shutil
import sys
import time
from collections.abc import Iterator

from model.sentences import counted, quoted_path
from model.targets import TITLES
from model.user_error import UserError
from runtime.packages import INSTALLING, PackageLoader
from runtime.version import VERSION
from tasks.answers import Finding, Health
from tasks.arguments import OfTarget
from tasks.context import TaskContext
from tasks.servers import load_packages, open_target
from tasks.status.target_state import read_server
from tasks.status.worker_state import read_worker

LITTLE_SPACE = 100 * 1024 * 1024
START_SECONDS = 10.0
LOOK_SECONDS = 0.2
INSTALL_SECONDS = 30.0  # usually
INSTALL_PATIENCE_SECONDS = 120.0
LOOK_AGAIN = "Run Health Check again in a minute."


def passed(part: str, sentence: str = "", target: str | None = None) -> Finding:
    """A part is as it should be."""
    return Finding(target, part, ok=True, sentence=f"OK, {sentence}" if sentence else "OK.")


def failed(part: str, sentence: str, target: str | None = None) -> Finding:
    """A part needs a person; the sentence says what to do."""
    return Finding(target, part, ok=False, sentence=sentence)


def health_check(context: TaskContext, asked: OfTarget) -> Health:
    """Look at every part, reporting each as it is found."""
    findings: list[Finding] = []
    for finding in _examine(context, context.targets(asked.target)):
        findings.append(finding)
        place = f"{TITLES[finding.target]}: " if finding.target and len(context.targets(asked.target)) > 1 else ""
        context.reporter.log(f"{place}{finding.part}: {finding.sentence}", ok=finding.ok)
    bad = sum(not finding.ok for finding in findings)
    sentence = f"All {counted(len(findings), 'part')} are well."
    if bad:
        sentence = f"{bad} of {counted(len(findings), 'part')} {'needs' if bad == 1 else 'need'} you."
    return Health(not bad, sentence, tuple(findings))


def test_connection(context: TaskContext, asked: OfTarget) -> Health:
    """Ask Stash and the targets with the settings in force, and say of each whether it is well or what to do."""
    load_packages(context)
    from tasks.health.servers import check_servers  # noqa: PLC0415 - only now are its packages sure to be there

    targets = context.targets(asked.target)
    findings = tuple(check_servers(context, context.session(), targets, thorough=False))
    bad = [finding for finding in findings if not finding.ok]
    names = " and ".join(["Stash", *(TITLES[target] for target in targets)])
    good = f"{names} answer, and {'the token' if targets == ('plex',) else 'the keys'} may edit."
    return Health(not bad, f"{bad[0].part}: {bad[0].sentence}" if bad else good, findings)


def _examine(context: TaskContext, targets: tuple[str, ...]) -> Iterator[Finding]:
    yield passed("Python", f"{sys.version.split()[0]}; Stash2Plex {VERSION}.")
    yield _folder(context)
    yield _packages(context)
    yield from _queue(context)
    yield _worker(context)
    for target in targets:
        yield _sending(context, target)
    yield from _servers(context, targets)


def _packages(context: TaskContext) -> Finding:
    """Wait for a worker that is just installing them: who has just installed the plugin has done nothing wrong."""
    loader = PackageLoader(context.folder)
    if loader.ready():
        return passed("Packages")
    names = ", ".join(loader.missing())
    if context.is_worker_alive() and not loader.is_installing() and (problem := loader.problem()):
        return failed("Packages", problem)
    context.wake_worker()
    context.reporter.log(f"Packages: {INSTALLING} They are: {names}.")
    began = time.monotonic()
    while not loader.ready():
        waited = time.monotonic() - began
        if waited > START_SECONDS and not loader.is_installing():
            return failed(
                "Packages", loader.problem() or f"They are not installed ({names}): see {context.folder.worker_log}."
            )
        if waited > INSTALL_PATIENCE_SECONDS:
            return Finding(
                None, "Packages", ok=True, sentence=f"The worker still installs them ({names}). {LOOK_AGAIN}"
            )
        context.reporter.progress(min(waited / INSTALL_SECONDS, 0.9))
        time.sleep(LOOK_SECONDS)
    return passed("Packages", "installed just now.")


def _folder(context: TaskContext) -> Finding:
    root = context.folder.root
    if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        return failed("Data folder", f"{root} cannot be written by this user; give it to the user Stash runs as.")
    free = shutil.disk_usage(root).free
    if free < LITTLE_SPACE:
        return failed("Data folder", f"Only {free // 1024**2} MB are free at {root}; free some space.")
    is_open = os.name == "posix" and bool(os.stat(root).st_mode & 0o077)
    others = "; others may look into the folder, not into its files" if is_open else ""
    return passed("Data folder", f"{root}, {free // 1024**3} GB free{others}.")


def _queue(context: TaskContext) -> Iterator[Finding]:
    counts = context.counts()
    yield passed("Queue", f"{counted(counts.due, 'job')} due, {counts.later} later, {counts.claimed} being worked on.")
    if not counts.dead:
        yield passed("Given up", "nothing.")
    else:
        what = "look at View Queue Status, mend the cause, run Retry Failed."
        yield failed("Given up", f"{counted(counts.dead, 'job')}: {what}")


def _worker(context: TaskContext) -> Finding:
    state = read_worker(context.folder)
    worker = state.status
    if not worker.alive:
        return _start_worker(context)
    if worker.is_installing:
        return passed("Worker", "it is installing the packages.")
    if worker.is_outdated:
        running = f"Version {worker.version}, begun {worker.started_at}, is older than the plugin's files."
        return failed("Worker", f"{running} It should be replaced within a minute; if not, end process {worker.pid}.")
    if worker.obstacle:
        return failed("Worker", f"{worker.obstacle} If you have mended that already, look again in a moment.")
    if state.pictures:
        return failed("Worker", state.pictures)
    return passed("Worker", f"version {worker.version} is running.")


def _start_worker(context: TaskContext) -> Finding:
    """Start one and see it live."""
    context.wake_worker()
    deadline = time.monotonic() + START_SECONDS
    while not context.is_worker_alive():
        if time.monotonic() > deadline:
            return failed(
                "Worker", f"None was running, and one that was started does not stay: see {context.folder.worker_log}."
            )
        time.sleep(LOOK_SECONDS)
    return passed("Worker", "none was running; one was started.")


def _sending(context: TaskContext, target: str) -> Finding:
    counts = context.counts()
    server = read_server(context.folder.target(target), counts.waiting + counts.claimed, context.now(), target)
    if server.waiting:
        return failed("Sending", server.waiting, target)
    return Finding(target, "Sending", ok=True, sentence=server.recovering or f"OK, {TITLES[target]} is written to.")


def _servers(context: TaskContext, targets: tuple[str, ...]) -> Iterator[Finding]:
    session = context.queue.session()
    if session is None:
        yield failed("Stash", "The plugin does not know yet where it is. Edit any scene in Stash, or run a task there.")
        return
    if not PackageLoader(context.folder).ready():
        from tasks.health.first_look import look_without_packages  # noqa: PLC0415 - it builds on this module

        yield from look_without_packages(context, session, targets)
        return
    from tasks.health.servers import check_servers  # noqa: PLC0415 - only now are its packages sure to be there

    unwell: set[str | None] = set()
    for finding in check_servers(context, session, targets):
        unwell |= {finding.target} if not finding.ok else set()
        yield finding
    for target in targets:
        if None not in unwell and target not in unwell:
            yield _coverage(context, target)


def _coverage(context: TaskContext, target: str) -> Finding:
    from tasks.settings.servers import keep_coverage, measure  # noqa: PLC0415 - as above

    try:
        with open_target(context, target) as opened:
            measured, _, _ = measure(opened)
            keep_coverage(opened, measured, context.now())
    except UserError as problem:
        return failed("Path map", str(problem), target)
    if measured.warning:
        return failed("Path map", f"{measured.warning}.", target)
    sample = ", ".join(map(quoted_path, measured.missing[:3]))
    missing = f" Not found, for example: {sample}." if measured.missing else ""
    return passed("Path map", f"{measured}.{missing}", target)
