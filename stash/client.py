"""What we ask of Stash, in the product's own words."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from model.scene import Scene
from stash import queries
from stash.cover import MAX_BYTES, TOO_LARGE, Cover, CoverRefused, check_cover
from stash.exceptions import FileTooLarge, StashUnauthorized, StashUnintelligible
from stash.graphql import GraphQLCall
from stash.scenes import FileScene, parse_file, parse_file_scene, parse_scene
from stash.shapes import Object, a_number, a_text, an_id, an_object, an_object_or_none, objects
from sync_queue.session import Session

PLUGIN_ID = "Stash2Plex"
PAGE_SIZE = 1000
IDS_PER_REQUEST = 100
JOBS_PER_REQUEST = 1000  # Stash has them in memory

RELATED_FILTERS = {"performer": "performers", "studio": "studios", "tag": "tags", "group": "groups"}
FLAT_FILTERS = frozenset({"performers"})  # the others are trees, and would bring the children's scenes too


@dataclass(frozen=True, slots=True)
class StashJob:
    """A job in Stash's own queue: a scan, an identify, a plugin's task."""

    id: int
    status: str
    description: str
    added_at: str

    @property
    def has_ended(self) -> bool:
        return self.status not in ("READY", "RUNNING", "STOPPING")

    @property
    def is_plugin_task(self) -> bool:
        """Tell whether a plugin works here and not Stash itself. There is no field for that, only the text."""
        return self.description.startswith("Running plugin task:")


@dataclass(frozen=True, slots=True)
class PluginState:
    """What Stash knows of this plugin, and what else it is doing."""

    settings: Mapping[str, Any]
    enabled: bool
    api_key: str
    jobs: tuple[StashJob, ...] = ()
    stash: str = ""
    """Which Stash it is, by the file of its configuration."""


@dataclass(frozen=True, slots=True)
class Newest:
    """How many scenes or performers there are, and of those that were changed last the id and the time, as text."""

    count: int
    stamps: Mapping[int, str]

    def changed_since(self, before: "Newest") -> list[int]:
        """Name those with another time than before. One that only moved up, since others went, is older than all."""
        oldest = min(before.stamps.values(), default="")
        return [one for one, stamp in self.stamps.items() if stamp != before.stamps.get(one) and stamp >= oldest]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What Stash knows of this plugin, which of the jobs asked for it still knows, and what was changed last."""

    plugin: PluginState
    jobs: tuple[StashJob, ...]
    scenes: Newest
    performers: Newest


@dataclass(frozen=True, slots=True)
class SweepPage:
    """Scenes in the order of their ids, all that Plex shows of them, and what Stash was doing meanwhile."""

    scenes: list[Scene]
    jobs: tuple[StashJob, ...]
    is_last: bool


class StashClient:
    """One session's view of Stash. Not to be shared between threads."""

    def __init__(self, session: Session) -> None:
        self._call = GraphQLCall(session)

    @property
    def cookie(self) -> str:
        """The session cookie as Stash renewed it last."""
        return self._call.cookie

    def plugin_state(self) -> PluginState:
        """Read settings and switch of this plugin, and take up the key, which still works when the cookie is dead."""
        return self._plugin_state(self._ask(queries.PLUGIN_STATE, {"ids": [PLUGIN_ID]}))

    def snapshot(self, job_ids: Collection[int]) -> Snapshot:
        """Read what `plugin_state` reads, and what tells cheaply whether something has changed without a hook."""
        data = self._ask(queries.snapshot(job_ids), {"ids": [PLUGIN_ID]})
        plugin, jobs = self._plugin_state(data), _known_jobs(data, job_ids)
        return Snapshot(plugin, jobs, _newest(data, "scenes"), _newest(data, "performers"))

    def known_jobs(self, ids: Collection[int]) -> tuple[StashJob, ...]:
        """Return those of the jobs that wait, run or are among the last ten that ended."""
        chunks = [list(ids)[start : start + JOBS_PER_REQUEST] for start in range(0, len(ids), JOBS_PER_REQUEST)]
        return tuple(job for chunk in chunks for job in _known_jobs(self._ask(queries.known_jobs(chunk)), chunk))

    def _plugin_state(self, data: Object) -> PluginState:
        configuration = an_object(data.get("configuration"), "configuration")
        general = an_object(configuration.get("general"), "general")
        api_key = a_text(general.get("apiKey"), "apiKey")
        # Stash has a map for the settings even if it is empty. Taken for empty, it would be written back so.
        settings = an_object(configuration.get("plugins"), "the map of plugins' settings")
        ours = an_object_or_none(settings.get(PLUGIN_ID), "our settings")
        plugins = objects(data.get("plugins"), "plugins")
        self._call.api_key = api_key
        is_off = any(one.get("enabled") is False for one in plugins if one.get("id") == PLUGIN_ID)
        stash = a_text(general.get("configFilePath"), "configFilePath")
        return PluginState(ours, not is_off, api_key, _jobs(data), stash)

    def add_settings(
        self, values: Mapping[str, Any], may_replace: Callable[[str, Any], bool] = lambda _key, _value: False
    ) -> None:
        """Write settings that are not there or may be replaced. Stash takes the whole map: it is read just before."""
        present = {key: value for key, value in self.plugin_state().settings.items() if value is not None}
        kept = {key: value for key, value in present.items() if not (key in values and may_replace(key, value))}
        self._ask(queries.CONFIGURE_PLUGIN, {"id": PLUGIN_ID, "settings": {**values, **kept}})

    def change_settings(self, values: Mapping[str, Any]) -> None:
        """Write settings over those that are there; None takes one away. Stash takes the whole map: it is read anew."""
        wanted = {**self.plugin_state().settings, **values}
        kept = {key: value for key, value in wanted.items() if value is not None}
        self._ask(queries.CONFIGURE_PLUGIN, {"id": PLUGIN_ID, "settings": kept})

    def scenes(self, ids: list[int]) -> dict[int, Scene]:
        """Return those of the scenes that exist, in one request for a hundred."""
        found: dict[int, Scene] = {}
        distinct = list(dict.fromkeys(ids))
        for start in range(0, len(distinct), IDS_PER_REQUEST):
            asked = distinct[start : start + IDS_PER_REQUEST]
            data = self._ask(queries.scenes_by_ids(asked))
            answered = {one: _answered(data, f"scene{one}") for one in asked}
            found.update(
                (one, parse_scene(an_object(raw, "a scene"))) for one, raw in answered.items() if raw is not None
            )
        if any(scene.id != one for one, scene in found.items()):
            raise StashUnintelligible("Stash answered with another scene than it was asked for.")
        return found

    def all_scenes(self) -> Iterator[list[Scene]]:
        """Walk all scenes in pages, in the order of their ids: stable, whatever is added or removed meanwhile."""
        for page in self._pages(queries.SCENE_PAGE, {}):
            yield [parse_scene(raw) for raw in page]

    def scene_count(self) -> int:
        return int(self._ask(queries.SCENE_COUNT)["findScenes"]["count"])

    def sweep_page(self, after_id: int) -> SweepPage:
        """Read the next scenes of a sweep, without their files' sizes."""
        data, scenes = self._page(queries.SWEEP_PAGE, {}, after_id)
        return SweepPage([parse_scene(raw) for raw in scenes], _jobs(data), is_last=len(scenes) < PAGE_SIZE)

    def scene_changes(self) -> Iterator[list[tuple[int, str]]]:
        """Walk all scenes' ids and times of change. Filtering is left to the caller: Stash compares times as text."""
        for page in self._pages(queries.SCENE_IDS_PAGE, {}):
            yield [(an_id(raw.get("id"), "id"), a_text(raw.get("updated_at"), "updated_at")) for raw in page]

    def scene_ids(self, of: tuple[str, int] | None = None) -> Iterator[list[int]]:
        """Walk the ids of all scenes, or of those of a performer, studio, tag or group: `("tag", 7)`."""
        for page in self._pages(queries.SCENE_IDS_PAGE, _related_filter(*of) if of else {}):
            yield [an_id(raw.get("id"), "id") for raw in page]

    def scenes_of_file(self, path: str, oshash: str, codes: Sequence[str]) -> list[FileScene]:
        """Find the scenes that have this very file, and those of any of the codes, in one request."""
        asked = {"path": path, "hash": oshash or "none", **{f"code{one}": code for one, code in enumerate(codes)}}
        data = self._ask(queries.scenes_of_file(len(codes)), asked)
        found: dict[int, FileScene] = {}
        for name in asked:
            for raw in objects(an_object(_answered(data, name), name).get("scenes"), "scenes"):
                one = parse_file_scene(raw, path, oshash)
                found.setdefault(one.scene.id, one)
        return list(found.values())

    def scenes_with_files(self, paths: Sequence[str]) -> dict[int, Scene]:
        """Find the scenes with a file at any of these paths. Stash compares loosely: others may be among them."""
        found: dict[int, Scene] = {}
        for start in range(0, len(paths), IDS_PER_REQUEST):
            asked = {f"path{place}": path for place, path in enumerate(paths[start : start + IDS_PER_REQUEST])}
            data = self._ask(queries.scenes_with_files(len(asked)), asked)
            for name in asked:
                for raw in objects(an_object(_answered(data, name), name).get("scenes"), "scenes"):
                    scene = parse_scene(raw)
                    found[scene.id] = scene
        return found

    def move_file(self, file_id: int, folder: str, basename: str) -> None:
        """Have Stash move a file, on disk and in its database; it overwrites none."""
        wanted = {"ids": [str(file_id)], "destination_folder": folder, "destination_basename": basename}
        self._ask(queries.MOVE_FILES, {"input": wanted})

    def scene_files(self) -> Iterator[list[tuple[str, int]]]:
        """Walk path and size of every file of every scene."""
        for page in self._pages(queries.SCENE_FILES_PAGE, {}):
            yield [parse_file(file) for raw in page for file in objects(raw.get("files"), "files")]

    def exists(self, kind: str, object_id: int) -> bool:
        return _answered(self._ask(queries.OBJECT_EXISTS[kind], {"id": str(object_id)}), "found") is not None

    def cover(self, screenshot: str) -> Cover:
        """Fetch a scene's cover; raise CoverRefused if it is no picture for Plex."""
        try:
            return self._cover(screenshot)
        except StashUnauthorized:
            if not self._call.api_key:
                raise
        self._call.api_key = ""
        return self._cover(screenshot)

    def _cover(self, screenshot: str) -> Cover:
        try:
            return check_cover(*self._call.fetch(screenshot, MAX_BYTES))
        except FileTooLarge as error:
            raise CoverRefused(TOO_LARGE) from error

    def running_jobs(self) -> list[StashJob]:
        return list(_jobs(self._ask(queries.RUNNING_JOBS)))

    def close(self) -> None:
        self._call.close()

    def _pages(self, query: str, wanted: dict[str, Any]) -> Iterator[list[Object]]:
        last = 0
        while True:
            _, scenes = self._page(query, wanted, last)
            if scenes:
                yield scenes
                last = an_id(scenes[-1].get("id"), "id")
            if len(scenes) < PAGE_SIZE:
                return

    def _page(self, query: str, wanted: dict[str, Any], after_id: int) -> tuple[Object, list[Object]]:
        """Return the whole answer, and the scenes in it."""
        page = {"page": 1, "per_page": PAGE_SIZE, "sort": "id", "direction": "ASC"}
        after = {"id": {"value": after_id, "modifier": "GREATER_THAN"}}
        data = self._ask(query, {"filter": page, "scenes": {**wanted, **after}})
        found = an_object(_answered(data, "findScenes"), "findScenes")
        scenes = objects(_answered(found, "scenes"), "scenes")
        if scenes and an_id(scenes[-1].get("id"), "id") <= after_id:
            raise StashUnintelligible("Stash sent the same scenes again instead of the next.")
        return data, scenes

    def _ask(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        try:
            return self._call.ask(query, variables)
        except StashUnauthorized:
            if not self._call.api_key:
                raise
        # A key that was changed in Stash is refused even beside a good cookie.
        self._call.api_key = ""
        return self._call.ask(query, variables)


def _answered(data: Object, name: str) -> object:
    """Return what Stash says under a name. One that is not there is no null: a scene might pass for gone."""
    if name not in data:
        raise StashUnintelligible(f"Stash's answer is not as expected: {name} is missing.")
    return data[name]


def _jobs(data: Object) -> tuple[StashJob, ...]:
    """Read Stash's job queue, which is null when it is empty."""
    return tuple(map(_job, objects(data.get("jobQueue"), "jobQueue")))


def _known_jobs(data: Object, ids: Collection[int]) -> tuple[StashJob, ...]:
    answers = (_answered(data, f"job{one}") for one in ids)
    return tuple(_job(an_object(raw, "a job")) for raw in answers if raw is not None)


def _job(raw: Object) -> StashJob:
    texts = (a_text(raw.get(name), name) for name in ("status", "description", "addTime"))
    return StashJob(an_id(raw.get("id"), "a job's id"), *texts)


def _newest(data: Object, kind: str) -> Newest:
    name = f"find{kind.capitalize()}"
    found = an_object(_answered(data, name), name)
    records = objects(_answered(found, kind), kind)
    stamps = {an_id(raw.get("id"), "id"): a_text(raw.get("updated_at"), "updated_at") for raw in records}
    return Newest(int(a_number(found.get("count"), "count")), stamps)


def _related_filter(kind: str, object_id: int) -> dict[str, Any]:
    name = RELATED_FILTERS[kind]
    depth = {} if name in FLAT_FILTERS else {"depth": 0}
    return {name: {"value": [str(object_id)], "modifier": "INCLUDES", **depth}}
