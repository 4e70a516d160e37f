"""A batch of pictures: items are read together, given what they lack, locked and confirmed together, recorded at once.

An item that shows nothing yet, and of which nothing is known, is not even looked at more closely. So a scene costs two
uploads, a look at each picture that is replaced, and a share of what is asked for the whole batch.
"""

import hashlib
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ledger.pictures import CHOSEN
from ledger.records import PictureRecord, SceneRecord, UnfinishedPicture
from ledger.states import PictureState
from ledger.store import Ledger
from model.change import ItemChange, LockEdit
from model.errors import ChangeRejected, ItemGone, ItemNotFound, Kind, TargetBusy, TargetError
from model.item import Item
from model.picture import Picture, PictureKind, Standing, upload_digest
from runtime.clock import Clock
from sync.batch_time import FRESH_SECONDS
from sync.runs import fold_long_histories
from sync.target import Target

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WantedCover:
    """A scene's cover, what it is wanted as, and what became of each before. `look`: trust no memory.

    `is_main`: the item is the one that the scene was synced to, and none that it has beside.
    """

    record: SceneRecord
    item_id: str
    data: bytes
    stamp: str
    known: Mapping[PictureKind, PictureRecord | None]
    look: bool
    is_main: bool = True

    def as_record(self, kind: PictureKind, digest: str, state: PictureState, now: float) -> PictureRecord:
        """Describe where it stands; a picture that we put there before stays ours whatever becomes of this one."""
        before = self.known[kind]
        return PictureRecord(
            scene_id=self.record.scene_id,
            kind=kind.value,
            item_id=self.item_id,
            server_id=self.record.server_id,
            stamp=self.stamp,
            digest=digest,
            key=before.key if before else "",
            state=state,
            sentence="",
            at=now,
            is_main=self.is_main,
        )

    def is_shown(self, kind: PictureKind, digest: str) -> bool:
        """Say whether we remember that the item shows these very bytes."""
        known, place = self.known[kind], (digest, self.item_id, self.record.server_id)
        return (
            known is not None
            and known.state is PictureState.SHOWN
            and (known.digest, known.item_id, known.server_id) == place
        )


@dataclass(frozen=True, slots=True)
class _PictureSlot:
    """One kind of picture on one item: what it could show, what ours would replace, and its lock.

    `ours` are the keys of pictures that we had it show, `arrived` is that of an upload which was not recorded.
    `needs_lock`: the server has such a lock, and it is open.
    """

    item: Item
    kind: PictureKind
    available: Sequence[Picture]
    before: Picture | None
    is_locked: bool
    needs_lock: bool
    ours: frozenset[str] = frozenset()
    arrived: str = ""


@dataclass(frozen=True, slots=True)
class _Given:
    """A picture that an item was given, what was announced of it, and what is recorded once it is confirmed."""

    slot: _PictureSlot
    picture: Picture
    intent: UnfinishedPicture
    record: PictureRecord

    @property
    def has_changed(self) -> bool:
        return not self.picture.key or self.intent.old != self.picture.key or self.slot.needs_lock

    def with_key(self, key: str) -> "_Given":
        """Note the key of the picture, which some servers tell only afterwards."""
        return replace(self, picture=replace(self.picture, key=key), record=replace(self.record, key=key))


class PictureBatch:
    """The pictures of a few scenes, on their way to the items with these keys. `show` each, then `finish` all.

    `run_id` gives the run that they are journaled under.
    """

    def __init__(
        self,
        connect: Callable[[], Target],
        ledger: Ledger,
        run_id: Callable[[], int],
        clock: Clock,
        keys: Sequence[str],
        *,
        preserve: bool,
    ) -> None:
        self._connect = connect
        self._ledger = ledger
        self._run_id = run_id
        self._clock = clock
        self._keys = keys
        self._preserve = preserve
        self._items: Mapping[str, Item] = {}
        self._read_at: float | None = None
        self._given: list[_Given] = []
        self._records: list[PictureRecord] = []

    # --- giving -------------------------------------------------------------------------------------------------

    def show(self, cover: WantedCover) -> bool:
        """Have the item show this cover where it does not, and nobody chose another; say whether it was asked."""
        digest = hashlib.sha256(cover.data).hexdigest()
        unfinished = self._ledger.pictures.unfinished([cover.item_id], cover.record.server_id)
        due: list[PictureKind] = []
        for kind in cover.known:
            if cover.look or (cover.item_id, kind.value) in unfinished or not cover.is_shown(kind, digest):
                due.append(kind)
            else:
                self._records.append(cover.as_record(kind, digest, PictureState.SHOWN, self._clock.now()))
        if due:
            item, capabilities = self._item(cover), self._connect().capabilities
            has = [kind for kind in due if capabilities.has(kind, item.type)]
            slots = [self._look_at(item, kind, cover, unfinished.get((item.item_id, kind.value))) for kind in has]
            self._give(cover, digest, slots)
        return bool(due)

    def _item(self, cover: WantedCover) -> Item:
        """Return the scene's item as it was within the last seconds, if it is still the one."""
        if self._is_old():
            left, now = self._keys[self._keys.index(cover.item_id) :], self._clock.monotonic()
            self._items, self._read_at = self._connect().picture_details(left), now
        item, path = self._items.get(cover.item_id), cover.record.path
        if item is None:
            raise ItemGone(f"item {cover.item_id} is not there any more", status=404)
        if path and all(part.path != path for part in item.parts):
            raise ItemGone(f"item {cover.item_id} holds another file now; it is looked for again")
        return item

    def _is_old(self) -> bool:
        """Tell whether a person may have chosen a picture since the items were read."""
        return self._read_at is None or self._clock.monotonic() - self._read_at >= FRESH_SECONDS

    def _look_at(
        self, item: Item, kind: PictureKind, cover: WantedCover, unfinished: UnfinishedPicture | None
    ) -> _PictureSlot:
        """See what the item shows, and resolve an unfinished upload."""
        is_locked, has_lock = kind.value in item.locked, self._connect().capabilities.has_lock(kind)
        needs_lock = has_lock and not is_locked
        if not (kind.is_shown_by(item) or cover.known[kind] or unfinished):
            return _PictureSlot(item, kind, (), None, is_locked, needs_lock)
        available = self._connect().pictures(item.item_id, kind)
        ours, there = self._ours(item, kind, cover), ""
        before = self._shown(available, kind, ours)
        if unfinished is not None:
            # An upload may lock by itself: what is still shown, and was not locked, nobody has chosen.
            is_locked = is_locked and (unfinished.old_locked or _key_of(before) != unfinished.old)
            arrived = self._resolve(unfinished, [one for one in available if one.selected], is_locked=is_locked)
            ours |= frozenset(filter(None, [arrived]))
            before = self._shown(available, kind, ours)
            there = arrived if arrived and unfinished.digest == upload_digest(cover.data) else ""
        if not there and before is not None and before.key in ours and _is_unrecorded(before, cover.known[kind]):
            is_cover = self._connect().shows_bytes(item.item_id, kind, before, upload_digest(cover.data))
            there = before.key if is_cover else ""
        return _PictureSlot(item, kind, available, before, is_locked, has_lock and not is_locked, ours, there)

    def _ours(self, item: Item, kind: PictureKind, cover: WantedCover) -> frozenset[str]:
        """Name the pictures that we had the item show, as far as we remember."""
        known, server_id = cover.known[kind], cover.record.server_id
        given = self._ledger.journal.pictures_given(item.item_id, server_id, kind.value)
        is_here = known is not None and (known.item_id, known.server_id) == (item.item_id, server_id)
        is_ours = is_here and known is not None and known.state is not PictureState.UNDONE
        return frozenset(key for key in (*given, known.key if known and is_ours else "") if key)

    def _shown(self, available: Sequence[Picture], kind: PictureKind, ours: Collection[str]) -> Picture | None:
        """Give what a new picture takes the place of: what is shown, of several that are stacked the one of ours."""
        shown = [one for one in available if one.selected]
        if kind in self._connect().capabilities.stacked:
            shown = [one for one in shown if one.key in ours]
        return shown[-1] if shown else None

    def _resolve(self, unfinished: UnfinishedPicture, shown: Sequence[Picture], *, is_locked: bool) -> str | None:
        """Record what a dead worker, or one whose answer was lost, has had the item show, if it shows that.

        Where a server that has locks does not name uploads as we think, it is the one that came since and that nobody
        locked.
        """
        arrived, client, kind = None, self._connect(), PictureKind(unfinished.kind)
        may_guess = client.capabilities.has_lock(kind) and not is_locked
        for one in shown:
            is_new = one.key != unfinished.old
            is_it = may_guess and is_new and one.is_upload
            if is_it or client.shows_bytes(unfinished.item_id, kind, one, unfinished.digest):
                arrived = one.key
        run_id = self._run_id() if arrived else 0
        self._ledger.resolve_picture(unfinished, arrived, run_id=run_id, now=self._clock.now())
        return arrived

    def _give(self, cover: WantedCover, digest: str, slots: Sequence[_PictureSlot]) -> None:
        """Announce what is about to be shown, and show it; what a person chose is kept, also while ours are sent."""
        open_slots = [slot for slot in slots if not self._is_left(slot, cover, digest)]
        intents = [(slot, _intent(slot, cover)) for slot in open_slots]
        self._ledger.pictures.announce(
            intent for _, intent in intents
        )  # whoever comes after us sees what we made of it
        for seen, announced in intents:
            slot, intent = seen, announced
            if self._is_old():  # an upload can take minutes
                self._ledger.resolve_picture(announced, None, run_id=0, now=self._clock.now())
                slot = self._look_at(self._item(cover), seen.kind, cover, None)
                if self._is_left(slot, cover, digest):
                    continue
                intent = _intent(slot, cover)
                self._ledger.pictures.announce([intent])
            picture = self._show_picture(slot, cover.data, _known_key(slot, cover, digest))
            record = cover.as_record(slot.kind, digest, PictureState.SHOWN, self._clock.now())
            self._given.append(_Given(slot, picture, intent, replace(record, key=picture.key)))

    def _is_left(self, slot: _PictureSlot, cover: WantedCover, digest: str) -> bool:
        """Tell whether what is shown there stays, and note why: a person chose it, or it is not to be replaced."""
        return self._is_kept(slot, cover, digest) or self._stands(slot, cover, digest)

    def _stands(self, slot: _PictureSlot, cover: WantedCover, digest: str) -> bool:
        """Tell whether somebody else's picture shows the same, or must not be touched. Neither becomes ours."""
        shown = {one.key for one in slot.available if one.selected}
        if _known_key(slot, cover, digest) in shown:
            return False
        client = self._connect()
        why = client.standing_picture(slot.item, slot.kind, cover.data, slot.available, slot.ours)
        if why is None:
            return False
        state = PictureState.SHOWN if why is Standing.SAME else PictureState.REFUSED
        record = cover.as_record(slot.kind, digest, state, self._clock.now())
        if why is Standing.SAME:
            self._records.append(replace(record, key=""))
        else:
            self._records.append(replace(record, sentence=_local(slot, client.name)))
        return True

    def _is_kept(self, slot: _PictureSlot, cover: WantedCover, digest: str) -> bool:
        """Tell whether a person chose what is shown there; then that is noted."""
        if not (self._preserve and self._may_be_chosen(slot, cover)) or self._is_ours(slot, cover):
            return False
        kept = cover.as_record(slot.kind, digest, PictureState.REFUSED, self._clock.now())
        self._records.append(replace(kept, sentence=_kept(slot, self._connect().name)))
        return True

    def _may_be_chosen(self, slot: _PictureSlot, cover: WantedCover) -> bool:
        """Tell whether somebody may want what is shown: it is locked, or without a lock took the place of ours."""
        if self._connect().capabilities.has_lock(slot.kind):
            return slot.is_locked
        known = cover.known[slot.kind]
        was_shown = known is not None and known.state is PictureState.SHOWN and known.key in slot.ours
        return was_shown and slot.before is not None

    def _is_ours(self, slot: _PictureSlot, cover: WantedCover) -> bool:
        """Tell whether the picture shown is one we put there: by what we remember, or by its bytes."""
        before = slot.before
        if before is None:
            return False  # somebody locked that none is shown
        if before.key in slot.ours:
            return True
        digest = upload_digest(cover.data)
        return self._connect().shows_bytes(slot.item.item_id, slot.kind, before, digest)

    def _show_picture(self, slot: _PictureSlot, data: bytes, there: str) -> Picture:
        """Have the item show these bytes; upload them unless the picture `there` has them already."""
        client = self._connect()
        picture = next((one for one in slot.available if one.key == there), None)
        if picture is not None:
            self._take_away_others(slot, picture.key)
        picture = picture or client.upload_picture(slot.item, slot.kind, data, slot.available, slot.ours)
        if not picture.selected:
            picture = client.select_picture(slot.item.item_id, slot.kind, picture)
        return picture

    def _take_away_others(self, slot: _PictureSlot, key: str) -> None:
        """Delete our older pictures of a kind that the server stacks: an upload that was cut short left them."""
        client = self._connect()
        for one in slot.available if slot.kind in client.capabilities.stacked else ():
            if one.selected and one.key in slot.ours and one.key != key:
                with suppress(ChangeRejected):  # two are alike to the server, and nobody knows which is ours
                    client.unset_picture(slot.item.item_id, slot.kind, one)

    # --- confirming ---------------------------------------------------------------------------------------------

    def finish(self) -> dict[int, TargetError]:
        """Lock what was given, see that it is shown, and record it; say by scene what went wrong with which."""
        failed: dict[int, TargetError] = {}
        confirmed = [one for one in self._given if not one.has_changed]
        changed = [one for one in self._given if one.has_changed]
        try:
            items = self._locked(changed) if changed else {}
            for one in changed:
                try:
                    confirmed.append(self._confirmed(one, items.get(one.record.item_id)))
                except TargetError as error:
                    if one.record.is_main or not isinstance(error, ItemNotFound):  # one beside may go
                        failed[one.record.scene_id] = error
        except TargetError as error:
            failed.update((one.record.scene_id, error) for one in changed)
        self._record(confirmed)
        return failed

    def _locked(self, given: Sequence[_Given]) -> dict[str, Item]:
        """Lock them all, few requests for many items, and read what came of it."""
        client = self._connect()
        open_items: dict[tuple[str, ...], list[Item]] = {}
        for item in {one.slot.item.item_id: one.slot.item for one in given}.values():
            of_item = [one.slot for one in given if one.slot.item.item_id == item.item_id]
            if names := tuple(slot.kind.value for slot in of_item if slot.needs_lock):
                open_items.setdefault(names, []).append(item)
        for names, items in open_items.items():
            client.lock_all(items, names)
        return client.picture_details([one.record.item_id for one in given])

    def _confirmed(self, one: _Given, item: Item | None) -> _Given:
        """See that the item shows the picture, locked, mend what it does not, and learn which it is."""
        if item is None:
            raise ItemGone(f"item {one.record.item_id} is not there any more", status=404)
        kind = one.slot.kind
        if not kind.is_shown_by(item):
            self._select(one)
        if self._connect().capabilities.has_lock(kind) and kind.value not in item.locked:
            self._connect().edit(ItemChange(item, locks=(LockEdit(kind.value),)))
        return one if one.picture.key else one.with_key(self._new_key(one))

    def _new_key(self, one: _Given) -> str:
        """Find the picture that has come: of several, the one with our bytes."""
        client, item_id, kind = self._connect(), one.record.item_id, one.slot.kind
        shown = [picture for picture in client.pictures(item_id, kind) if picture.selected]
        before = {picture.key for picture in one.slot.available if picture.selected}
        new = [picture.key for picture in shown if picture.key not in before]
        if len(new) != 1:
            new = [picture.key for picture in shown if client.shows_bytes(item_id, kind, picture, one.intent.digest)]
        if not new:
            raise TargetBusy(f"a {kind.place} was uploaded, and none has appeared", kind=Kind.NOT_CONFIRMED)
        return new[-1]

    def _select(self, one: _Given) -> None:
        """Choose an upload that the server took and does not show, if it is there."""
        client, key, kind = self._connect(), one.record.item_id, one.slot.kind
        there = next((picture for picture in client.pictures(key, kind) if picture.key == one.picture.key), None)
        if there is None:
            raise TargetBusy(f"a {kind.place} was uploaded, and none has appeared", kind=Kind.NOT_CONFIRMED)
        if not there.selected:
            client.select_picture(key, kind, there)

    def _record(self, confirmed: Sequence[_Given]) -> None:
        arrived = [(one.intent, one.picture.key) for one in confirmed if one.has_changed]
        records = [*self._records, *(one.record for one in confirmed)]
        if records:
            run_id = self._run_id() if arrived else 0
            self._ledger.record_pictures(records, arrived, run_id=run_id, now=self._clock.now())
            for server_id in {intent.server_id for intent, _ in arrived}:
                fold_long_histories(self._ledger, {intent.item_id for intent, _ in arrived}, server_id)
        for one in confirmed:
            log.info("scene:%d: %s shown.", one.record.scene_id, one.slot.kind.place)


def _intent(slot: _PictureSlot, cover: WantedCover) -> UnfinishedPicture:
    return UnfinishedPicture(
        scene_id=cover.record.scene_id,
        item_id=cover.item_id,
        server_id=cover.record.server_id,
        kind=slot.kind.value,
        digest=upload_digest(cover.data),
        old=_key_of(slot.before),
        old_locked=slot.is_locked,
        was_ours=cover.known[slot.kind] is not None,
    )


def _key_of(picture: Picture | None) -> str:
    return picture.key if picture else ""


def _is_unrecorded(shown: Picture, known: PictureRecord | None) -> bool:
    """Tell whether ours is shown and not known to be: whoever found out what it is did not live to record it."""
    return known is None or known.key != shown.key


def _known_key(slot: _PictureSlot, cover: WantedCover, digest: str) -> str:
    """Give the key under which we know the item to hold these bytes; empty if we do not."""
    known = cover.known[slot.kind]
    return known.key if known is not None and known.digest == digest else slot.arrived


def _local(slot: _PictureSlot, server: str) -> str:
    return (
        f"{server} shows a {slot.kind.place} that is a file in the folder of the video; it is left alone. "
        "Take the file away if Stash's cover is to be shown."
    )


def _kept(slot: _PictureSlot, server: str) -> str:
    what = f"another {slot.kind.place}" if slot.before else f"to show no {slot.kind.place}"
    return f"{CHOSEN}{what} in {server}; it is kept."
