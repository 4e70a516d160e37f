"""One run of a plugin program: stdin in full, stdout to its end, then the exit; stderr as it comes."""

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from sim.stash.errors import OperationCancelled
from sim.stash.logs import LineTooLong, LogReader

POLL_SECONDS = 0.05
KILLED = -9
CHUNK = 65_536


@dataclass(frozen=True)
class Finished:
    stdout: bytes
    exit_code: int
    seconds: float


class PluginProcess:
    """Stash's side of the pipes. A child that inherits stdout keeps Stash waiting, as it really does."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str | None = None) -> None:
        self._started = time.monotonic()
        self._process = subprocess.Popen(  # noqa: S603 - running plugins is what a Stash does
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd
        )
        self._selector = selectors.DefaultSelector()
        self._stdout = bytearray()
        self._unsent = memoryview(b"")
        self._is_abandoned = False

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def abandon(self) -> None:
        """Let go of the pipes and leave the process to itself."""
        self._is_abandoned = True

    def kill(self) -> None:
        """SIGKILL to the process alone: its children live on, as they do under Stash."""
        self._process.kill()
        self._process.wait()

    def run(self, stdin: bytes, log: LogReader, cancelled: Callable[[], bool]) -> Finished:
        """Wait until stdout is closed and the process is gone; SIGKILL and raise when cancelled."""
        self._unsent = memoryview(stdin)
        try:
            self._watch()
            self._pump(log, cancelled)
            return Finished(bytes(self._stdout), self._wait(log, cancelled), time.monotonic() - self._started)
        finally:
            log.finish()
            self._close()

    def _watch(self) -> None:
        stdin, stdout, stderr = self._pipes()
        for pipe in (stdin, stdout, stderr):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(stdin, selectors.EVENT_WRITE)
        self._selector.register(stdout, selectors.EVENT_READ)
        self._selector.register(stderr, selectors.EVENT_READ)

    def _pump(self, log: LogReader, cancelled: Callable[[], bool]) -> None:
        stdout = self._pipes()[1]
        while not stdout.closed:
            self._step(log, POLL_SECONDS)
            self._stop_if(cancelled)

    def _wait(self, log: LogReader, cancelled: Callable[[], bool]) -> int:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self._process.wait(POLL_SECONDS)
                self._step(log, 0)
                return code
            self._step(log, 0)
            self._stop_if(cancelled)

    def _step(self, log: LogReader, timeout: float) -> None:
        stdin, stdout, _ = self._pipes()
        for key, _events in self._selector.select(timeout):
            if key.fileobj is stdin:
                self._feed(stdin)
            elif key.fileobj is stdout:
                self._take(stdout)
            else:
                self._listen(log)

    def _feed(self, stdin: IO[bytes]) -> None:
        try:
            sent = os.write(stdin.fileno(), self._unsent[:CHUNK]) if self._unsent else 0
        except BrokenPipeError:
            self._unsent = memoryview(b"")
            sent = 0
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._drop(stdin)

    def _take(self, stdout: IO[bytes]) -> None:
        data = os.read(stdout.fileno(), CHUNK)
        self._stdout += data
        if not data:
            self._drop(stdout)

    def _listen(self, log: LogReader) -> None:
        stderr = self._pipes()[2]
        try:
            while data := os.read(stderr.fileno(), CHUNK):
                log.feed(data)
        except BlockingIOError:
            return
        except LineTooLong:
            pass
        self._drop(stderr)

    def _stop_if(self, cancelled: Callable[[], bool]) -> None:
        if self._is_abandoned:
            raise OperationCancelled("the server went down")
        if cancelled():
            self.kill()
            raise OperationCancelled("operation cancelled")

    def _drop(self, pipe: IO[bytes]) -> None:
        self._selector.unregister(pipe)
        with contextlib.suppress(BrokenPipeError):
            pipe.close()

    def _close(self) -> None:
        self._selector.close()
        for pipe in self._pipes():
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self._process
        assert process.stdin
        assert process.stdout
        assert process.stderr
        return process.stdin, process.stdout, process.stderr
