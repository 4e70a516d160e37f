"""A plugin that says what a test wants it to say, in the place of the plugin's process."""

import threading
import time
from collections.abc import Callable
from typing import Any

from sim.stash.shell.front import PluginError

Answer = dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any]]
POLL_SECONDS = 0.02


class ScriptedPlugin:
    """Answers by mode. A mode without an answer is an error of the test, and shown as one on the page."""

    def __init__(self, answers: dict[str, Answer], version: str) -> None:
        self.answers = dict(answers)
        self.version = version
        self.api = 2
        self.calls: list[dict[str, Any]] = []
        self.tasks: list[dict[str, Any]] = []
        self.errors: dict[str, str] = {}
        self.on_task: Callable[[dict[str, Any]], None] | None = None
        self.seconds: dict[str, float] = {}
        self.abandoned: list[str] = []
        self._under_way = 0
        self._lock = threading.Lock()
        self.most_at_once = 0

    def answer(self, args: dict[str, Any], has_left: Callable[[], bool]) -> dict[str, Any]:
        mode = args["mode"]
        with self._lock:
            self.calls.append(args)
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            self._wait(mode, has_left)
            return self._say(mode, args)
        finally:
            with self._lock:
                self._under_way -= 1

    def _wait(self, mode: str, has_left: Callable[[], bool]) -> None:
        until = time.monotonic() + self.seconds.get(mode, 0.0)
        while time.monotonic() < until:
            if has_left():
                self.abandoned.append(mode)
                return
            time.sleep(POLL_SECONDS)

    def _say(self, mode: str, args: dict[str, Any]) -> dict[str, Any]:
        if mode in self.errors:
            raise PluginError(self.errors[mode])
        if mode not in self.answers:
            raise PluginError(f"The test has no answer for {mode}.")
        found = self.answers[mode]
        told = found(args) if callable(found) else found
        return {"api": self.api, "version": self.version, **told}

    def queue(self, args: dict[str, Any]) -> str:
        self.tasks.append(args)
        if self.on_task:
            self.on_task(args)
        return str(len(self.tasks))

    def asked(self, mode: str) -> list[dict[str, Any]]:
        return [
            {key: value for key, value in call.items() if key != "mode"} for call in self.calls if call["mode"] == mode
        ]
