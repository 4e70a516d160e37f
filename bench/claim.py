"""What taking a job costs: from a hundred, from a hundred thousand, after a hundred thousand.

Usage: python bench/claim.py
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.support.promises import Promise, judge  # noqa: E402 - a script finds the project beside it
from sync_queue.manager import QueueManager  # noqa: E402

SMALL, LARGE, TRIES = 100, 100_000, 200
RATIO_LIMIT = 2.0


def filled(folder: str, jobs: int) -> QueueManager:
    queue = QueueManager(folder)
    queue.enqueue("scene", list(range(1, jobs + 1)), "bench", 1.0, due_at=1.0)
    return queue


def claim_and_complete(queue: QueueManager) -> tuple[float, float]:
    claims: list[float] = []
    completes: list[float] = []
    for _ in range(TRIES):
        start = time.perf_counter()
        jobs = queue.claim(2.0, 1)
        claimed = time.perf_counter()
        queue.complete(jobs)
        claims.append(claimed - start)
        completes.append(time.perf_counter() - claimed)
        queue.enqueue("scene", [jobs[0].id], "bench", 1.0, due_at=1.0)
    return statistics.median(claims), statistics.median(completes)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        small, large = filled(f"{folder}/small", SMALL), filled(f"{folder}/large", LARGE)
        rows = {f"{SMALL} waiting": claim_and_complete(small), f"{LARGE} waiting": claim_and_complete(large)}
        start = time.perf_counter()
        while jobs := large.claim(2.0, 1000):
            large.complete(jobs)
        drained = time.perf_counter() - start
        large.enqueue("scene", list(range(1, SMALL + 1)), "bench", 1.0, due_at=1.0)
        rows[f"{SMALL} waiting, {LARGE} finished"] = claim_and_complete(large)
        small.close()
        large.close()
    base = rows[f"{SMALL} waiting"][0]
    print(f"{'queue':34} {'claim':>9} {'complete':>9} {'claim ratio':>12}")
    for name, (claim, complete) in rows.items():
        print(f"{name:34} {claim * 1e6:7.0f}us {complete * 1e6:7.0f}us {claim / base:11.2f}x")
    worst = max(claim for name, (claim, _) in rows.items() if name != f"{SMALL} waiting") / base
    print(f"draining {LARGE} in thousands: {drained:.1f} s")
    figure = f"taking a job from {LARGE:,} costs {worst:.2f} times one from {SMALL}"
    sys.exit(judge([Promise(figure, f"at most {RATIO_LIMIT}", kept=worst <= RATIO_LIMIT)]))


if __name__ == "__main__":
    main()
