"""The planner: what Stash says, what the server has, what we wrote last, the settings, into decisions. Pure.

There is one planner. Dry-run prints its plan, the worker applies it, the journal records it.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from ledger.baseline import Baseline
from model.capabilities import Capabilities
from model.change import FieldEdit, ItemChange, LockEdit, TagEdit
from model.item import Field, Item, Tag, TagKind, name_key
from plan.decision import Decision, Why
from plan.fields import SCALARS, SETS, ScalarField, SetField, is_on
from plan.forms import names_as_sent, stands_for, still_held, text_as_sent
from plan.merge import ScalarSides, SetMerge, SetSides, folded, is_ours_now, is_same, merge_scalar, merge_set
from validation.config import Stash2PlexConfig
from validation.metadata import SyncMetadata


@dataclass(frozen=True, slots=True)
class Plan:
    """All decisions on one item, the edit that carries them out, and what is ours afterwards."""

    scene_id: int
    item_id: str
    decisions: tuple[Decision, ...]
    edit: ItemChange | None
    baseline: Baseline
    server: str
    """What people call the server."""

    @property
    def changes(self) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.why.writes)

    @property
    def conflicts(self) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.why.is_conflict)

    @property
    def kept(self) -> tuple[Decision, ...]:
        """What a person's choice on the server keeps out, wholly or in part."""
        return tuple(decision for decision in self.decisions if decision.withheld)


@dataclass(frozen=True, slots=True)
class _Case:
    """All that a plan depends on."""

    metadata: SyncMetadata
    item: Item
    baseline: Baseline
    config: Stash2PlexConfig
    capabilities: Capabilities
    texts: Mapping[Field, str]
    """What the item shows."""
    locks: frozenset[str]
    """What of that is locked."""
    has: frozenset[str]
    """The fields and lists that the item has, by name."""
    is_blank: bool


def make_plan(
    metadata: SyncMetadata, item: Item, baseline: Baseline, config: Stash2PlexConfig, capabilities: Capabilities
) -> Plan:
    case = _Case(
        metadata,
        item,
        baseline,
        config,
        capabilities,
        item.texts(),
        item.locks(),
        capabilities.names_for(item.type),
        metadata.is_blank,
    )
    scalars: list[_ScalarOutcome] = []
    for field in SCALARS:
        leader = next((one.decision.why for one in scalars if one.decision.field == field.follows), None)
        scalars.append(_decide_scalar(field, case, leader))
    lists = [_decide_list(kind, tuple(fields), case) for kind, fields in groupby(SETS, key=lambda field: field.kind)]
    fields = tuple(one.edit for one in scalars if one.edit)
    tags = tuple(one.edit for one in lists if one.edit)
    locks = tuple(map(LockEdit, _missing_locks(case, ItemChange(item, fields, tags).names)))
    ours = {one.decision.field: one.ours for one in scalars if one.ours is not None}
    sets = {name: names for one in lists for name, names in one.ours.items() if names}
    found = {name: names for one in lists for name, names in one.found.items() if names}
    written = {one.decision.field: () for one in scalars if one.edit}
    return Plan(
        scene_id=metadata.scene_id,
        item_id=item.item_id,
        decisions=(*(one.decision for one in scalars), *(decision for one in lists for decision in one.decisions)),
        edit=ItemChange(item, fields, tags, locks) if fields or tags or locks else None,
        baseline=Baseline(
            scalars=ours,
            sets=sets,
            found=found,
            forms=still_held(baseline.forms, ours, sets, found),
            unread={**written, **{one.edit.kind.value: one.added for one in lists if one.edit and one.added}},
        ),
        server=capabilities.name,
    )


def _missing_locks(case: _Case, written: Collection[str]) -> Iterator[str]:
    """Name what a write that broke off has left unlocked, so that a refresh would take it away, and this one leaves."""
    for name in case.baseline.unlocked:
        if name in case.capabilities.locks and name not in case.item.locked and name not in written:
            yield name


# --- scalars ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ScalarOutcome:
    decision: Decision
    edit: FieldEdit | None
    ours: str | None


def _decide_scalar(field: ScalarField, case: _Case, leader: Why | None) -> _ScalarOutcome:
    item = case.item
    sides = ScalarSides(
        stash=field.read(case.metadata, case.config),
        shown=text_as_sent(case.baseline, field.name, case.texts),
        ours=case.baseline.scalars.get(field.name),
        is_locked=field.field.value in case.locks,
        has_locks=field.field.value in case.capabilities.locks,
        is_personal=field.field in case.capabilities.personal,
    )
    is_led = leader is not None and leader.is_persons
    why = Why.WITH_TITLE if is_led else _why_scalar(field, sides, case)
    decision = Decision(
        field=field.name,
        old=sides.shown,
        new=sides.stash if why.writes else sides.shown,
        why=why,
        old_locked=field.field.value in item.locked,
        was_ours=sides.ours is not None and is_same(sides.ours, sides.shown),
        withheld=sides.stash if why.is_persons else "",
    )
    return _ScalarOutcome(
        decision, FieldEdit(field.field, sides.stash) if why.writes else None, is_ours_now(sides, why)
    )


def _why_scalar(field: ScalarField, sides: ScalarSides, case: _Case) -> Why:
    if not is_on(field.setting, case.config):
        return Why.OFF
    if field.field.value not in case.has:
        return Why.NOT_HERE
    if field.name in dict(case.metadata.unusable):
        return Why.UNUSABLE
    if case.is_blank and sides.shown and sides.ours is None:
        return Why.STASH_EMPTY  # a scene nobody has filled in yet has only its file's name to offer
    return merge_scalar(sides, preserve=case.config.preserve_plex_edits)


# --- lists --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ListOutcome:
    decisions: tuple[Decision, ...]
    edit: TagEdit | None
    ours: Mapping[str, tuple[str, ...]]
    found: Mapping[str, tuple[str, ...]]
    added: tuple[str, ...]


def _decide_list(kind: TagKind, fields: tuple[SetField, ...], case: _Case) -> _ListOutcome:
    """Merge all sources of one list. What one of them takes out stays if another wants it or has put it there."""
    item, baseline, config = case.item, case.baseline, case.config
    stays = stands_for(baseline, kind, item)
    shown = names_as_sent(baseline, kind, item, stays)
    active = [field for field in fields if _is_active(field, case)]
    is_as_left = kind.value in item.locked or kind.value not in case.capabilities.locks
    beside = [name for field in active for name in baseline.sets.get(field.name, ())]
    merges = {
        field.name: merge_set(
            SetSides(
                stash=field.read(case.metadata, config),
                shown=shown,
                ours=baseline.sets.get(field.name, ()),
                found=baseline.found.get(field.name, ()),
                beside=beside,
                is_guarded=config.preserve_plex_edits and is_as_left,
            )
        )
        for field in active
    }
    held = _held_by(fields, merges, baseline)
    removed = {name_key(name) for merge in merges.values() for name in merge.remove} - held
    kept = [tag for tag in item.tags.get(kind, ()) if any(name_key(one) not in removed for one in stays[tag.name])]
    added = folded([name for merge in merges.values() for name in merge.add])
    is_changed = bool(added) or len(kept) < len(item.tags.get(kind, ()))
    return _ListOutcome(
        tuple(_decisions(kind, fields, merges, removed, shown, case)),
        TagEdit(kind, (*kept, *map(Tag, added.values()))) if is_changed else None,
        {one.name: merges[one.name].ours if one.name in merges else baseline.sets.get(one.name, ()) for one in fields},
        {
            one.name: merges[one.name].found if one.name in merges else baseline.found.get(one.name, ())
            for one in fields
        },
        tuple(added.values()),
    )


def _is_active(field: SetField, case: _Case) -> bool:
    """Tell whether a source of names has a say: also one that is chosen no more, as long as its names are there."""
    is_chosen = field.is_chosen(case.config) or bool(case.baseline.sets.get(field.name))
    return is_on(field.setting, case.config) and field.kind.value in case.has and is_chosen


def _held_by(fields: tuple[SetField, ...], merges: Mapping[str, SetMerge], baseline: Baseline) -> set[str]:
    """Name what must stay: what an active source wants, and what a switched-off one once added."""
    wanted = [name for merge in merges.values() for name in merge.wanted]
    resting = [name for field in fields if field.name not in merges for name in baseline.sets.get(field.name, ())]
    return {name_key(name) for name in (*wanted, *resting)}


def _decisions(
    kind: TagKind,
    fields: tuple[SetField, ...],
    merges: Mapping[str, SetMerge],
    removed: set[str],
    shown: tuple[str, ...],
    case: _Case,
) -> Iterator[Decision]:
    exists = kind.value in case.has
    for field in fields:
        merge = merges.get(field.name)
        gone = {name_key(name) for name in merge.remove} & removed if merge else set[str]()
        new = tuple(name for name in shown if name_key(name) not in gone) + (merge.add if merge else ())
        why = _why_set(merge, exists=exists, has_gone=bool(gone))
        is_locked, was_ours = kind.value in case.item.locked, field.name in case.baseline.sets
        yield Decision(field.name, shown, new, why, is_locked, was_ours, merge.left_out if merge else ())


def _why_set(merge: SetMerge | None, *, exists: bool, has_gone: bool) -> Why:
    if merge is None:
        return Why.OFF if exists else Why.NOT_HERE
    if merge.add:
        return Why.CHANGED if has_gone else Why.NEW
    if has_gone:
        return Why.REMOVED
    return Why.TAKEN_OUT if merge.left_out else Why.RIGHT
