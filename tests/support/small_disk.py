"""A disk of its own, small enough to be filled: needs the right to mount."""

import contextlib
import os
import subprocess

import pytest


@contextlib.contextmanager
def small_disk(folder, *, size="16m"):
    """Mount a small disk there, or skip the test."""
    folder.mkdir(exist_ok=True)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder):
    """Leave not a byte; return the file to remove."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 1024, 1):
            with contextlib.suppress(OSError):
                while True:
                    os.write(file.fileno(), b"x" * size)
    return filler
