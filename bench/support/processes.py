"""Benchmarks in several processes: a script plays one role in each, steered over stdin."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import IO, Any, Self

Figures = dict[str, Any]


def peak_megabytes() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


class Child:
    """A role of the running script in a process of its own; each line it is told is answered by one."""

    def __init__(self, role: str, *arguments: str) -> None:
        command = [sys.executable, os.path.abspath(sys.argv[0]), "--role", role, *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _pipe(self._process.stdin).close()
        self._process.wait(60)
        _pipe(self._process.stdout).close()

    def tell(self, *words: Any) -> Any:
        stdin, stdout = _pipe(self._process.stdin), _pipe(self._process.stdout)
        stdin.write(json.dumps(words) + "\n")
        stdin.flush()
        answer = stdout.readline()
        if not answer:
            raise SystemExit("a child of the benchmark has died")
        return json.loads(answer)


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


def serve(answer: Callable[..., Any]) -> None:
    """Answer each line of stdin until it ends."""
    for line in sys.stdin:
        print(json.dumps(answer(*json.loads(line))), flush=True)


def timed(run: Callable[..., Figures | None]) -> Callable[..., Figures]:
    """Time each run; what figures it gives itself are added."""

    def answer(*words: Any) -> Figures:
        started, started_cpu = time.perf_counter(), time.process_time()
        figures = run(*words) or {}
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - started_cpu
        return {"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mb": peak_megabytes(), **figures}

    return answer
