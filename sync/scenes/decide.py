"""What becomes of a scene on a target, decided step by step as values: the worker acts on them, a preview shows them.

Pure: what the ledger knows and the servers say is handed in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ledger.baseline import Baseline
from ledger.records import SceneRecord
from ledger.states import SceneState
from model.capabilities import Capabilities
from model.item import Item
from model.match import Match, MatchConfidence, MatchRule, Verdict
from model.scene import Scene
from model.sentences import quoted_path
from plan.fields import unusable_values
from plan.planner import Plan, make_plan
from validation.config import Stash2PlexConfig
from validation.metadata import SyncMetadata

NOT_ORGANIZED = "Not organized, and only_organized is on."


@dataclass(frozen=True, slots=True)
class PreparedScene:
    """What Stash says of a scene, cleaned, and what we know of it."""

    metadata: SyncMetadata
    fingerprint: str
    record: SceneRecord | None
    screenshot: str

    @property
    def id(self) -> int:
        return self.metadata.scene_id

    @property
    def has_waited(self) -> bool:
        """Tell whether the server did not have this very scene when it was looked for the last time."""
        known = self.record
        return known is not None and (known.state, known.fingerprint) == (SceneState.WAITING, self.fingerprint)


@dataclass(frozen=True, slots=True)
class Claim:
    """A scene, and the item that its files, or a person, lead to."""

    scene_id: int
    found: Match
    shown: Item

    @property
    def item(self) -> str:
        return self.shown.item_id

    def disproves(self, weaker: "Claim") -> bool:
        """Tell whether the item holds this scene's very file, and so not that of the other, which only looked alike."""
        return self.found.rule is MatchRule.EXACT_PATH and weaker.found.score < self.found.score

    def refusal(self, server: str) -> str:
        """Say to another scene why it does not get the item of this server."""
        how = "was given" if self.found.rule is MatchRule.PINNED else "has"
        return (
            f"Scene {self.scene_id} {how} the same {server} item ({self.item}). "
            f"Say by hand whose it is, or split it in {server}."
        )


@dataclass(frozen=True, slots=True)
class Decided:
    """What a sync makes of one scene: the verdict, a sentence unless there is a plan, and how far it came."""

    scene_id: int
    verdict: Verdict
    sentence: str = ""
    found: Match | None = None
    plans: tuple[Plan, ...] = ()  # of all its items, the main one first

    @property
    def changed_fields(self) -> list[str]:
        """Name what would change on any of its items."""
        return list(dict.fromkeys(decision.field for plan in self.plans for decision in plan.changes))

    @property
    def kept_fields(self) -> list[str]:
        """Name what a person's choice keeps out of any of its items."""
        return list(dict.fromkeys(decision.field for plan in self.plans for decision in plan.kept))


# --- the steps, in their order ----------------------------------------------------------------------------------------


def prepare(scene: Scene, record: SceneRecord | None, settings: str) -> PreparedScene:
    """Clean a scene; `settings` are those that its fingerprint depends on. Raises InvalidMetadata."""
    metadata = SyncMetadata.of(scene)
    return PreparedScene(metadata, metadata.fingerprint(settings), record, scene.screenshot)


def decide_if_ignored(scene_id: int, record: SceneRecord | None) -> Decided | None:
    """Skip what a person leaves out."""
    if record is None or record.state is not SceneState.IGNORED:
        return None
    return Decided(scene_id, Verdict.SKIPPED, record.sentence)


def decide_if_organized(scene: PreparedScene, config: Stash2PlexConfig) -> Decided | None:
    """Skip what is not organized, if the settings say so."""
    if scene.metadata.organized or not config.only_organized:
        return None
    return Decided(scene.id, Verdict.SKIPPED, NOT_ORGANIZED)


def decide_match(scene: PreparedScene, found: Match, config: Stash2PlexConfig, server: str) -> Decided | None:
    """Refuse a match that is none, or not sure enough to be written to."""
    if is_sure(found, config):
        return None
    if found.confidence is not MatchConfidence.NONE:
        return Decided(scene.id, Verdict.AMBIGUOUS, _ambiguous(found), found)
    return Decided(scene.id, Verdict.UNMATCHED, _not_there(scene.metadata, found, server), found)


def decide_claims(claims: Sequence[Claim], winners: Mapping[str, Claim], server: str) -> Decided | tuple[Claim, ...]:
    """Give those of a scene's items that it gets, the main one first; if not even that, say whose it is."""
    main, *beside = claims
    winner = winners[main.item]
    if winner.scene_id == main.scene_id:
        return (main, *(one for one in beside if winners[one.item].scene_id == one.scene_id))
    if winner.disproves(main):
        return Decided(main.scene_id, Verdict.UNMATCHED, _looks_alike(winner, server), main.found)
    return Decided(main.scene_id, Verdict.AMBIGUOUS, winner.refusal(server), main.found)


def decide_plans(
    scene: PreparedScene,
    claims: Sequence[Claim],
    baselines: Sequence[Baseline],
    config: Stash2PlexConfig,
    capabilities: Capabilities,
) -> Decided:
    """Plan what is written to the items that the scene gets, by what is ours on each of them."""
    plans = tuple(
        make_plan(scene.metadata, claim.shown, baseline, config, capabilities)
        for claim, baseline in zip(claims, baselines, strict=True)
    )
    found = claims[0].found
    if any(plan.changes for plan in plans):
        return Decided(scene.id, Verdict.CHANGES, found=found, plans=plans)
    if problem := unusable_values(scene.metadata, config):
        return Decided(scene.id, Verdict.REFUSED, str(problem), found, plans)
    return Decided(scene.id, Verdict.RIGHT, found=found, plans=plans)


# --- what they ask and say --------------------------------------------------------------------------------------------


def is_sure(found: Match, config: Stash2PlexConfig) -> bool:
    """Tell whether this match may be written to."""
    return found.item_id is not None and (found.confidence is MatchConfidence.HIGH or not config.strict_matching)


def holds(shown: Item, found: Match) -> bool:
    """Tell whether an item holds the file it was matched by; a person's own choice needs no file."""
    return found.part is None or any(part.path == found.part.path for part in shown.parts)


def _not_there(metadata: SyncMetadata, found: Match, server: str) -> str:
    """Say that the server has no item for a scene, and which file was looked for."""
    where = quoted_path(metadata.files[0].path) if metadata.files else "no file"
    return f"Not in {server} yet: {found.note or 'nothing matches'} (Stash has {where})."


def _looks_alike(winner: Claim, server: str) -> str:
    """Say that the only item with a scene's name holds the file of another."""
    where = f"the item that has its file's name ({winner.item}) holds the file of scene {winner.scene_id}"
    return f"Not in {server} yet: {where}."


def _ambiguous(found: Match) -> str:
    """Say between which items a person must choose."""
    candidates = ", ".join(map(str, found.candidates))
    return f"Ambiguous: {found.note}; candidates: {candidates}. Choose one, or make the names differ."
