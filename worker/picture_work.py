"""Pictures, in a lane of their own: fetched from Stash, looked at, uploaded once in their life, shown and locked."""

import hashlib
import logging
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from ledger.kept_names import FORGOTTEN_AT
from ledger.records import JournalEntry, PictureIntent, PictureRecord, SceneRecord
from ledger.states import PictureState, SceneState
from ledger.store import Ledger
from plex.client import PlexClient
from plex.device_identity import DeviceIdentity
from plex.edit import ItemEdit, LockEdit
from plex.exceptions import ItemGone, ItemNotFound, PlexError
from plex.item import ItemDetails
from plex.pictures import Picture, PictureKind, upload_digest
from stash.cover import Cover, CoverRefused, NoCover
from stash.exceptions import StashError, StashRefused, StashUnauthorized
from sync_queue.models import SyncJob
from validation.config import Stash2PlexConfig
from worker.backoff import calculate_delay
from worker.clock import Clock
from worker.covers import screenshot_stamp, wanted_kinds
from worker.open_run import OpenRun
from worker.outcome import Dead, Done, Later, Outcome
from worker.plex_line import IDENTIFY_EVERY_SECONDS, connection_settings, keep_machine, open_client
from worker.rules import outcome_of
from worker.stash_line import StashLine

log = logging.getLogger(__name__)

COVER_BASE_SECONDS = 15.0  # a scan makes the cover of a new scene a moment after it tells of the scene
COVER_CAP_SECONDS = 600.0
COVER_ATTEMPTS = 12
STASH_SECONDS = 15.0


class PictureWork:
    """Settles picture jobs, one scene at a time. For a thread of its own."""

    def __init__(self, ledger: Ledger, stash: StashLine, identity: DeviceIdentity, clock: Clock) -> None:
        self._ledger = ledger
        self._stash = stash
        self._identity = identity
        self._clock = clock
        self._client: PlexClient | None = None
        self._made_from: tuple[object, ...] = ()
        self._identify_at = 0.0
        self._run = OpenRun(ledger, "pictures", clock)

    def work(self, jobs: Sequence[SyncJob], config: Stash2PlexConfig) -> Generator[tuple[SyncJob, Outcome], None, None]:
        for job in jobs:
            try:
                yield job, self._work(job, config)
            except StashError as problem:
                if isinstance(problem, StashUnauthorized):
                    self._stash.hang_up()
                yield job, Later(STASH_SECONDS, str(problem), counts_attempt=False)
            except ItemNotFound as problem:
                # The next sweep has its scene looked for again, which asks for its pictures where it is found.
                self._ledger.record_state(job.id, SceneState.WAITING, str(problem), self._clock.now())
                yield job, Done()
                log.info("%s: %s", job.key, problem)
            except PlexError as problem:
                yield job, outcome_of(problem, job, config)

    def rest(self) -> None:
        self._run.end()

    def _work(self, job: SyncJob, config: Stash2PlexConfig) -> Outcome:
        record = self._ledger.scene(job.id)
        scene = self._stash.client().scenes([job.id]).get(job.id)
        if scene is None or record is None or record.state is not SceneState.SYNCED or not scene.screenshot:
            return Done()
        stamp = screenshot_stamp(scene.screenshot)
        try:
            cover = self._stash.client().cover(scene.screenshot)
        except (CoverRefused, StashRefused) as problem:
            return self._without_cover(job, record, stamp, problem, config)
        try:
            asked = [self._show(record, kind, cover, stamp, config, look=job.full) for kind in wanted_kinds(config)]
        except PlexError as problem:
            if isinstance(outcome_of(problem, job, config), Dead):
                self._note_all(record, stamp, PictureState.FAILED, str(problem), config)
            raise
        return Done(asked_plex=any(asked))

    def _show(
        self, record: SceneRecord, kind: PictureKind, cover: Cover, stamp: str, config: Stash2PlexConfig, *, look: bool
    ) -> bool:
        """Have the item show this picture, unless it does, or a person chose another; say whether Plex was asked.

        `look`: trust no memory.
        """
        assert record.rating_key is not None
        known = self._ledger.picture(record.scene_id, kind.value)
        digest = hashlib.sha256(cover.data).hexdigest()
        leftover = self._ledger.picture_intent(record.rating_key, record.machine, kind.value)
        if not look and leftover is None and _is_shown(known, record, digest):
            assert known is not None
            self._remember(record, kind, stamp, digest, known.key, PictureState.SHOWN, "")
            return False
        client = self._plex(config)
        place = self._look_at(client, record, kind, leftover)
        if config.preserve_plex_edits and place.is_locked and not self._is_ours(place, known, record, kind, cover.data):
            sentence = f"Somebody chose another {kind.place} in Plex; it is kept."
            self._remember(record, kind, stamp, digest, _key_of(known), PictureState.REFUSED, sentence)
            return True
        intent = PictureIntent(
            scene_id=record.scene_id,
            rating_key=record.rating_key,
            machine=record.machine,
            kind=kind.value,
            digest=upload_digest(cover.data),
            old=place.before.key if place.before else "",
            old_locked=place.is_locked,
            was_ours=known is not None,
        )
        self._ledger.intend_picture(intent)  # whoever comes after our death sees only what we made of it
        there = known.key if known is not None and known.digest == digest else ""
        picture = _put_up(client, place, kind, cover.data, there)
        has_changed = intent.old != picture.key or not place.is_locked
        entries = [intent.entry(picture.key)] if has_changed else []
        self._remember(record, kind, stamp, digest, picture.key, PictureState.SHOWN, "", entries)
        log.info("scene:%d: %s shown.", record.scene_id, kind.place)
        return True

    def _look_at(
        self, client: PlexClient, record: SceneRecord, kind: PictureKind, leftover: PictureIntent | None
    ) -> "_Place":
        """See what the item shows, if it is still the one, and settle what somebody has left under way."""
        assert record.rating_key is not None
        details = client.details_of(record.rating_key)
        if record.path and all(part.path != record.path for part in details.parts):
            raise ItemGone(f"item {record.rating_key} holds another file now; it is looked for again")
        shelf = client.pictures(record.rating_key, kind)
        before = next((one for one in shelf if one.selected), None)
        is_locked = kind.value in details.locked
        if leftover is not None:
            # An upload may lock by itself: what is still shown, and was not locked, nobody has chosen.
            is_locked = is_locked and (leftover.old_locked or before is None or before.key != leftover.old)
            self._settle(leftover, before, is_locked=is_locked)
        return _Place(details, shelf, before, is_locked)

    def _settle(self, leftover: PictureIntent, shown: Picture | None, *, is_locked: bool) -> None:
        """Record what a dead worker, or one whose answer was lost, has had the item show, if it shows that.

        Where Plex does not name uploads as we think, it is the one that came since and that nobody locked.
        """
        arrived = None
        if shown is not None and shown.is_upload:
            is_new = shown.key != leftover.old and not is_locked
            arrived = shown.key if is_new or shown.is_upload_of(leftover.digest) else None
        run_id = self._run_id() if arrived else 0
        self._ledger.settle_picture(leftover, arrived, run_id=run_id, now=self._clock.now())

    def _is_ours(
        self, place: "_Place", known: PictureRecord | None, record: SceneRecord, kind: PictureKind, data: bytes
    ) -> bool:
        """Tell whether the picture shown is one we put there: by what we remember, or by its bytes."""
        before = place.before
        if before is None or (known is not None and known.key == before.key):
            return True
        if before.is_upload_of(upload_digest(data)):
            return True
        assert record.rating_key is not None
        return before.key in self._ledger.pictures_given(record.rating_key, record.machine, kind.value)

    def _remember(
        self,
        record: SceneRecord,
        kind: PictureKind,
        stamp: str,
        digest: str,
        key: str,
        state: PictureState,
        sentence: str,
        entries: Sequence[JournalEntry] = (),
    ) -> None:
        self._ledger.record_picture(
            record.scene_id,
            kind.value,
            rating_key=record.rating_key or 0,
            machine=record.machine,
            stamp=stamp,
            digest=digest,
            key=key,
            state=state,
            sentence=sentence,
            now=self._clock.now(),
            entries=entries,
            run_id=self._run_id() if entries else 0,
        )

    def _run_id(self) -> int:
        """Return the run a picture belongs to: one with those that came since words were last written."""
        self._run.end_if_before(self._ledger.last_metadata_run())
        return self._run.id()

    def _without_cover(
        self, job: SyncJob, record: SceneRecord, stamp: str, problem: Exception, config: Stash2PlexConfig
    ) -> Outcome:
        """Wait for a cover that may still come, and in the end note why there is none."""
        is_refusal = isinstance(problem, CoverRefused)
        may_come = isinstance(problem, NoCover) and not job.full  # a full comparison has waited for it before
        if (may_come or not is_refusal) and job.attempts + 1 < COVER_ATTEMPTS:
            return Later(calculate_delay(job.attempts, COVER_BASE_SECONDS, COVER_CAP_SECONDS), str(problem))
        state = PictureState.REFUSED if is_refusal else PictureState.FAILED
        self._note_all(record, stamp, state, str(problem), config)
        log.info("scene:%d: %s", record.scene_id, problem)
        return Done()

    def _note_all(
        self, record: SceneRecord, stamp: str, state: PictureState, sentence: str, config: Stash2PlexConfig
    ) -> None:
        """Note why this version of the cover is not shown, so that no sweep asks for it again."""
        for kind in wanted_kinds(config):
            known = self._ledger.picture(record.scene_id, kind.value)
            if known is None or known.stamp != stamp:
                self._remember(record, kind, stamp, "", _key_of(known), state, sentence)

    def _plex(self, config: Stash2PlexConfig) -> PlexClient:
        wanted = (*connection_settings(config), self._ledger.value(FORGOTTEN_AT))
        if self._client is None or wanted != self._made_from:
            if self._client is not None:
                self._client.close()
            self._client = open_client(config, self._identity, self._ledger)
            self._made_from = wanted
            self._identify_at = 0.0
        now = self._clock.monotonic()
        if now >= self._identify_at:
            keep_machine(self._ledger, config, self._client.identify().machine_identifier)
            self._identify_at = now + IDENTIFY_EVERY_SECONDS
        return self._client


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a picture goes: the item, what it could show, what it shows, and whether somebody wants that kept."""

    details: ItemDetails
    shelf: list[Picture]
    before: Picture | None
    is_locked: bool


def _put_up(client: PlexClient, place: _Place, kind: PictureKind, data: bytes, there: str) -> Picture:
    """Have the item show these bytes, locked; uploaded unless they lie there, by our own memory or by Plex's name."""
    rating_key = place.details.rating_key
    picture = next((one for one in place.shelf if one.key == there), None)
    picture = picture or client.upload_picture(rating_key, kind, data, place.shelf)
    if not picture.selected:
        client.select_picture(rating_key, kind, picture)
    if not place.is_locked:
        client.edit(ItemEdit(place.details, locks=(LockEdit(kind.value),)))
    return picture


def _is_shown(known: PictureRecord | None, record: SceneRecord, digest: str) -> bool:
    return (
        known is not None
        and known.state is PictureState.SHOWN
        and (known.digest, known.rating_key, known.machine) == (digest, record.rating_key, record.machine)
    )


def _key_of(known: PictureRecord | None) -> str:
    """Return the picture that we put there last; it stays ours whatever became of its successors."""
    return known.key if known is not None else ""
