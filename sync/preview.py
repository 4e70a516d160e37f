"""The preview: scenes are matched, read and decided on as the worker would, and nothing of it is written."""

from collections.abc import Iterator, Mapping, Sequence

from ledger.baseline import Baseline
from model.errors import ItemGone
from model.item import Item
from model.match import Match, Verdict
from model.scene import Scene
from plan.fields import settings_text
from plan.unfinished import with_unfinished_write
from sync.connection import BoundTarget
from sync.context import TargetContext
from sync.scenes.claims import Claims, ClaimsByScene, claims_beside
from sync.scenes.decide import (
    Claim,
    Decided,
    PreparedScene,
    decide_claims,
    decide_if_ignored,
    decide_if_organized,
    decide_match,
    decide_plans,
    prepare,
)
from sync.scenes.finder import known_baseline, verify
from validation.metadata import InvalidMetadata

SCENES_AT_ONCE = 50  # as many items as one request for details takes


class Preview:
    """Previews scenes on one target. It writes to the path index, a copy of what the server says, and nowhere else."""

    def __init__(self, context: TargetContext) -> None:
        self._context = context
        self._config = context.config
        self._ledger = context.ledger
        self._claims = Claims(context.ledger, context.stash_connection)
        self._taken: dict[str, Claim] = {}

    def results(self, scenes: Sequence[Scene]) -> Iterator[Decided]:
        """Decide on each scene, reading the details of all their items at once."""
        target = self._context.connection.bind(self._config)
        prepared: list[PreparedScene] = []
        for scene in self._prepare(scenes):
            if isinstance(scene, PreparedScene):
                prepared.append(scene)
            else:
                yield scene
        matches: list[tuple[PreparedScene, Match]] = []
        pinned = self._ledger.pins.of_files({scene.id: scene.metadata.files for scene in prepared}, target.server_id)
        for scene in prepared:
            found = target.find(scene.metadata.files, pinned.get(scene.id))
            if (refused := decide_match(scene, found, self._config, target.name)) is None:
                matches.append((scene, found))
            else:
                yield refused
        yield from self._decide(matches, target)

    def _prepare(self, scenes: Sequence[Scene]) -> Iterator[PreparedScene | Decided]:
        records = self._ledger.scenes.of(scene.id for scene in scenes)
        settings = settings_text(self._config, self._context.target)
        for scene in scenes:
            record = records.get(scene.id)
            if (ignored := decide_if_ignored(scene.id, record)) is not None:
                yield ignored
                continue
            try:
                prepared = prepare(scene, record, settings)
            except InvalidMetadata as problem:
                yield Decided(scene.id, Verdict.REFUSED, str(problem))
            else:
                yield decide_if_organized(prepared, self._config) or prepared

    def _decide(self, matches: Sequence[tuple[PreparedScene, Match]], target: BoundTarget) -> Iterator[Decided]:
        keys = [one.item_id for _, found in matches for one in found.all if one.item_id is not None]
        details = target.client.details(keys)
        claims: list[tuple[PreparedScene, list[Claim]]] = []
        for scene, found in matches:
            try:
                shown = details.get(found.item_id or "")
                main = Claim(scene.id, *verify(scene.metadata.files, found, shown, target))
                claims.append((scene, [main, *claims_beside(main, details)]))
            except ItemGone as gone:
                yield Decided(scene.id, Verdict.UNMATCHED, str(gone), found)
        winners = self._winners(claims, target)
        for scene, own in claims:
            yield self._decided(scene, own, winners, target)

    def _winners(self, claims: ClaimsByScene, target: BoundTarget) -> dict[str, Claim]:
        """Say which scene has which item, by all scenes previewed so far."""
        for item, claim in self._claims.winners(claims, target).items():
            earlier = self._taken.setdefault(item, claim)
            if claim.found.score > earlier.found.score:
                self._taken[item] = claim
        return self._taken

    def _decided(
        self, scene: PreparedScene, claims: Sequence[Claim], winners: Mapping[str, Claim], target: BoundTarget
    ) -> Decided:
        won = decide_claims(claims, winners, target.name)
        if isinstance(won, Decided):
            return won
        baselines = [self._baseline(scene, claim.shown, target.server_id) for claim in won]
        return decide_plans(scene, won, baselines, self._config, target.client.capabilities)

    def _baseline(self, scene: PreparedScene, shown: Item, server_id: str) -> Baseline:
        """Return what is ours on an item, also by a write that no worker lived to record."""
        unfinished = self._ledger.unfinished.of_items([shown.item_id], server_id).get(shown.item_id)
        known = known_baseline(scene.record, shown, server_id, self._ledger, self._context.now())
        return with_unfinished_write(known, unfinished, shown)[0]
