"""The end of the worker's log, and what is added to it, across its rotations."""

import os
import time
from collections.abc import Generator

from model.user_error import UserError

BLOCK = 64 * 1024
LOOK_SECONDS = 0.5


def last_lines(path: str, count: int) -> list[str]:
    """Read the last lines from the file's end, however long it is."""
    try:
        with open(path, "rb") as file:
            position, found = file.seek(0, os.SEEK_END), b""
            while position > 0 and found.count(b"\n") <= count:
                size = min(BLOCK, position)
                position -= size
                file.seek(position)
                found = file.read(size) + found
    except FileNotFoundError as error:
        raise UserError(
            f"There is no log at {path} yet: no worker has run. Edit a scene in Stash to start one."
        ) from error
    return found.decode("utf-8", "replace").splitlines()[-count:]


def follow(path: str) -> Generator[str]:
    """Give the lines that are added from now on; when the log is rotated, go on with the new file."""
    file = open(path, encoding="utf-8", errors="replace")  # noqa: SIM115 - it is replaced on the way
    try:
        file.seek(0, os.SEEK_END)
        while True:
            if line := file.readline():
                yield line.rstrip("\n")
            elif _is_replaced(path, file.fileno()):
                file.close()
                file = open(path, encoding="utf-8", errors="replace")  # noqa: SIM115 - as above
            else:
                time.sleep(LOOK_SECONDS)
    finally:
        file.close()


def _is_replaced(path: str, descriptor: int) -> bool:
    try:
        return not os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:  # between the two steps of a rotation
        return False
