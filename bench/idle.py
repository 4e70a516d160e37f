"""What an idle worker costs: memory, and processor time over a minute.

Usage: python bench/idle.py [--seconds 60]

Starts a simulated Stash and the real worker, lets it come to rest, and reads /proc (Linux only).
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.support.promises import Promise, judge  # noqa: E402 - a script finds the project beside it
from runtime.folder import DataFolder  # noqa: E402
from runtime.launch import spawn_worker  # noqa: E402
from runtime.state_file import read_state  # noqa: E402
from sim.stash.simulator import SimStash  # noqa: E402
from sync_queue.manager import QueueManager  # noqa: E402
from sync_queue.session import Session  # noqa: E402

SETTLE_SECONDS = 5.0
MEMORY_LIMIT_MB = 60.0
PROCESSOR_LIMIT = 0.005


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def measure(seconds: float) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as config_dir, SimStash(scenes=10, config_dir=Path(config_dir)) as stash:
        stash.configure_plugin("Stash2Plex", {"plex_url": "http://127.0.0.1:32400", "plex_token": "bench-token"})
        folder = DataFolder.of_stash(config_dir)
        folder.make()
        queue = QueueManager(folder.queue_dir)
        queue.keep_session(
            Session("http", "127.0.0.1", stash.port, stash.login().removeprefix("session="), time.time())
        )
        queue.close()
        spawn_worker(folder)
        time.sleep(SETTLE_SECONDS)
        pid = read_state(folder.worker_state)["pid"]
        before = processor_seconds(pid)
        time.sleep(seconds)
        spent, memory = processor_seconds(pid) - before, resident_megabytes(pid)
        os.kill(pid, 15)
        time.sleep(1)
        return spent, memory


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    seconds = parser.parse_args().seconds
    spent, memory = measure(seconds)
    print(f"memory     {memory:6.1f} MB   limit {MEMORY_LIMIT_MB:.0f} MB")
    print(f"processor  {spent:6.2f} s in {seconds:.0f} s = {spent / seconds:.2%} of one core")
    promises = [
        Promise(f"idle: {memory:.0f} MB", f"at most {MEMORY_LIMIT_MB:.0f}", kept=memory <= MEMORY_LIMIT_MB),
        Promise(
            f"idle: {spent / seconds:.2%} of one core",
            f"at most {PROCESSOR_LIMIT:.1%}",
            kept=spent / seconds <= PROCESSOR_LIMIT,
        ),
    ]
    sys.exit(judge(promises))


if __name__ == "__main__":
    main()
