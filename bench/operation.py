"""An operation against a bare interpreter: how long a page inside Stash waits for an answer that needs no Plex.

Usage: python bench/operation.py [--runs 30]

Times the real process as Stash starts it (JSON on stdin, answer read to its end, exit awaited) against `python -c pass`
in the same run, alternating, with a ledger of 10,000 scenes, and prints medians, ratios and the third-party packages
that are imported.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.hook import hook_command  # noqa: E402 - a script finds the project beside it
from bench.support.promises import Promise, judge  # noqa: E402
from ledger.states import SceneState  # noqa: E402
from ledger.store import Ledger  # noqa: E402
from runtime.folder import DataFolder  # noqa: E402
from runtime.lock import FileLock  # noqa: E402

SCENES = 10_000
LIMIT = 10.0  # all of it is the standard library and our own modules; a busy machine doubles it
LIMITS = {"status": 4.0}  # a page asks for it again and again
CASES = {
    "status": {"mode": "status"},
    "scenes, a page of 50": {"mode": "scenes", "state": "waiting"},
    "dead letters": {"mode": "dead_letters"},
    "journal": {"mode": "journal"},
    "task View Queue Status": {"mode": "queue_status"},
}


def request(config_dir: str, args: dict[str, str]) -> bytes:
    connection = {"Scheme": "http", "Host": "127.0.0.1", "Port": 9, "Dir": config_dir}
    return json.dumps({"server_connection": connection, "args": args}).encode()


def timed(command: list[str], stdin: bytes = b"") -> float:
    start = time.perf_counter()
    done = subprocess.run(command, input=stdin, capture_output=True, check=True)
    seconds = time.perf_counter() - start
    if stdin and not done.stdout.startswith(b'{"output": {'):
        sys.exit(f"it answered {done.stdout!r}")
    return seconds


def compare(stdin: bytes, runs: int) -> tuple[float, float]:
    """Alternate, so that whatever else the machine does meets both alike."""
    ours, bare = hook_command(sys.executable), [sys.executable, "-c", "pass"]
    timed(ours, stdin)  # compiles our modules
    pairs = [(timed(bare), timed(ours, stdin)) for _ in range(runs)]
    medians = [statistics.median(side) for side in zip(*pairs, strict=True)]
    return medians[0], medians[1]


def packages_of(stdin: bytes) -> list[str]:
    """Name the modules of site-packages that answering imports."""
    command = [sys.executable, "-X", "importtime", *hook_command(sys.executable)[1:]]
    done = subprocess.run(command, input=stdin, capture_output=True, check=True)
    named = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.decode().splitlines()}
    heavy = {"plexapi", "pydantic", "requests", "urllib3", "tenacity", "stashapi", "persistqueue", "rich"}
    return sorted(named & heavy)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    promises: list[Promise] = []
    with tempfile.TemporaryDirectory() as config_dir:
        folder = DataFolder.of_stash(config_dir)
        folder.make()
        ledger = Ledger(folder.target("plex").ledger)
        with ledger.writing():  # filling it is not what is timed
            for scene_id in range(1, SCENES + 1):
                ledger.scenes.record_state(scene_id, SceneState.WAITING, "Not in Plex yet.", 1.0)
        ledger.close()
        lock = FileLock(folder.worker_lock)  # as if a worker lived
        lock.acquire()
        print(f"{'case':26} {'bare':>8} {'ours':>8} {'ratio':>6}  limit  third-party packages")
        for name, args in CASES.items():
            stdin = request(config_dir, args)
            bare, ours = compare(stdin, runs)
            packages = packages_of(stdin)
            shown = " ".join(packages) or "none"
            figure = f"operation, {name}: {ours * 1000:.0f} ms, {ours / bare:.1f} bare interpreters, packages: {shown}"
            limit = LIMITS.get(name, LIMIT)
            promises.append(Promise(figure, f"at most {limit}, none", kept=ours / bare <= limit and not packages))
            print(f"{name:26} {bare * 1000:6.1f}ms {ours * 1000:6.1f}ms {ours / bare:5.2f}x  {limit}x  {shown}")
        lock.release()
    sys.exit(judge(promises))


if __name__ == "__main__":
    main()
