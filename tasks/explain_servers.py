"""What the servers say of a scene: Stash's word, Plex's word, and which of them could not be asked."""

from dataclasses import dataclass, field

from plex.exceptions import PlexError
from plex.index import PlexIndex
from plex.index_store import IndexStore
from plex.matcher import Match, match
from plex.path_map import PathMap
from stash.client import StashClient
from stash.exceptions import StashError
from stash.scenes import Scene
from tasks.desk import Desk
from tasks.dry_run import DryRun, Look, Verdict
from tasks.look_words import shown_match, shown_plan
from tasks.plex_desk import PlexDesk, open_lines, settings_of, told_settings
from tasks.sentences import ended
from tasks.table import Answer
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata, SyncMetadata
from worker.plex_line import BadPathMap
from worker.scene_finder import files_of


@dataclass(slots=True)
class Asked:
    """As far as the asking came. `is_gone`: Stash answered and has no such scene."""

    scene: Scene | None = None
    is_gone: bool = False
    path_map: PathMap | None = None
    look: Look | None = None
    remembered: Match | None = None
    problems: list[str] = field(default_factory=list[str])

    @property
    def verdict(self) -> str:
        return str(self.look.verdict) if self.look else ""

    @property
    def would_change(self) -> list[str]:
        plan = self.look.plan if self.look else None
        return [decision.field for decision in plan.changes] if plan else []

    @property
    def is_found(self) -> bool:
        return self.look is not None and self.look.verdict in {Verdict.CHANGES, Verdict.RIGHT}

    def shown(self) -> Answer:
        return {
            "title": self.scene.title if self.scene else None,
            "organized": self.scene.organized if self.scene else None,
            "files": self._files(),
            "match": self._match(),
            "plan": shown_plan(self.look) if self.look else None,
            "not_asked": self.problems,
        }

    def _files(self) -> list[Answer]:
        return [
            {
                "path": file.path,
                "size": file.size,
                "duration": file.duration,
                "plex_path": self.path_map.to_plex(file.path) if self.path_map else None,
            }
            for file in (self.scene.files if self.scene else ())
        ]

    def _match(self) -> Answer | None:
        if self.look is not None and self.look.found is not None:
            return shown_match(self.look.found, source="plex")
        return shown_match(self.remembered, source="index") if self.remembered else None


def ask_servers(desk: Desk, scene_id: int) -> Asked:
    """Ask Stash, then Plex; whoever does not answer is noted, and the story goes on without."""
    asked = Asked()
    with open_lines(desk) as lines:
        try:
            client = lines.stash.client()
            config = _ask_stash(desk, client, scene_id, asked)
        except StashError as problem:
            asked.problems.append(f"Stash: {problem} Its settings say where Plex is, so Plex was not asked either.")
            return asked
        if config is not None and asked.scene is not None:
            _ask_plex(PlexDesk(desk.teller, config, lines.ledger, client, lines.plex), asked, desk)
    return asked


def _ask_stash(desk: Desk, client: StashClient, scene_id: int, asked: Asked) -> Stash2PlexConfig | None:
    settings = settings_of(desk, client)
    asked.scene = client.scenes([scene_id]).get(scene_id)
    asked.is_gone = asked.scene is None
    if settings.problems:
        asked.problems.append(f"Plex: {told_settings(settings)}")
    return None if settings.problems else settings.config


def _ask_plex(plex: PlexDesk, asked: Asked, desk: Desk) -> None:
    assert asked.scene is not None
    try:
        asked.path_map = plex.line.path_map(plex.config)
        (asked.look,) = DryRun(plex).look_at([asked.scene])
    except (PlexError, BadPathMap, StashError) as problem:
        asked.problems.append(f"Plex: {ended(str(problem))}")
        asked.remembered = _remembered(plex, asked, desk)


def _remembered(plex: PlexDesk, asked: Asked, desk: Desk) -> Match | None:
    """Match against what the index remembers of Plex."""
    assert asked.scene is not None
    try:
        files = files_of(SyncMetadata.of(asked.scene))
    except InvalidMetadata:
        return None
    path_map = asked.path_map or PathMap()
    store = IndexStore(desk.folder.ledger)
    try:
        parts = PlexIndex(store, plex.line.client(plex.config)).candidates(files, path_map)
    finally:
        store.close()
    return match(files, parts, path_map) if parts else None
