"""What the servers say of a scene: Stash's word, a target's word, and which of them could not be asked."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field

from ledger.index_store import IndexStore
from ledger.records import SceneRecord
from matching.matcher import match
from matching.path_map import PathMap
from model.errors import TargetError
from model.item import Field
from model.match import Match, MatchRule, Verdict
from model.scene import Scene
from plan.report_text import kept_text
from stash.client import StashClient
from stash.exceptions import StashError
from sync.connection import BadPathMap
from sync.context import TargetContext
from sync.index import PathIndex
from sync.preview import Preview
from sync.scenes.decide import Decided
from sync.stash_connection import StashConnection
from tasks.answers import MatchFound, Plan
from tasks.context import TaskContext
from tasks.scenes.shown import match_answer, plan_answer
from tasks.servers import describe_settings, open_stash, settings_of
from tasks.wording import ended
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata, SyncMetadata, fingerprint_of, is_same_scene

MOST_TITLES = 20


@dataclass(slots=True)
class AskedTarget:
    """As far as the asking came on one target."""

    name: str
    result: Decided | None = None
    remembered: Match | None = None
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    item_url: str | None = None
    is_edited: bool = False
    is_gone: bool = False
    pictures: str = ""
    """Which of its pictures are not as Stash has them, as far as we remember."""
    problems: list[str] = field(default_factory=list[str])

    @property
    def verdict(self) -> str:
        return str(self.result.verdict) if self.result else ""

    @property
    def would_change(self) -> list[str]:
        return self.result.changed_fields if self.result else []

    @property
    def kept(self) -> str:
        """Say what a person's choice keeps out of the server; empty if nothing."""
        return kept_text(self.result.plans) if self.result else ""

    @property
    def is_found(self) -> bool:
        return self.result is not None and self.result.verdict in {Verdict.CHANGES, Verdict.RIGHT}

    @property
    def lost_choice(self) -> str:
        """Say that the item a person chose is gone; empty if it is not."""
        result = self.result
        if result is None or result.found is None or result.verdict is not Verdict.UNMATCHED:
            return ""
        return result.sentence if result.found.rule is MatchRule.PINNED else ""

    @property
    def match(self) -> MatchFound | None:
        if self.result is not None and self.result.found is not None:
            return match_answer(self.result.found, self.titles, source="server")
        return match_answer(self.remembered, {}, source="index") if self.remembered else None

    @property
    def plan(self) -> Plan | None:
        return plan_answer(self.result, self.name, self.pictures) if self.result else None


@dataclass(slots=True)
class Asked:
    """What all servers said. `is_gone`: Stash answered and has no such scene."""

    scene: Scene | None
    is_gone: bool
    targets: dict[str, AskedTarget]


def ask_servers(
    context: TaskContext, scene_id: int, names: Mapping[str, str], records: Mapping[str, SceneRecord | None]
) -> Asked:
    """Ask Stash, then each target; what does not answer is noted, and the story goes on without it."""
    asked = Asked(None, is_gone=False, targets={target: AskedTarget(name) for target, name in names.items()})
    with open_stash(context) as stash:
        try:
            client = stash.client()
            config = _ask_stash(context, client, scene_id, asked)
        except StashError as problem:
            for target in asked.targets.values():
                said = (
                    f"Stash: {problem} Its settings say where {target.name} is, so {target.name} was not asked either."
                )
                target.problems.append(said)
            return asked
        for name, target in asked.targets.items():
            target.is_gone, target.is_edited = asked.is_gone, _is_edited(asked.scene, records.get(name))
            if config is not None and asked.scene is not None:
                _ask_target(context, stash, config, name, asked.scene, target)
    return asked


def _ask_stash(context: TaskContext, client: StashClient, scene_id: int, asked: Asked) -> Stash2PlexConfig | None:
    settings = settings_of(context, client)
    asked.scene = client.scenes([scene_id]).get(scene_id)
    asked.is_gone = asked.scene is None
    if settings.problems:
        for target in asked.targets.values():
            target.problems.append(f"{target.name}: {describe_settings(settings)}")
    return None if settings.problems else settings.config


def _is_edited(scene: Scene | None, record: SceneRecord | None) -> bool:
    """Tell whether Stash says something else than was synced last."""
    if scene is None or record is None or not record.fingerprint:
        return False
    return not is_same_scene(fingerprint_of(scene, ""), record.fingerprint)


def _ask_target(
    context: TaskContext, stash: StashConnection, config: Stash2PlexConfig, name: str, scene: Scene, asked: AskedTarget
) -> None:
    opening = context.opening().open_target(context.folder, config, name, stash, context.reporter)
    with context.ledger_errors(name), opening as target:
        record, path_map = target.ledger.scenes.get(scene.id), PathMap()
        if record is not None and record.item_id is not None:
            asked.item_url = target.item_url(record.item_id)
        try:
            path_map = target.connection.path_map(config)
            (asked.result,) = Preview(target).results([scene])
            asked.titles = _titles(target, asked.result)
            found = asked.result.found.item_id if asked.result.found else None
            asked.item_url = target.item_url(found) if found else asked.item_url
        except (TargetError, BadPathMap, StashError) as problem:
            asked.problems.append(f"{target.name}: {ended(str(problem))}")
            asked.remembered = _remembered(context, target, scene, path_map)


def _titles(target: TargetContext, result: Decided) -> dict[str, str]:
    """Ask for the titles of candidates that a person has to choose from."""
    found = result.found
    if found is None or found.item_id is not None or not found.candidates:
        return {}
    details = target.connection.client(target.config).details(list(found.candidates[:MOST_TITLES]))
    return {item_id: item.value(Field.TITLE) for item_id, item in details.items()}


def _remembered(context: TaskContext, target: TargetContext, scene: Scene, path_map: PathMap) -> Match | None:
    """Match against what the index remembers of the server."""
    try:
        files = SyncMetadata.of(scene).files
    except InvalidMetadata:
        return None
    with closing(IndexStore(context.folder.target(target.target).ledger)) as store:
        parts = PathIndex(store, target.connection.client(target.config)).candidates(files, path_map)
    return match(files, parts, path_map, server=target.name) if parts else None
