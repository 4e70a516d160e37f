"""A small JSON state file: written whole or not at all, read as nothing when it is damaged."""

import contextlib
import json
import os
from collections.abc import Generator, Mapping
from typing import IO, Any, cast

END_OF_TIME = 2.5e11  # the year 9892; nan is not below it


def write_state(path: str, state: dict[str, Any]) -> None:
    """Replace the file's content. A power cut leaves the old state or the new one."""
    with replacing(path) as file:
        json.dump(state, file, indent=1)


@contextlib.contextmanager
def replacing(path: str) -> Generator[IO[str]]:
    """Give a file, its owner's alone, that takes the place of the one at `path` when all is written."""
    beside = f"{path}.{os.getpid()}.new"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:  # a full disk, or whatever else: half a file helps nobody
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def remove_state(path: str) -> None:
    """Take the file away, if there is one."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def read_text(path: str) -> str:
    """Return what a person wrote into a file; nothing if there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def read_state(path: str) -> dict[str, Any]:
    """Return the state, or an empty one if there is no file, or none that makes sense."""
    try:
        with open(path, encoding="utf-8") as file:
            state = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", state) if isinstance(state, dict) else {}


def number_in(state: Mapping[str, Any], name: str, default: float = 0.0) -> float:
    """Return a number of a state that anybody may have written: one that can be a moment, or the default."""
    value = state.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return float(value) if 0 <= value < END_OF_TIME else default


def text_in(state: Mapping[str, Any], name: str) -> str:
    value = state.get(name)
    return value if isinstance(value, str) else ""
