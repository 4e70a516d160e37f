"""The planner: what Stash says, what Plex has, what we wrote last, the settings, into a list of decisions. Pure.

There is one planner. Dry-run prints its plan, the worker applies it, the journal records it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from ledger.baseline import Baseline
from plan.decision import Decision, Why
from plan.fields import SCALARS, SETS, ScalarField, SetField, exists_on, is_on
from plan.merge import ScalarSides, SetMerge, folded, is_ours_now, merge_scalar, merge_set
from plex.edit import FieldEdit, ItemEdit, TagEdit
from plex.item import ItemDetails, Tag, TagKind, same_text
from validation.config import Stash2PlexConfig
from validation.metadata import SyncMetadata


@dataclass(frozen=True, slots=True)
class Plan:
    """All decisions on one item, the edit that carries them out, and what is ours afterwards."""

    scene_id: int
    rating_key: int
    decisions: tuple[Decision, ...]
    edit: ItemEdit | None
    baseline: Baseline

    @property
    def changes(self) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.why.writes)

    @property
    def conflicts(self) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.why.is_conflict)


def make_plan(metadata: SyncMetadata, item: ItemDetails, baseline: Baseline, config: Stash2PlexConfig) -> Plan:
    scalars: list[_ScalarOutcome] = []
    for field in SCALARS:
        leader = next((one.decision.why for one in scalars if one.decision.field == field.follows), None)
        scalars.append(_decide_scalar(field, metadata, item, baseline, config, leader))
    lists = [
        _decide_list(kind, tuple(fields), metadata, item, baseline, config)
        for kind, fields in groupby(SETS, key=lambda field: field.kind)
    ]
    fields = tuple(one.edit for one in scalars if one.edit)
    tags = tuple(one.edit for one in lists if one.edit)
    return Plan(
        scene_id=metadata.scene_id,
        rating_key=item.rating_key,
        decisions=(*(one.decision for one in scalars), *(decision for one in lists for decision in one.decisions)),
        edit=ItemEdit(item, fields, tags) if fields or tags else None,
        baseline=Baseline(
            scalars={one.decision.field: one.ours for one in scalars if one.ours is not None},
            sets={name: ours for one in lists for name, ours in one.ours.items() if ours},
        ),
    )


# --- scalars ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ScalarOutcome:
    decision: Decision
    edit: FieldEdit | None
    ours: str | None


def _decide_scalar(
    field: ScalarField,
    metadata: SyncMetadata,
    item: ItemDetails,
    baseline: Baseline,
    config: Stash2PlexConfig,
    leader: Why | None,
) -> _ScalarOutcome:
    sides = ScalarSides(
        stash=field.read(metadata),
        plex=item.value(field.field),
        ours=baseline.scalars.get(field.name),
        is_locked=item.is_locked(field.field),
        has_locks=field.has_locks,
    )
    why = leader if leader and leader.is_persons else _why_scalar(field, sides, metadata, item, config)
    decision = Decision(
        field=field.name,
        old=sides.plex,
        new=sides.stash if why.writes else sides.plex,
        why=why,
        old_locked=field.field.value in item.locked,
        was_ours=sides.ours is not None and same_text(sides.ours, sides.plex),
    )
    return _ScalarOutcome(
        decision, FieldEdit(field.field, sides.stash) if why.writes else None, is_ours_now(sides, why)
    )


def _why_scalar(
    field: ScalarField, sides: ScalarSides, metadata: SyncMetadata, item: ItemDetails, config: Stash2PlexConfig
) -> Why:
    if not is_on(field.setting, config):
        return Why.OFF
    if not exists_on(field.name, item.type):
        return Why.NOT_HERE
    if metadata.is_blank and sides.plex and sides.ours is None:
        return Why.STASH_EMPTY  # a scene nobody has filled in yet has only its file's name to offer
    return merge_scalar(sides, preserve=config.preserve_plex_edits)


# --- lists --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ListOutcome:
    decisions: tuple[Decision, ...]
    edit: TagEdit | None
    ours: Mapping[str, tuple[str, ...]]


def _decide_list(
    kind: TagKind,
    fields: tuple[SetField, ...],
    metadata: SyncMetadata,
    item: ItemDetails,
    baseline: Baseline,
    config: Stash2PlexConfig,
) -> _ListOutcome:
    """Merge all sources of one list. What one of them takes out stays if another wants it or has put it there."""
    shown = item.names(kind)
    active = [field for field in fields if is_on(field.setting, config) and exists_on(field.name, item.type)]
    beside = [name for field in active for name in baseline.sets.get(field.name, ())]
    merges = {
        field.name: merge_set(field.read(metadata, config), shown, baseline.sets.get(field.name, ()), beside)
        for field in active
    }
    held = _held_by(fields, merges, baseline)
    removed = {name.casefold() for merge in merges.values() for name in merge.remove} - held
    kept = [tag for tag in item.tags.get(kind, ()) if tag.name.casefold() not in removed]
    added = folded([name for merge in merges.values() for name in merge.add])
    edit = TagEdit(kind, (*kept, *map(Tag, added.values()))) if added or removed else None
    return _ListOutcome(
        tuple(_decisions(kind, fields, merges, removed, item, baseline)),
        edit,
        {
            field.name: merges[field.name].ours if field.name in merges else baseline.sets.get(field.name, ())
            for field in fields
        },
    )


def _held_by(fields: tuple[SetField, ...], merges: Mapping[str, SetMerge], baseline: Baseline) -> set[str]:
    """Name what must stay: what an active source wants, and what a switched-off one once added."""
    wanted = [name for merge in merges.values() for name in merge.wanted]
    resting = [name for field in fields if field.name not in merges for name in baseline.sets.get(field.name, ())]
    return {name.casefold() for name in (*wanted, *resting)}


def _decisions(
    kind: TagKind,
    fields: tuple[SetField, ...],
    merges: Mapping[str, SetMerge],
    removed: set[str],
    item: ItemDetails,
    baseline: Baseline,
) -> Iterator[Decision]:
    shown = item.names(kind)
    for field in fields:
        merge = merges.get(field.name)
        gone = {name.casefold() for name in merge.remove} & removed if merge else set[str]()
        new = tuple(name for name in shown if name.casefold() not in gone) + (merge.add if merge else ())
        why = _why_set(field, item, merge, has_gone=bool(gone))
        yield Decision(field.name, shown, new, why, kind.value in item.locked, field.name in baseline.sets)


def _why_set(field: SetField, item: ItemDetails, merge: SetMerge | None, *, has_gone: bool) -> Why:
    if merge is None:
        return Why.OFF if exists_on(field.name, item.type) else Why.NOT_HERE
    if merge.add:
        return Why.CHANGED if has_gone else Why.NEW
    return Why.REMOVED if has_gone else Why.RIGHT
