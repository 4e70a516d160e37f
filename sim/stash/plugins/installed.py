"""Installed plugins and how Stash runs them: in line, one after another, without a time limit."""

import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.stash.caller import Caller
from sim.stash.errors import OperationCancelled, PluginNotLoaded, ResolverError
from sim.stash.logs import LogEntry, LogReader
from sim.stash.plugins.command import Plugin, command, environment
from sim.stash.plugins.hook_event import HookEvent
from sim.stash.plugins.manifest import Task, load_manifest
from sim.stash.plugins.output import PluginOutput, read_output
from sim.stash.plugins.process import KILLED, Finished, PluginProcess
from sim.stash.settings import Settings
from sim.stash.web.sessions import Session, SessionStore, go_cookie

MAX_HOOK_DEPTH = 10


@dataclass(frozen=True)
class HookRun:
    plugin: str
    type: str
    id: int
    seconds: float
    stdout: bytes
    exit_code: int


class Progress:
    """Where a task's progress lines go."""

    def __init__(self) -> None:
        self.value: float | None = None


class PluginHost:
    def __init__(self, settings: Settings, sessions: SessionStore) -> None:
        self._settings = settings
        self._sessions = sessions
        self._processes: set[PluginProcess] = set()
        self.installed: dict[str, Plugin] = {}
        self.logs: list[LogEntry] = []
        self.hook_runs: list[HookRun] = []

    def install(self, folder: Path, plugin_id: str, python: str = sys.executable) -> Plugin:
        """Read `<plugin_id>.yml`; a manifest Stash would refuse is logged and raises PluginNotLoaded."""
        path = folder / f"{plugin_id}.yml"
        try:
            plugin = Plugin(load_manifest(path), folder, python)
        except PluginNotLoaded as error:
            self.log("error", f"Error loading plugin {path}: {error}")
            raise
        self.installed[plugin_id] = plugin
        return plugin

    def reload(self) -> None:
        """Read every manifest anew; one that has become unreadable takes its plugin away."""
        for plugin_id, plugin in list(self.installed.items()):
            del self.installed[plugin_id]
            with contextlib.suppress(PluginNotLoaded):
                self.install(plugin.folder, plugin_id, plugin.python)

    def log(self, level: str, text: str) -> None:
        self.logs.append(LogEntry(level, text))

    def is_enabled(self, plugin_id: str) -> bool:
        return plugin_id not in self._settings.disabled_plugins

    def abandon(self) -> None:
        """What a dying Stash leaves behind: its plugins run on, with nobody at the other end of their pipes."""
        for process in list(self._processes):
            process.abandon()

    def close(self) -> None:
        """Kill whatever still runs."""
        for process in list(self._processes):
            process.kill()
            self._processes.discard(process)

    def run_hooks(self, caller: Caller, event: HookEvent) -> None:
        """Run every hook for the event and wait for each; raise OperationCancelled when the client left."""
        for plugin, hook in self._hooks_for(event):
            key = f"{plugin.manifest.id}.{event.type}"
            if caller.visited[key] >= MAX_HOOK_DEPTH:
                self.log("debug", f"plugin ID '{plugin.manifest.id}' already triggered, not re-triggering")
                continue
            deeper = Caller(caller.user, caller.visited + Counter([key]), caller.gone)
            try:
                self._run_hook(plugin, hook, deeper, event)
            except OSError as error:
                # A plugin that cannot be started costs all later plugins their hooks.
                self.log("error", f"error executing post hooks: {error}")
                return

    def _hooks_for(self, event: HookEvent) -> Iterator[tuple[Plugin, Task]]:
        for plugin in list(self.installed.values()):
            if self.is_enabled(plugin.manifest.id):
                yield from ((plugin, hook) for hook in plugin.manifest.hooks if event.type in hook.triggered_by)

    def _run_hook(self, plugin: Plugin, hook: Task, caller: Caller, event: HookEvent) -> None:
        args = {**hook.default_args, "hookContext": event.context()}
        started = time.monotonic()
        try:
            done = self._run(plugin, hook.exec_args, args, caller)
        except OperationCancelled as error:
            self._record(plugin, event, Finished(b"", KILLED, time.monotonic() - started))
            self.log("error", f"error executing post hooks: {error}")
            raise
        self._record(plugin, event, done)
        self._log_hook(f"{event.type} [{plugin.manifest.name}]", read_output(done.stdout, done.exit_code))

    def _record(self, plugin: Plugin, event: HookEvent, done: Finished) -> None:
        run = HookRun(plugin.manifest.id, event.type, event.id, done.seconds, done.stdout, done.exit_code)
        self.hook_runs.append(run)

    def _log_hook(self, name: str, result: PluginOutput) -> None:
        if result.error is not None:
            self.log("error", f"{name}: returned error: {result.error}")
        elif result.output is not None:
            self.log("debug", f"{name}: returned: {result.output}")

    def run_operation(self, caller: Caller, plugin_id: str, args: Mapping[str, Any]) -> Any:
        """At once, outside the job queue; the arguments arrive exactly as they were given."""
        plugin = self.installed.get(plugin_id)
        if plugin is None:
            raise ResolverError("Internal system error")
        if not self.is_enabled(plugin_id):
            raise ResolverError("plugin is disabled")
        done = self._run(plugin, (), args, caller)
        result = read_output(done.stdout, done.exit_code)
        if result.error is not None:
            raise ResolverError(result.error)
        return result.output

    def run_task(
        self, caller: Caller, plugin_id: str, task_name: str | None, args: Mapping[str, Any], progress: Progress
    ) -> None:
        """Raises ResolverError if there is nothing to run; what the plugin itself answers only reaches the log."""
        plugin, task = self._task(plugin_id, task_name)
        defaults = task.default_args if task else {}
        extra = task.exec_args if task else ()
        try:
            done = self._run(plugin, extra, {**defaults, **args}, caller, progress)
        except OSError as error:
            raise ResolverError(str(error)) from error
        self._log_task(read_output(done.stdout, done.exit_code))

    def _task(self, plugin_id: str, task_name: str | None) -> tuple[Plugin, Task | None]:
        if not self.is_enabled(plugin_id):
            raise ResolverError("plugin is disabled")
        plugin = self.installed.get(plugin_id)
        if plugin is None:
            raise ResolverError(f"no plugin with ID {plugin_id}")
        if task_name is None:
            return plugin, None
        for task in plugin.manifest.tasks:
            if task.name == task_name:
                return plugin, task
        raise ResolverError(f"no task with name {task_name} in plugin {plugin.manifest.name}")

    def _log_task(self, result: PluginOutput) -> None:
        if result.error is not None:
            self.log("error", f"Plugin returned error: {result.error}")
        elif result.output is not None:
            self.log("debug", f"Plugin returned: {result.output}")

    def _run(
        self,
        plugin: Plugin,
        exec_args: tuple[str, ...],
        args: Mapping[str, Any],
        caller: Caller,
        progress: Progress | None = None,
    ) -> Finished:
        told = {"server_connection": self._connection(plugin, caller), "args": args}
        stdin = json.dumps(told, ensure_ascii=False).encode()
        process = PluginProcess(command(plugin, exec_args), environment(plugin, self._settings.proxy))
        self._processes.add(process)
        try:
            return process.run(stdin, self._reader(plugin, progress), caller.gone)
        finally:
            if process.has_ended:
                self._processes.discard(process)

    def _connection(self, plugin: Plugin, caller: Caller) -> dict[str, Any]:
        cookie = go_cookie(self._sessions.encode(Session(caller.user, caller.visited)))
        return {
            "Scheme": self._settings.scheme,
            "Host": self._settings.advertised_host,
            "Port": self._settings.port,
            "SessionCookie": cookie if self._settings.gives_cookie else None,
            "Dir": str(self._settings.config_dir.absolute()),
            "PluginDir": str(plugin.folder),
        }

    def _reader(self, plugin: Plugin, progress: Progress | None) -> LogReader:
        def write(level: str, text: str) -> None:
            if level != "progress":
                self.log(level, f"[Plugin / {plugin.manifest.name}] {text}")
            elif progress is not None:
                progress.value = _fraction(text, progress.value)

        return LogReader(plugin.manifest.err_log, write)


def _fraction(text: str, before: float | None) -> float | None:
    try:
        return float(text)
    except ValueError:
        return before
