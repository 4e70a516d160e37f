"""A disk of its own, small enough to be filled. A test that has one is marked `mounts`: that takes the right to."""

import contextlib
import os
import subprocess


@contextlib.contextmanager
def small_disk(folder, *, size="16m"):
    """Mount a small disk there."""
    folder.mkdir(exist_ok=True)
    made = _run("mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(folder))
    assert made, "no disk can be mounted here: is the test marked `mounts`, and may this machine's root mount?"
    try:
        yield folder
    finally:
        assert _run("umount", "-l", str(folder))


def remount(folder, how):
    """Give a small disk another size, or make it read-only; say whether that was possible: somebody may be writing."""
    # All is named: what it would look up of the disk holds a user's number that a namespace does not know.
    return _run("mount", "-t", "tmpfs", "-o", f"remount,{how}", "tmpfs", str(folder))


def _run(*command):
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def fill(folder):
    """Leave not a byte; return the file to remove."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 1024, 1):
            with contextlib.suppress(OSError):
                while True:
                    os.write(file.fileno(), b"x" * size)
    return filler
