"""A plugin's yml, read as strictly as Stash reads it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sim.stash.errors import PluginNotLoaded

TOP = {
    "name", "description", "version", "url", "interface", "exec", "errLog", "ui", "settings", "hooks", "tasks",
}  # fmt: skip
UI = {"requires", "csp", "javascript", "css", "assets"}
CSP = {"script-src", "style-src", "connect-src"}
SETTING = {"displayName", "description", "type"}
SETTING_TYPES = {"STRING", "NUMBER", "BOOLEAN"}
TASK = {"name", "description", "defaultArgs", "execArgs"}
HOOK = TASK | {"triggeredBy"}
INTERFACES = {"", "raw"}

Raw = dict[str, Any]


@dataclass(frozen=True)
class Task:
    name: str
    description: str
    default_args: dict[str, str]
    exec_args: tuple[str, ...]
    triggered_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Setting:
    name: str
    display_name: str
    description: str
    type: str


@dataclass(frozen=True)
class Manifest:
    id: str
    name: str
    description: str
    version: str
    url: str
    exec: tuple[str, ...]
    err_log: str
    settings: tuple[Setting, ...]
    hooks: tuple[Task, ...]
    tasks: tuple[Task, ...]
    requires: tuple[str, ...] = ()


def load_manifest(path: Path) -> Manifest:
    """Raises PluginNotLoaded. All scalars are read as text, which is what Go's string fields see."""
    try:
        raw = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - builds only text, lists, maps
    except (OSError, yaml.YAMLError) as error:
        raise PluginNotLoaded(str(error)) from error
    top = _known(raw, TOP, path.name)
    interface = top.get("interface", "")
    if interface not in INTERFACES:
        raise PluginNotLoaded(f"interface {interface!r} is not simulated")
    ui = _known(top.get("ui") or {}, UI, "ui")
    _known(ui.get("csp") or {}, CSP, "ui.csp")
    return Manifest(
        id=path.stem,
        name=top.get("name", ""),
        description=top.get("description", ""),
        version=top.get("version", ""),
        url=top.get("url", ""),
        exec=tuple(top.get("exec") or ()),
        err_log=top.get("errLog") or "error",
        settings=_settings(top.get("settings") or {}),
        hooks=tuple(_task(hook, HOOK, "hooks") for hook in top.get("hooks") or ()),
        tasks=tuple(_task(task, TASK, "tasks") for task in top.get("tasks") or ()),
        requires=tuple(ui.get("requires") or ()),
    )


def _known(raw: Any, keys: set[str], where: str) -> Raw:
    if not isinstance(raw, dict):
        raise PluginNotLoaded(f"{where}: a map was expected")
    if unknown := sorted(set(map(str, raw)) - keys):  # pyright: ignore[reportUnknownArgumentType]
        raise PluginNotLoaded(f"{where}: field {unknown[0]} not found in type plugin.Config")
    return raw  # pyright: ignore[reportUnknownVariableType]


def _settings(raw: Raw) -> tuple[Setting, ...]:
    """Stash shows settings sorted by their key."""
    found: list[Setting] = []
    for name in sorted(raw):
        setting = _known(raw[name] or {}, SETTING, f"settings.{name}")
        if setting.get("type") not in SETTING_TYPES:
            raise PluginNotLoaded(f"settings.{name}: invalid type {setting.get('type')!r}")
        found.append(Setting(name, setting.get("displayName", ""), setting.get("description", ""), setting["type"]))
    return tuple(found)


def _task(raw: Any, keys: set[str], where: str) -> Task:
    task = _known(raw, keys, where)
    return Task(
        name=task.get("name", ""),
        description=task.get("description", ""),
        default_args=dict(task.get("defaultArgs") or {}),
        exec_args=tuple(task.get("execArgs") or ()),
        triggered_by=tuple(task.get("triggeredBy") or ()),
    )
