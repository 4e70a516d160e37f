"""The stub of Stash's web app, built once for each state of its sources."""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from ui.node import MODULES, UI, install, run

SHELL = UI / "shell"


def build_shell() -> Path:
    """The folder of the built shell; other processes may build at the same time."""
    install()
    digest = hashlib.sha256((UI / "package-lock.json").read_bytes())
    for file in sorted(SHELL.rglob("*")):
        if file.is_file():
            digest.update(file.read_bytes())
    built = MODULES / f".shell-{digest.hexdigest()[:16]}"
    if not built.exists():
        made = Path(tempfile.mkdtemp(dir=MODULES))
        run("shell/build.mjs", str(made))
        try:
            os.rename(made, built)
        except OSError:
            shutil.rmtree(made)  # another process was quicker
    return built
