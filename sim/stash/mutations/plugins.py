"""Mutations that configure and run plugins."""

from typing import Any

from sim.stash.caller import Caller
from sim.stash.graphql.call import Call, number
from sim.stash.graphql.execution import Args, RootResolver
from sim.stash.jobs import Job


def _configure(call: Call, args: Args) -> dict[str, Any]:
    """The whole map is overwritten; what the caller leaves out is gone."""
    call.backend.settings.plugins[args["plugin_id"]] = dict(args["input"])
    return args["input"]


def _set_enabled(call: Call, args: Args) -> bool:
    disabled = call.backend.settings.disabled_plugins
    for plugin_id, is_enabled in args["enabledMap"].items():
        (disabled.discard if is_enabled else disabled.add)(plugin_id)
    return True


def _run_task(call: Call, args: Args) -> int:
    """Only queued here; the answer is the job's id."""
    plugins, plugin_id, task_name = call.backend.plugins, args["plugin_id"], args.get("task_name")
    given = {item["key"]: _value(item.get("value")) for item in args.get("args") or ()}
    given |= args.get("args_map") or {}

    def work(job: Job) -> None:
        caller = Caller(call.caller.user, call.caller.visited, job.stopped.is_set)
        plugins.run_task(caller, plugin_id, task_name, given, job.progress)

    shown = args.get("description") or task_name or plugin_id
    return call.backend.jobs.add(f"Running plugin task: {shown}", work).id


def _value(raw: dict[str, Any] | None) -> Any:
    """A PluginValueInput: exactly one of its keys is meant."""
    for key, value in (raw or {}).items():
        if value is None:
            continue
        if key == "o":
            return {item["key"]: _value(item.get("value")) for item in value}
        return [_value(item) for item in value] if key == "a" else value
    return None


def _run_operation(call: Call, args: Args) -> Any:
    return call.backend.plugins.run_operation(call.caller, args["plugin_id"], args.get("args") or {})


def _reload(call: Call, _: Args) -> bool:
    call.backend.plugins.reload()
    return True


def _stop_job(call: Call, args: Args) -> bool:
    call.backend.jobs.stop(number(args["job_id"]))
    return True


PLUGIN_MUTATIONS: dict[str, RootResolver[Call]] = {
    "configurePlugin": _configure,
    "setPluginsEnabled": _set_enabled,
    "runPluginTask": _run_task,
    "runPluginOperation": _run_operation,
    "reloadPlugins": _reload,
    "stopJob": _stop_job,
}
