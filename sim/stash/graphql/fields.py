"""Fields that are not simply attributes of a record."""

from pathlib import PurePosixPath
from typing import Any

from sim.stash.clock import unix
from sim.stash.graphql.call import Call
from sim.stash.graphql.execution import Args, FieldResolver
from sim.stash.library.records import Group, Performer, Scene, SceneGroup, Studio, Tag, VideoFile
from sim.stash.plugins.command import Plugin
from sim.stash.plugins.manifest import Task

Picture = Performer | Studio | Tag | Group
Resolvers = dict[tuple[str, str], FieldResolver[Call]]


class Paths:
    """URLs of a scene, on the host the client asked for."""

    def __init__(self, call: Call, scene: Scene) -> None:
        base = call.base_url
        key = call.backend.settings.api_key
        oshash = scene.files[0].oshash if scene.files else ""
        self.screenshot = f"{base}/scene/{scene.id}/screenshot?t={unix(scene.updated_at)}"
        self.preview = f"{base}/scene/{scene.id}/preview"
        self.stream = f"{base}/scene/{scene.id}/stream" + (f"?apikey={key}" if key else "")
        self.webp = f"{base}/scene/{scene.id}/webp"
        self.vtt = f"{base}/scene/{oshash}_thumbs.vtt"
        self.sprite = f"{base}/scene/{oshash}_sprite.jpg"
        self.funscript = f"{base}/scene/{scene.id}/funscript"
        self.interactive_heatmap = f"{base}/scene/{scene.id}/interactive_heatmap"
        self.caption = f"{base}/scene/{scene.id}/caption"


def _constant(value: Any) -> FieldResolver[Call]:
    return lambda _call, _source, _args: value


def _studio(call: Call, source: Scene | Group, _: Args) -> Studio | None:
    return None if source.studio_id is None else call.library.studios.get(source.studio_id)


def _parent_studio(call: Call, source: Studio, _: Args) -> Studio | None:
    return None if source.parent_id is None else call.library.studios.get(source.parent_id)


def _performers(call: Call, source: Scene, _: Args) -> list[Performer]:
    shelf = call.library.performers
    return [shelf[key] for key in source.performer_ids if key in shelf]


def _tags(call: Call, source: Scene, _: Args) -> list[Tag]:
    shelf = call.library.tags
    return sorted((shelf[key] for key in source.tag_ids if key in shelf), key=lambda tag: tag.sort_name or tag.name)


def _groups(call: Call, source: Scene, _: Args) -> list[SceneGroup]:
    return [link for link in source.groups if link.group_id in call.library.groups]


def _tag_parents(call: Call, source: Tag, _: Args) -> list[Tag]:
    return [call.library.tags[key] for key in source.parent_ids if key in call.library.tags]


def _fingerprint(_: Call, source: VideoFile, args: Args) -> str | None:
    return source.oshash if args["type"] == "oshash" else None


def _folder(_: Call, source: VideoFile, __: Args) -> Any:
    return _Folder(str(PurePosixPath(source.path).parent))


class _Folder:
    def __init__(self, path: str) -> None:
        self.id = 1
        self.path = path


class _Fingerprint:
    type = "oshash"

    def __init__(self, value: str) -> None:
        self.value = value


def _image(kind: str, name: str = "image") -> FieldResolver[Call]:
    def resolve(call: Call, source: Picture, _: Args) -> str:
        url = f"{call.base_url}/{kind}/{source.id}/{name}?t={unix(source.updated_at)}"
        return url if source.image_version else f"{url}&default=true"

    return resolve


def _scene_count(kind: str) -> FieldResolver[Call]:
    return lambda call, source, _: len(call.library.scenes_with(kind, source.id))


def _of_manifest(name: str) -> FieldResolver[Call]:
    return lambda _call, source, _args: getattr(source.manifest, name)


class _Owned:
    """A task or hook with its plugin, because the schema lets one ask back."""

    def __init__(self, plugin: Plugin, task: Task) -> None:
        self.plugin = plugin
        self.name = task.name
        self.description = task.description
        self.hooks = list(task.triggered_by)


def owned(plugin: Plugin, tasks: tuple[Task, ...]) -> list[Any]:
    return [_Owned(plugin, task) for task in tasks]


def _tasks(_: Call, source: Plugin, __: Args) -> list[Any]:
    return owned(source, source.manifest.tasks)


def _hooks(_: Call, source: Plugin, __: Args) -> list[Any]:
    return owned(source, source.manifest.hooks)


def _enabled(call: Call, source: Plugin, _: Args) -> bool:
    return call.backend.plugins.is_enabled(source.manifest.id)


def _plugin_settings(call: Call, _: Any, args: Args) -> dict[str, Any]:
    stored = call.backend.settings.plugins
    wanted = args.get("include")
    return {key: value for key, value in stored.items() if wanted is None or key in wanted}


SCENE: Resolvers = {
    ("Scene", "url"): lambda _call, scene, _args: scene.urls[0] if scene.urls else None,
    ("Scene", "interactive"): _constant(value=False),
    ("Scene", "interactive_speed"): _constant(None),
    ("Scene", "captions"): _constant(None),
    ("Scene", "resume_time"): _constant(0),
    ("Scene", "play_duration"): _constant(0),
    ("Scene", "play_count"): lambda _call, scene, _args: len(scene.play_history),
    ("Scene", "last_played_at"): lambda _call, scene, _args: max(scene.play_history, default=None),
    ("Scene", "o_history"): _constant([]),
    ("Scene", "scene_markers"): _constant([]),
    ("Scene", "galleries"): _constant([]),
    ("Scene", "paths"): lambda call, scene, _args: Paths(call, scene),
    ("Scene", "studio"): _studio,
    ("Scene", "performers"): _performers,
    ("Scene", "tags"): _tags,
    ("Scene", "groups"): _groups,
    ("SceneGroup", "group"): lambda call, link, _args: call.library.groups[link.group_id],
    ("VideoFile", "basename"): lambda _call, file, _args: file.path.rpartition("/")[2],
    ("VideoFile", "parent_folder"): _folder,
    ("VideoFile", "fingerprint"): _fingerprint,
    ("VideoFile", "fingerprints"): lambda _call, file, _args: [_Fingerprint(file.oshash)],
}

RELATED: Resolvers = {
    ("Performer", "image_path"): _image("performer"),
    ("Performer", "scene_count"): _scene_count("performer"),
    ("Studio", "image_path"): _image("studio"),
    ("Studio", "scene_count"): _scene_count("studio"),
    ("Studio", "parent_studio"): _parent_studio,
    ("Tag", "image_path"): _image("tag"),
    ("Tag", "scene_count"): _scene_count("tag"),
    ("Tag", "parents"): _tag_parents,
    ("Group", "front_image_path"): _image("group", "frontimage"),
    ("Group", "scene_count"): _scene_count("group"),
    ("Group", "studio"): _studio,
}

PLUGIN: Resolvers = {
    ("Plugin", "enabled"): _enabled,
    ("Plugin", "tasks"): _tasks,
    ("Plugin", "hooks"): _hooks,
    **{
        ("Plugin", name): _of_manifest(name)
        for name in ("id", "name", "description", "url", "version", "settings", "requires")
    },
    ("ConfigResult", "plugins"): _plugin_settings,
    ("Job", "subTasks"): _constant(None),
    ("Job", "progress"): lambda _call, job, _args: job.progress.value,
    ("Job", "startTime"): lambda _call, job, _args: job.start_time,
    ("Job", "endTime"): lambda _call, job, _args: job.end_time,
    ("Job", "addTime"): lambda _call, job, _args: job.add_time,
}

FIELDS: Resolvers = SCENE | RELATED | PLUGIN
