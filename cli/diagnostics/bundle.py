"""The diagnostics bundle: a zip that helps others to see what is wrong and gives nothing away."""

from __future__ import annotations

import json
import os
import platform
import socket
import sqlite3
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from cli.diagnostics.scrubber import Scrubber
from model.targets import TARGETS
from model.user_error import UserError
from runtime.database import open_to_read
from runtime.folder import DataFolder
from runtime.packages import REQUIREMENTS, ROOT, PackageLoader, read_requirements
from runtime.privacy.path_pseudonyms import open_pseudonyms
from runtime.privacy.redaction import Redactor
from runtime.record import dataclass as record
from runtime.state_file import read_state
from runtime.version import VERSION
from sync_queue.session import Session
from tasks.answers import as_json
from tasks.arguments import OfTarget
from tasks.context import TaskContext, open_context
from tasks.health.check import health_check

if TYPE_CHECKING:
    from sync.context import TargetOpener  # loads packages that may have to be installed first

LOG_LINES = 1000
LOG_BYTES = 400_000
ABOUT = """What is wrong with an installation of Stash2Plex, for the person who is asked for help.

Left out or covered: tokens, keys and cookies; addresses and host names; titles and all other names; folders and files,
which appear as pseudonyms that only this installation can tell. A word that the plugin itself never says reads "…".
Look through it before you pass it on: every file is plain text.
"""


class _Silence:
    """Takes what the health check reports; its findings come with its answer."""

    def log(self, sentence: str, *, ok: bool = True) -> None:
        pass

    def progress(self, fraction: float) -> None:
        pass


@dataclass(frozen=True)
class _Known:
    """What must not be passed on, and the settings as far as they can be had."""

    settings: Mapping[str, Any]
    problems: tuple[str, ...]
    secrets: tuple[str, ...]
    hosts: frozenset[str]


@record(frozen=True, slots=True)
class BundleWritten:
    """Where the bundle is, and what is in it."""

    sentence: str
    path: str
    files: tuple[str, ...]


def run_diagnostics(folder: DataFolder, opening: Callable[[], TargetOpener], out: str | None = None) -> BundleWritten:
    """Write the bundle and say where it is. What cannot be had is in it as a sentence."""
    path = os.path.abspath(out or time.strftime("stash2plex-diagnostics-%Y%m%d-%H%M%S.zip"))
    sections: dict[str, Callable[[], object]] = {
        "versions.json": _versions,
        "state.json": lambda: _state(folder),
        "ledger.json": lambda: _ledger(folder),
        "worker.log": lambda: _tail(folder.worker_log),
        "worker.err": lambda: _tail(folder.worker_stderr),
    }
    try:
        with open_context(folder, None, _Silence(), opening) as context:
            known = _find_out(folder, context.queue.session())
            sections |= {"settings.json": lambda: _settings(known), "queue.json": lambda: _queue(context)}
            contents = _collect({**sections, "health.json": lambda: as_json(health_check(context, OfTarget()))})
    except UserError as error:
        known = _find_out(folder, None)
        contents = {**_collect(sections), "queue.json": {"problem": str(error)}}
    _write(path, _scrubbed(contents, _scrubber(folder, known)))
    sentence = f"{path} is written. Look through it before you pass it on."
    return BundleWritten(sentence, path, tuple(sorted(contents)))


def _collect(sections: Mapping[str, Callable[[], object]]) -> dict[str, object]:
    contents: dict[str, object] = {}
    for name, collect in sections.items():
        try:
            contents[name] = collect()
        except (UserError, OSError, sqlite3.Error) as problem:
            contents[name] = {"problem": f"{type(problem).__name__}: {problem}"}
    return contents


# --- what must not be passed on -----------------------------------------------------------------------------------


def _find_out(folder: DataFolder, session: Session | None) -> _Known:
    """Ask Stash for the settings; without it, the file and the environment must do."""
    of_session = (session.cookie, session.api_key) if session else ()
    host = session.host if session else ""
    if not PackageLoader(folder).ready():
        return _Known({}, ("The packages are missing, so the settings were not read.",), of_session, frozenset({host}))
    from cli.diagnostics.settings_shown import read_shown_settings  # noqa: PLC0415 - only now are its packages sure to be there

    shown = read_shown_settings(folder, session)
    return _Known(shown.values, shown.problems, (*of_session, *shown.secrets), frozenset({host, *shown.hosts}))


def _scrubber(folder: DataFolder, known: _Known) -> Scrubber:
    redactor = Redactor()
    redactor.learn(*known.secrets)
    places = {
        folder.root: "<data>",
        ROOT: "<plugin>",
        sys.prefix: "<python>",
        sys.base_prefix: "<python>",
        os.path.expanduser("~"): "<home>",
    }
    hosts = {*known.hosts, socket.gethostname(), os.environ.get("USER", ""), os.environ.get("USERNAME", "")}
    return Scrubber(
        redactor, open_pseudonyms(folder), {place: name for place, name in places.items() if len(place) > 1}, hosts
    )


# --- what is in it ------------------------------------------------------------------------------------------------


def _versions() -> dict[str, object]:
    packages: dict[str, str | None] = {}
    for requirement in read_requirements(REQUIREMENTS):
        try:
            packages[requirement.name] = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            packages[requirement.name] = None
    return {
        "Stash2Plex": VERSION,
        "Python": platform.python_version(),
        "implementation": sys.implementation.name,
        "SQLite": sqlite3.sqlite_version,
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "packages": packages,
    }


def _settings(known: _Known) -> dict[str, object]:
    return {"settings": known.settings, "problems": list(known.problems)}


def _queue(context: TaskContext) -> dict[str, object]:
    letters = context.queue.dead_letters.list(limit=1000)
    kinds = Counter(letter.kind for letter in letters)
    said = Counter(letter.sentence for letter in letters).most_common(50)
    return {
        "counts": as_json(context.counts()),
        "dead_letters": [{"kind": kind, "letters": count} for kind, count in kinds.most_common()],
        "said": [{"sentence": sentence, "letters": count} for sentence, count in said],
    }


def _ledger(folder: DataFolder) -> dict[str, object]:
    """Count what is recorded of each target."""
    ledgers = {target: folder.target(target).ledger for target in TARGETS}
    counts = {target: _ledger_counts(path) for target, path in ledgers.items() if os.path.exists(path)}
    return {**counts} if counts else {"problem": "Nothing was synced yet."}


def _ledger_counts(path: str) -> dict[str, object]:
    connection = open_to_read(path)
    try:
        states = connection.execute("SELECT state, count(*) FROM scene GROUP BY state").fetchall()
        tables = ("journal", "run", "picture", "pin")
        rows = {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}  # noqa: S608 - names of ours
    finally:
        connection.close()
    return {"scenes": dict(states), "rows": rows, "bytes": os.path.getsize(path)}


def _state(folder: DataFolder) -> dict[str, object]:
    targets = [folder.target(target) for target in TARGETS]
    of_targets = [path for one in targets for path in (one.circuit, one.recovery, one.stats)]
    files = (folder.worker_state, folder.targets_state, *of_targets, os.path.join(folder.root, "packages.json"))
    return {os.path.relpath(path, folder.root): read_state(path) for path in files if os.path.exists(path)}


def _tail(path: str) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - LOG_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return ""
    return "\n".join(lines[-LOG_LINES:])


# --- the file -------------------------------------------------------------------------------------------------------


def _scrubbed(contents: Mapping[str, object], scrubber: Scrubber) -> dict[str, str]:
    shown = {
        name: scrubber.text(content)
        if isinstance(content, str)
        else json.dumps(scrubber.data(content), indent=1, ensure_ascii=False)
        for name, content in contents.items()
    }
    # Numbers and names of packages; nothing in it is the person's.
    return {**shown, "versions.json": json.dumps(contents["versions.json"], indent=1), "about.txt": ABOUT}


def _write(path: str, files: Mapping[str, str]) -> None:
    """Write the zip, readable by its owner alone, and never over another file."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    except FileExistsError as error:
        raise UserError(f"{path} is there already; name another file with --out.") from error
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}. Name another file with --out.") from error
    with open(descriptor, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(files.items()):
            archive.writestr(name, text.encode("utf-8", "replace"))
