"""All benchmarks one after the other, and all their promises in one table.

    python bench/all.py [--keep]        --keep: into docs/performance.md, with machine, date and commit

Takes about three quarters of an hour, and wants the machine for itself.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS: tuple[tuple[str, ...], ...] = (
    ("rooms.py",),
    ("hook.py",),
    ("save.py",),
    ("operation.py",),
    ("idle.py",),
    ("claim.py",),
    ("index.py",),
    ("sync.py", "5000", "20000", "50000"),
    ("sync.py", "--target", "jellyfin"),
    ("sync.py", "--target", "emby"),
    ("targets.py",),
    ("ledger.py",),
    ("sweep.py",),
    ("intake.py",),
)
PAGE = ROOT / "docs" / "performance.md"


@dataclass(frozen=True, slots=True)
class Run:
    """One benchmark, as it ended."""

    name: str
    output: str
    code: int
    seconds: float

    @property
    def verdicts(self) -> list[str]:
        return [line for line in self.output.splitlines() if line.startswith(("kept  ", "BROKEN"))]

    @property
    def is_kept(self) -> bool:
        return self.code == 0 and bool(self.verdicts)


def run(name: str, arguments: tuple[str, ...]) -> Run:
    print(f"== {name} {' '.join(arguments)}", flush=True)
    started = time.perf_counter()
    command = [sys.executable, str(ROOT / "bench" / name), *arguments]
    lines: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return Run(name, "".join(lines), process.returncode, time.perf_counter() - started)


def table(runs: list[Run]) -> str:
    rows = ["| benchmark | figure | |", "|---|---|---|"]
    for one in runs:
        rows += [f"| {one.name} | {line[7:]} | {line[:6].strip()} |" for line in one.verdicts]
        if not one.verdicts:
            rows.append(f"| {one.name} | it ended with {one.code} and no figure | BROKEN |")
    return "\n".join(rows)


def machine() -> str:
    names = {line.partition(":")[2].strip() for line in _cpu_lines() if line.startswith("model name")}
    processor = ", ".join(sorted(names)) or platform.machine()
    return f"{os.cpu_count()} cores ({processor}), {platform.system()}, Python {platform.python_version()}"


def _cpu_lines() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def page(runs: list[Run]) -> str:
    told = "\n\n".join(f"### {one.name} ({one.seconds:.0f} s)\n\n```\n{one.output.strip()}\n```" for one in runs)
    return f"""# Performance

Measured by `make bench` on {datetime.now(UTC):%Y-%m-%d}: {machine()}.
Simulated servers on the same machine; times are worth as much as the machine is, so most promises are ratios or counts.

{table(runs)}

## As they were printed

{told}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    asked = parser.parse_args()
    runs = [run(name, tuple(arguments)) for name, *arguments in BENCHMARKS]
    print(f"\n{table(runs)}")
    if asked.keep:
        PAGE.write_text(page(runs), encoding="utf-8")
    sys.exit(0 if all(one.is_kept for one in runs) else 1)


if __name__ == "__main__":
    main()
