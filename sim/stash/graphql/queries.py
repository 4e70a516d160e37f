"""Root fields that only read."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.stash.graphql.call import Call, number, numbers
from sim.stash.graphql.execution import Args, RootResolver
from sim.stash.graphql.fields import owned
from sim.stash.jobs import Job
from sim.stash.library.records import Group, Performer, Scene, Studio, Tag
from sim.stash.library.related_filter import named
from sim.stash.library.scene_filter import Found, find_by_ids, find_scenes
from sim.stash.plugins.command import Plugin
from sim.stash.settings import Settings

SCHEMA_VERSION = 75


def _scene(call: Call, args: Args) -> Scene | None:
    if args.get("id") is not None:
        return call.library.scenes.get(number(args["id"]))
    wanted = args.get("checksum")
    with call.library.lock:
        return next((scene for scene in call.library.scenes.values() if _has_hash(scene, wanted)), None)


def _has_hash(scene: Scene, oshash: str | None) -> bool:
    return oshash is not None and any(file.oshash == oshash for file in scene.files)


def _scenes(call: Call, args: Args) -> Found:
    """An empty list of ids means no list: the first page of everything."""
    ids = list(numbers(args.get("ids"))) or args.get("scene_ids")
    if ids:
        return find_by_ids(call.library, ids)
    return find_scenes(call.library, args.get("scene_filter") or {}, args.get("filter") or {})


def _performer(call: Call, args: Args) -> Performer | None:
    return call.library.performers.get(number(args["id"]))


@dataclass(frozen=True)
class _Performers:
    count: int
    performers: list[Performer]


def _performers(call: Call, args: Args) -> _Performers:
    return _Performers(*named(call, args, "performer"))


@dataclass(frozen=True)
class _Studios:
    count: int
    studios: list[Studio]


@dataclass(frozen=True)
class _Tags:
    count: int
    tags: list[Tag]


def _studios(call: Call, args: Args) -> _Studios:
    return _Studios(*named(call, args, "studio"))


def _tags(call: Call, args: Args) -> _Tags:
    return _Tags(*named(call, args, "tag"))


def _studio(call: Call, args: Args) -> Studio | None:
    return call.library.studios.get(number(args["id"]))


def _tag(call: Call, args: Args) -> Tag | None:
    return call.library.tags.get(number(args["id"]))


def _group(call: Call, args: Args) -> Group | None:
    return call.library.groups.get(number(args["id"]))


def _job_queue(call: Call, _: Args) -> list[Job] | None:
    return call.backend.jobs.listed()


def _job(call: Call, args: Args) -> Job | None:
    return call.backend.jobs.find(number(args["input"]["id"]))


def _plugins(call: Call, _: Args) -> list[Plugin]:
    return list(call.backend.plugins.installed.values())


def _plugin_tasks(call: Call, _: Args) -> list[Any]:
    return [task for plugin in _plugins(call, {}) for task in owned(plugin, plugin.manifest.tasks)]


@dataclass(frozen=True)
class _Stash:
    path: str
    excludeVideo: bool = False  # noqa: N815 - the schema's name
    excludeImage: bool = False  # noqa: N815 - the schema's name


class _General:
    def __init__(self, settings: Settings) -> None:
        self.stashes = [_Stash(path) for path in settings.stashes]
        self.databasePath = str(settings.config_dir / "stash-go.sqlite")
        self.configFilePath = str(settings.config_dir / "config.yml")
        self.pluginsPath = str(settings.config_dir / "plugins")
        self.generatedPath = str(settings.config_dir / "generated")
        self.parallelTasks = 1
        self.apiKey = settings.api_key
        self.username = settings.username
        self.password = "*" * 8 if settings.password else ""
        self.maxSessionAge = int(settings.max_session_age_seconds)
        self.logLevel = "Info"
        self.pythonPath = settings.python_path


class _Configuration:
    def __init__(self, settings: Settings) -> None:
        self.general = _General(settings)


class _Version:
    version = "v0.30.1"
    hash = "cf3489efd"
    build_time = "2026-01-11 00:00:00"


class _SystemStatus:
    databaseSchema = SCHEMA_VERSION  # noqa: N815 - the schema's name
    appSchema = SCHEMA_VERSION  # noqa: N815 - the schema's name
    status = "OK"
    os = "linux"

    def __init__(self, settings: Settings) -> None:
        self.databasePath = str(settings.config_dir / "stash-go.sqlite")
        self.configPath = str(settings.config_dir / "config.yml")
        self.workingDir = os.getcwd()
        self.homeDir = str(Path.home())


def _configuration(call: Call, _: Args) -> _Configuration:
    return _Configuration(call.backend.settings)


def _system_status(call: Call, _: Args) -> _SystemStatus:
    return _SystemStatus(call.backend.settings)


def _version(_: Call, __: Args) -> _Version:
    return _Version()


QUERIES: dict[str, RootResolver[Call]] = {
    "findScene": _scene,
    "findScenes": _scenes,
    "findPerformer": _performer,
    "findPerformers": _performers,
    "findStudio": _studio,
    "findStudios": _studios,
    "findTag": _tag,
    "findTags": _tags,
    "findGroup": _group,
    "jobQueue": _job_queue,
    "findJob": _job,
    "plugins": _plugins,
    "pluginTasks": _plugin_tasks,
    "configuration": _configuration,
    "systemStatus": _system_status,
    "version": _version,
}
