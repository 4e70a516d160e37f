"""The hook against a bare interpreter: how long a person's Save waits for us.

Usage: python bench/hook.py [--runs 30]

Times the real hook process (JSON on stdin, answer read to its end, exit awaited) against `python -c pass` in the same
run, alternating, and prints medians, ratios and what the hook imports.
"""

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.promises import Promise, judge  # noqa: E402 - a script finds the project beside it
from runtime.folder import DataFolder  # noqa: E402
from runtime.lock import is_held  # noqa: E402

BULK = 200
HOOK = [sys.executable, str(ROOT / "Stash2Plex.py")]


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
def living_worker(config_dir: str) -> Iterator[None]:
    """Have the real worker live, waiting for a Stash that is not there, so that its work is not in the clock's way."""
    folder = DataFolder.of_stash(config_dir)
    timed(HOOK, hook_stdin(config_dir, [1]))
    while not is_held(folder.worker_lock) or not Path(folder.worker_state).exists():
        time.sleep(0.05)
    try:
        yield
    finally:
        end_worker(config_dir)


def end_worker(config_dir: str) -> None:
    subprocess.run(["/usr/bin/env", "pkill", "-f", f"worker --data-dir {config_dir}"], check=False)


def with_living_worker(ids: list[int], runs: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as config_dir, living_worker(config_dir):
        counter = iter(range(1, 10**9, len(ids)))
        return compare(lambda: timed(HOOK, hook_stdin(config_dir, [next(counter) + one - 1 for one in ids])), runs)


def with_worker_to_start(ids: list[int], runs: int) -> tuple[float, float]:
    def once() -> float:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as config_dir:
            seconds = timed(HOOK, hook_stdin(config_dir, ids))
            end_worker(config_dir)
            return seconds

    return compare(once, runs)


def compare(hook: Callable[[], float], runs: int) -> tuple[float, float]:
    """Alternate, so that whatever else the machine does meets both alike."""
    hook()  # compiles our modules
    pairs = [(timed([sys.executable, "-c", "pass"]), hook()) for _ in range(runs)]
    bare, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
    return bare, ours


def imports() -> list[str]:
    """Name the modules that a hook imports and a bare interpreter does not."""
    probe = "import sys; before = set(sys.modules); {body}; print(*sorted(set(sys.modules) - before))"
    body = f"sys.path.insert(0, {str(ROOT)!r}); import stash.wire, hooks.handlers"
    listed = subprocess.run([sys.executable, "-c", probe.format(body=body)], capture_output=True, text=True, check=True)
    return listed.stdout.split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    one, bulk = [1], list(range(1, BULK + 1))
    cases = {
        "one scene, living worker": (with_living_worker, one, 3.0),
        f"bulk of {BULK}, living worker": (with_living_worker, bulk, 3.0),
        "one scene, worker to start": (with_worker_to_start, one, 4.5),
        f"bulk of {BULK}, worker to start": (with_worker_to_start, bulk, 4.5),
    }
    promises: list[Promise] = []
    print(f"{'case':32} {'bare':>8} {'hook':>8} {'ratio':>6}  limit")
    for name, (measure, ids, limit) in cases.items():
        bare, ours = measure(ids, runs)
        print(f"{name:32} {bare * 1000:6.1f}ms {ours * 1000:6.1f}ms {ours / bare:5.2f}x  {limit}x")
        figure = f"hook, {name}: {ours / bare:.2f} bare interpreters"
        promises.append(Promise(figure, f"at most {limit}", kept=ours / bare <= limit))
    print("imports:", " ".join(imports()))
    sys.exit(judge(promises))


if __name__ == "__main__":
    main()
