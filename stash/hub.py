"""Stash as the place where a file is taken in and described: scans of files, names that are found or made, an update.

Everything else reads Stash; this alone writes scenes, and only for those who bring files in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from model.scene import Scene
from stash.client import StashClient
from stash.exceptions import StashUnintelligible
from stash.scenes import parse_scene
from stash.shapes import Object, a_text, an_id, an_object, objects

SCAN = "mutation ScanFiles($input: ScanMetadataInput!) { metadataScan(input: $input) }"
UPDATE = "mutation DescribeScene($input: SceneUpdateInput!) { sceneUpdate(input: $input) { id } }"
_NAMED = "(filter: { per_page: 20 }, %s_filter: { name: $name, OR: { aliases: $name } })"
FIND = {
    "performer": f"""query FindPerformer($name: StringCriterionInput!) {{
        found: findPerformers{_NAMED % "performer"} {{ records: performers {{ id name disambiguation
        aliases: alias_list }} }} }}""",
    "studio": f"""query FindStudio($name: StringCriterionInput!) {{
        found: findStudios{_NAMED % "studio"} {{ records: studios {{ id name aliases }} }} }}""",
    "tag": f"""query FindTag($name: StringCriterionInput!) {{
        found: findTags{_NAMED % "tag"} {{ records: tags {{ id name aliases }} }} }}""",
}
CREATE = {
    "performer": "mutation NewPerformer($input: PerformerCreateInput!) { made: performerCreate(input: $input) { id } }",
    "studio": "mutation NewStudio($input: StudioCreateInput!) { made: studioCreate(input: $input) { id } }",
    "tag": "mutation NewTag($input: TagCreateInput!) { made: tagCreate(input: $input) { id } }",
}
SCENE = """query HubScene($id: ID!) { scene: findScene(id: $id) {
    id title code details director date rating100 organized updated_at
    studio { id name } performers { id name } tags { id name } files { path size duration } } }"""


class SeveralOfName(Exception):
    """Stash has several records that a name could mean; the text says which."""


@dataclass(frozen=True, slots=True)
class Described:
    """A scene, and the numbers of what it refers to."""

    scene: Scene
    performer_ids: tuple[int, ...]
    tag_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SceneUpdate:
    """What is to change of a scene; what is None, or not among the texts, stays. A cover is a data URL."""

    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """title, code, details, date."""
    studio_id: int | None = None
    performer_ids: tuple[int, ...] | None = None
    tag_ids: tuple[int, ...] | None = None
    cover_image: str | None = None

    def as_input(self, scene_id: int) -> dict[str, object]:
        ids = {"performer_ids": self.performer_ids, "tag_ids": self.tag_ids}
        wanted: dict[str, object] = {"id": str(scene_id), **self.texts}
        wanted |= {name: [str(one) for one in numbers] for name, numbers in ids.items() if numbers is not None}
        if self.studio_id is not None:
            wanted["studio_id"] = str(self.studio_id)
        if self.cover_image is not None:
            wanted["cover_image"] = self.cover_image
        return wanted


class HubClient(StashClient):
    """A Stash that is written to. Not to be shared between threads."""

    def scan_files(self, paths: Sequence[str]) -> None:
        """Have Stash take these files in, as one job of its queue; asked twice, it finds nothing new."""
        self._ask(SCAN, {"input": {"paths": list(paths), "scanGenerateCovers": True}})

    def describe(self, scene_id: int) -> Described | None:
        """Read a scene as it is now; None if it is gone."""
        raw = self._ask(SCENE, {"id": str(scene_id)}).get("scene")
        if raw is None:
            return None
        scene = an_object(raw, "a scene")
        return Described(parse_scene(scene), _ids(scene, "performers"), _ids(scene, "tags"))

    def ensure(self, kind: str, name: str) -> int:
        """Give the number of the performer, studio or tag of this name or alias; make one if there is none.

        Raises SeveralOfName where it is not clear who is meant.
        """
        found = self._find(kind, name)
        if found is None:
            made = self._ask(CREATE[kind], {"input": {"name": name}}).get("made")
            return an_id(an_object(made, f"a new {kind}").get("id"), f"a {kind}'s id")
        return found

    def _find(self, kind: str, name: str) -> int | None:
        """Look for the very name first, then for an alias. Stash's EQUALS is only a pattern, so it is compared here."""
        data = self._ask(FIND[kind], {"name": {"value": name, "modifier": "EQUALS"}})
        records = objects(an_object(data.get("found"), "found").get("records"), kind)
        named = [one for one in records if _plain(one.get("name")) == _plain(name)]
        known = named or [one for one in records if _plain(name) in map(_plain, _aliases(one))]
        plain = [one for one in known if not one.get("disambiguation")] or known
        if len(plain) > 1:
            shown = ", ".join(f"{a_text(one.get('name'), 'name')} ({one.get('id')})" for one in plain[:3])
            raise SeveralOfName(f"Stash has {len(plain)} records that {name!r} could be: {shown}.")
        return an_id(plain[0].get("id"), f"a {kind}'s id") if plain else None

    def update_scene(self, scene_id: int, update: SceneUpdate) -> None:
        """Change a scene; its hook tells all targets."""
        data = self._ask(UPDATE, {"input": update.as_input(scene_id)})
        if an_id(an_object(data.get("sceneUpdate"), "sceneUpdate").get("id"), "a scene's id") != scene_id:
            raise StashUnintelligible("Stash changed another scene than it was asked to.")


def _ids(scene: Object, name: str) -> tuple[int, ...]:
    return tuple(an_id(one.get("id"), f"an id of {name}") for one in objects(scene.get(name), name))


def _aliases(record: Object) -> list[object]:
    aliases = record.get("aliases")
    return list(aliases) if isinstance(aliases, list) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - of whatever; compared as text


def _plain(name: object) -> str:
    return " ".join(name.split()).casefold() if isinstance(name, str) else ""
