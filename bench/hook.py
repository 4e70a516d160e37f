"""The hook against a bare interpreter: how long a person's Save waits for us.

Usage: python bench/hook.py [--runs 30]

Times the real hook process, started by the command in Stash2Plex.yml (JSON on stdin, answer read to its end, exit
awaited), against a bare interpreter in the same run, alternating, and prints medians, ratios and what the hook imports.
A bare interpreter is `python -c pass` as a person types it: with the site packages of this environment. That is also
what the hook is measured against that runs in a bloated environment.
"""

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Callable, Generator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.support.promises import Promise, judge  # noqa: E402 - a script finds the project beside it
from model.targets import PLEX, TARGETS  # noqa: E402
from runtime.folder import DataFolder  # noqa: E402
from runtime.lock import is_held  # noqa: E402
from runtime.state_file import read_state  # noqa: E402
from sim.stash.plugins.command import Plugin, command  # noqa: E402
from sim.stash.plugins.manifest import load_manifest  # noqa: E402
from sync_queue.manager import QueueManager  # noqa: E402

BULK = 200
PATIENCE_SECONDS = 60.0
BARE = [sys.executable, "-c", "pass"]
PTH_FILES = 30
EDITABLE_FINDER = """
from __future__ import annotations
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.machinery import all_suffixes as module_suffixes
from importlib.util import spec_from_file_location
from itertools import chain
from pathlib import Path
"""


def hook_command(python: str) -> list[str]:
    return command(Plugin(load_manifest(ROOT / "Stash2Plex.yml"), ROOT, python), ())


def bloated_python(folder: Path) -> str:
    """Make a venv with as many packages as a developer's, installed as editable; return its Python."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib"))  # what the worker needs
    for number in range(PTH_FILES):
        (packages / f"__editable__.package{number}.pth").write_text(f"import __editable___package{number}_finder\n")
        (packages / f"__editable___package{number}_finder.py").write_text(EDITABLE_FINDER)
    return str(folder / "bin" / "python")


def hook_stdin(config_dir: str, ids: list[int]) -> bytes:
    sent = {"ids": [str(one) for one in ids], "rating100": 60}
    context = {"id": ids[0], "type": "Scene.Update.Post", "input": sent, "inputFields": ["ids", "rating100"]}
    cookie = {"Name": "session", "Value": "c2Vzc2lvbg=="}
    connection = {"Scheme": "http", "Host": "127.0.0.1", "Port": 9, "SessionCookie": cookie, "Dir": config_dir}
    return json.dumps({"server_connection": connection, "args": {"mode": "hook", "hookContext": context}}).encode()


def timed(command: list[str], stdin: bytes = b"") -> float:
    start = time.perf_counter()
    done = subprocess.run(command, input=stdin, capture_output=True, check=True)
    seconds = time.perf_counter() - start
    if stdin and not done.stdout.startswith(b'{"output": "ok'):
        sys.exit(f"the hook answered {done.stdout!r}")
    return seconds


@contextlib.contextmanager
def living_worker(hook: list[str], config_dir: str, targets: tuple[str, ...]) -> Generator[None]:
    """Have the real worker live, waiting for a Stash that is not there, so that its work is not in the clock's way."""
    folder = DataFolder.of_stash(config_dir)
    folder.make()
    with contextlib.closing(QueueManager(folder.queue_dir)) as queue:
        queue.keep_targets(targets)
    timed(hook, hook_stdin(config_dir, [1]))
    worker_pid(folder)
    try:
        yield
    finally:
        end_worker(folder)


def worker_pid(folder: DataFolder) -> int:
    """Wait for the worker that a hook has started."""
    deadline = time.perf_counter() + PATIENCE_SECONDS
    while time.perf_counter() < deadline:
        pid = read_state(folder.worker_state).get("pid")
        if isinstance(pid, int) and is_held(folder.worker_lock):
            return pid
        time.sleep(0.05)
    sys.exit("no worker has started")


def end_worker(folder: DataFolder) -> None:
    os.kill(worker_pid(folder), signal.SIGTERM)
    while is_held(folder.worker_lock):
        time.sleep(0.05)


def with_living_worker(
    hook: list[str], ids: list[int], runs: int, targets: tuple[str, ...] = (PLEX,)
) -> tuple[float, float]:
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as config_dir,
        living_worker(hook, config_dir, targets),
    ):
        counter = iter(range(1, 10**9, len(ids)))
        return compare(lambda: timed(hook, hook_stdin(config_dir, [next(counter) + one - 1 for one in ids])), runs)


def with_three_targets(hook: list[str], ids: list[int], runs: int) -> tuple[float, float]:
    return with_living_worker(hook, ids, runs, TARGETS)


def with_worker_to_start(hook: list[str], ids: list[int], runs: int) -> tuple[float, float]:
    def once() -> float:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as config_dir:
            seconds = timed(hook, hook_stdin(config_dir, ids))
            end_worker(DataFolder.of_stash(config_dir))
            return seconds

    return compare(once, runs)


def compare(hook: Callable[[], float], runs: int) -> tuple[float, float]:
    """Alternate, so that whatever else the machine does meets both alike."""
    hook()  # compiles our modules
    pairs = [(timed(BARE), hook()) for _ in range(runs)]
    bare, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
    return bare, ours


def imports() -> list[str]:
    """Name the modules that a hook imports and a bare interpreter does not."""
    probe = "import sys; before = set(sys.modules); {body}; print(*sorted(set(sys.modules) - before))"
    body = f"sys.path.insert(0, {str(ROOT)!r}); import stash.wire, hooks.handlers"
    options = hook_command(sys.executable)[1:-1]
    command = [sys.executable, *options, "-c", probe.format(body=body)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    return listed.stdout.split()


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(judge(measure(bloated_python(Path(folder) / "venv"), runs)))


def measure(bloated: str, runs: int) -> list[Promise]:
    plain, bloat = hook_command(sys.executable), hook_command(bloated)
    one, bulk = [1], list(range(1, BULK + 1))
    cases = {
        "one scene": (with_living_worker, plain, one, 1.6),
        f"bulk of {BULK}": (with_living_worker, plain, bulk, 1.6),
        f"one scene, {PTH_FILES} .pth files": (with_living_worker, bloat, one, 1.6),
        f"bulk of {BULK}, {PTH_FILES} .pth files": (with_living_worker, bloat, bulk, 1.6),
        "one scene, three targets": (with_three_targets, plain, one, 1.8),
        f"bulk of {BULK}, three targets": (with_three_targets, plain, bulk, 1.8),
        f"one scene, three targets, {PTH_FILES} .pth files": (with_three_targets, bloat, one, 1.8),
        "one scene, worker to start": (with_worker_to_start, plain, one, 3.5),
        f"bulk of {BULK}, worker to start": (with_worker_to_start, plain, bulk, 3.5),
    }
    promises: list[Promise] = []
    print(f"{'case':42} {'bare':>8} {'hook':>8} {'ratio':>6}  limit")
    for name, (way, hook, ids, limit) in cases.items():
        bare, ours = way(hook, ids, runs)
        print(f"{name:42} {bare * 1000:6.1f}ms {ours * 1000:6.1f}ms {ours / bare:5.2f}x  {limit}x")
        figure = f"hook, {name}: {ours / bare:.2f} bare interpreters"
        promises.append(Promise(figure, f"at most {limit}", kept=ours / bare <= limit))
    bare, there = compare(lambda: timed([bloated, "-c", "pass"]), runs)
    print(f"an interpreter that reads the {PTH_FILES} .pth files: {there * 1000:.1f}ms, {there / bare:.2f}x")
    print("imports:", " ".join(imports()))
    return promises


if __name__ == "__main__":
    main()
