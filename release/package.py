"""Builds a Stash plugin source from the last commit: the plugin's zip and the index that Stash reads.

Same commit, same bytes: contents come from git and not from the working tree, times are the commit's, and nothing is
compressed, because what a compressor makes of a file changes with its version.
"""

import argparse
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUGIN_ID = "Stash2Plex"
MANIFEST = f"{PLUGIN_ID}.yml"
DATE_FORMAT = "%Y-%m-%d %H:%M:%S"  # Stash's own; always UTC, and the only thing it tells an update by

SHIPPED_FILES = frozenset(
    {
        "Stash2Plex.py",
        MANIFEST,
        "requirements.txt",
        "requirements-postgres.txt",
        "requirements-watch.txt",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "LICENSE",
    }
)
NOT_SHIPPED = frozenset({"sim"})  # the demo is a command of a clone
SHIPPED_FOLDERS = ("ui/dist/", "docs/")  # the built page, not its sources; what the README leads to


class CannotBuild(Exception):
    """There is nothing to publish; the text says why."""


@dataclass(frozen=True)
class Commit:
    """What is published: its name, its moment, its files."""

    name: str
    made_at: datetime
    files: Mapping[str, bytes]


def read_commit(root: str) -> Commit:
    """Read the files users need from the last commit."""
    name, seconds = _git(root, "log", "-1", "--format=%H %ct").decode().split()
    archive = _git(root, "-c", "core.autocrlf=false", "archive", "--format=tar", "HEAD")
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        files = {one.name: tar.extractfile(one) for one in tar.getmembers() if one.isfile()}
        contents = {path: file.read() for path, file in files.items() if file is not None}
    shipped = {path: contents[path] for path in sorted(contents) if _is_shipped(path, contents)}
    return Commit(name, datetime.fromtimestamp(int(seconds), UTC), shipped)


def _is_shipped(path: str, contents: Mapping[str, bytes]) -> bool:
    """Tell whether users need a file: those named above, and the modules of every package of ours."""
    package = path.partition("/")[0]
    is_module = path.endswith(".py") and f"{package}/__init__.py" in contents
    return path in SHIPPED_FILES or path.startswith(SHIPPED_FOLDERS) or (is_module and package not in NOT_SHIPPED)


def make_zip(commit: Commit) -> bytes:
    """Pack the files as Stash unpacks them: paths from the plugin's own folder, no folders, the times the commit's."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path, content in commit.files.items():
            entry = zipfile.ZipInfo(path, commit.made_at.timetuple()[:6])
            entry.create_system = 3  # Unix, wherever this runs
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def make_index(commit: Commit, archive: bytes) -> str:
    """Write the source's index: one package. A JSON text is a YAML text, however awkward its characters."""
    manifest = commit.files[MANIFEST].decode()
    rows = {
        "name": _line_of("name", manifest),
        "version": f"{_line_of('version', manifest)}-{commit.name[:7]}",
        "date": commit.made_at.strftime(DATE_FORMAT),
        "path": f"{PLUGIN_ID}.zip",
        "sha256": hashlib.sha256(archive).hexdigest(),
    }
    lines = [f"- id: {PLUGIN_ID}", *(f"  {key}: {json.dumps(value)}" for key, value in rows.items())]
    description = json.dumps(_line_of("description", manifest))
    return "\n".join([*lines, "  metadata:", f"    description: {description}"]) + "\n"


def _line_of(key: str, manifest: str) -> str:
    found = re.search(rf"^{key}: (.+)$", manifest, re.MULTILINE)
    if found is None:
        raise CannotBuild(f"{MANIFEST} has no line '{key}: …'.")
    return found.group(1).strip()


def publish(commit: Commit, folder: str) -> None:
    """Fill an empty folder, or one that only an earlier build has filled."""
    archive = make_zip(commit)
    built = {f"{PLUGIN_ID}.zip": archive, "index.yml": make_index(commit, archive).encode()}
    os.makedirs(folder, exist_ok=True)
    if strangers := sorted(set(os.listdir(folder)) - set(built)):
        raise CannotBuild(f"{folder} holds {strangers[0]}, which no build has put there; name an empty folder.")
    for name, content in built.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def _git(root: str, *arguments: str) -> bytes:
    try:
        return subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True).stdout
    except FileNotFoundError as error:
        raise CannotBuild("git is not installed; the package is made from a commit.") from error
    except subprocess.CalledProcessError as error:
        raise CannotBuild(f"git {arguments[0]} failed: {error.stderr.decode(errors='replace').strip()}") from error


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=os.path.join(ROOT, "dist"), help="where to (default: dist)")
    folder = parser.parse_args().folder
    try:
        if _git(ROOT, "status", "--porcelain", "--untracked-files=no"):
            print("There are changes that are not committed; they are not in the package.", file=sys.stderr)
        commit = read_commit(ROOT)
        publish(commit, folder)
    except CannotBuild as problem:
        print(problem, file=sys.stderr)
        return 1
    moment = commit.made_at.strftime(DATE_FORMAT)
    print(f"{os.path.relpath(folder)}: {len(commit.files)} files of commit {commit.name[:7]}, {moment} UTC.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
