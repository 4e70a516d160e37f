"""What is done for a file until it is in its place: name it, find out what it is, plan, move."""

import contextlib
import logging
import os
import stat
import time
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from intake.moving import errors as moving
from intake.moving.beside import Beside, BesideCache
from intake.moving.execute import Moved, carry_out, is_already_there, resume, sync_folders
from intake.moving.folder_names import FolderNames
from intake.moving.plan import MoveMode, MovePlan
from intake.naming.codes import Candidate, read_code
from intake.naming.shown import quoted
from intake.patience import FORESEEN, FileChanged, PartsMissing
from intake.service.file_plan import Named, Rules, learned_of, make_plan, name_file, settled
from intake.service.lease_keeper import LeaseKeeper, Stopping
from intake.service.row_journal import has_moved, is_placed_already, is_untouched, journal_of, placed_before
from intake.sources.port import Found, MetadataSource, Question, ask_all
from intake.sources.work import Work
from intake.store.errors import LeaseLost, RowBusy, StoreAway, StoreError
from intake.store.port import IntakeStore, Progress, Trouble
from intake.store.row import BEFORE_PLACED, UNDOING, UNDONE, Row, Status, Step
from intake.watching.identity import FileIdentity
from intake.watching.root import empty_sentence

log = logging.getLogger(__name__)

OF_A_ROW = (*FORESEEN, StoreError)  # the lane says what it means for that row, and the others go on
Outcome = tuple[Row, Exception | None]

NO_SERVER = Trouble("no_server", "The file is in its place. No server is set (EMBY_BASE_URL …), so none was told.")


class OwnerOfFiles(Protocol):
    """Another program that knows some of the files by their place, and moves those itself."""

    def move(self, plan: MovePlan, extensions: Collection[str]) -> None:
        """Move those of an announced plan that it knows."""
        ...


@dataclass(slots=True)
class _Job:
    """One plan, and the rows of all videos in it, the one that it was made for first."""

    rows: list[Row]
    plan: MovePlan
    learned: Progress | None = None  # None: it was announced before, by a worker that died
    is_announced: bool = False

    @property
    def leader(self) -> Row:
        return self.rows[0]


class FileWork:
    """Takes rows to their place, several at a time: what must reach the disk before a step does so once for all.

    An error leaves its row, and the file, where they are; the lane says what it means.
    """

    def __init__(
        self,
        store: IntakeStore,
        sources: Sequence[MetadataSource],
        rules: Rules,
        keeper: LeaseKeeper,
        owner: OwnerOfFiles | None = None,
        *,
        publishes: bool,
    ) -> None:
        self._store = store
        self._sources = sources
        self._rules = rules
        self._keeper = keeper
        self._owner = owner
        self._end = None if publishes else NO_SERVER
        self._folders = BesideCache(rules.extensions)
        self._library = FolderNames()
        self._in_hand: frozenset[int] = frozenset()
        self._promised: set[str] = set()

    def work(self, rows: Sequence[Row]) -> Generator[Outcome]:
        """Bring the files of claimed rows to their place; say of each row that it is done, or why not."""
        self._in_hand = frozenset(row.id for row in rows)
        self._promised = set()
        waiting = {row.file_path: row for row in rows}
        jobs: list[_Job] = []
        while waiting:
            row = waiting.pop(next(iter(waiting)))
            try:
                if (job := self._prepare(row, waiting)) is not None:
                    jobs.append(job)
                else:
                    yield row, None
            except StoreAway:
                raise
            except OF_A_ROW as error:
                yield row, error
        with self._keeper.holding([row for job in jobs for row in job.rows[1:]]):
            yield from self._announce(jobs)
            yield from self._move_all([job for job in jobs if job.learned is None or job.is_announced])

    def recover(self, row: Row) -> Progress:
        """Say how a row goes on after a failure: a plan of which nothing was done is dropped."""
        if row.step is not Step.PLANNED or not row.plan_json or not is_untouched(MovePlan.from_json(row.plan_json)):
            return Progress()
        return Progress(step=Step.FOUND, plan_json="")

    # --- what it is, and where it goes --------------------------------------------------------------------------

    def _prepare(self, row: Row, waiting: dict[str, Row]) -> _Job | None:
        """Find out what a file is and plan its move; None if it is in its place. Other parts leave `waiting`."""
        if row.step is Step.PLANNED:
            return self._promise(_Job([row], MovePlan.from_json(row.plan_json)))
        if row.step not in BEFORE_PLACED or is_placed_already(row):
            self._store.place([(row, self._looked_up_again(row))], self._end)
            return None
        if self._was_moved_already(row):
            log.info("Row %d: %s was moved while it was being taken in again.", row.id, quoted(row.file_path))
            self._store.withdraw(row)
            return None
        row = self._checked(row)
        beside = self._beside(row)
        named = name_file(row.file_path, beside, self._rules, row.movie_code if row.is_pinned else "")
        found = self._found(row, named)
        return self._planned(row, named, found, waiting)

    def _beside(self, row: Row) -> Beside:
        try:
            return self._folders.of_folder(os.path.dirname(row.file_path), time.monotonic())
        except OSError as error:
            raise moving.translate(error, row.file_path, self._rules.destination.root.path) from error

    def _looked_up_again(self, row: Row) -> Progress:
        """Go on with a file that is in its place, and ask again what it is if a cleanup has dropped that.

        Where no source knows it any more it goes on without: then nothing is written on the servers.
        """
        progress = placed_before(row)
        if Work.from_json(row.metadata_json) != Work() or not row.movie_code:
            return progress
        code = read_code(row.movie_code)
        answer = ask_all(self._sources, Question(row.new_path or row.file_path, (Candidate(code, is_certain=True),)))
        if not isinstance(answer, Found):
            return progress
        work = replace(answer.work, code=answer.work.code or row.movie_code)
        return replace(progress, metadata_json=work.to_json())

    def _was_moved_already(self, row: Row) -> bool:
        """Tell whether the file is gone because another row has moved it.

        A scan may have seen a file, and offer it after it was moved: its row then knows it no more.
        """
        if os.path.lexists(row.file_path):
            return False
        others = [one for one in self._store.rows_of_path(row.file_path) if one.id != row.id]
        return any(has_moved(one, row) for one in others)

    def _checked(self, row: Row) -> Row:
        """See that the file is there, and the one that the row is about."""
        if trouble := self._rules.watched.trouble():
            raise moving.FolderGone(trouble)
        try:
            found = os.lstat(row.file_path)
        except FileNotFoundError as error:
            if self._rules.watched.may_be_unmounted():
                raise moving.FolderGone(empty_sentence(self._rules.watched)) from error
            raise moving.SourceGone(f"{quoted(row.file_path)} is not there any more.") from error
        except OSError as error:
            raise moving.translate(error, row.file_path, self._rules.destination.root.path) from error
        if not stat.S_ISREG(found.st_mode):
            raise moving.NotAFile(f"{quoted(row.file_path)} is no ordinary file any more.")
        identity = str(FileIdentity.of(found))
        if row.identity not in ("", identity):
            raise FileChanged(f"{quoted(row.file_path)} has changed since it was taken in; it is looked at again.")
        return row if row.identity else self._store.save(row, Progress(identity=identity))

    def _found(self, row: Row, named: Named) -> Found:
        if row.step is Step.FOUND and row.metadata_json:
            return Found(Work.from_json(row.metadata_json), read_code(row.movie_code))
        return settled(ask_all(self._sources, named.question), named)

    def _planned(self, row: Row, named: Named, found: Found, waiting: dict[str, Row]) -> _Job | None:
        learned = learned_of(found, named)
        videos = self._parts(row, named)
        try:
            plan = make_plan(videos, found, named, self._rules, _seen([row]), self._promised, self._library)
            others = self._rows_of([path for path in videos if path != row.file_path], waiting)
        except moving.TargetExists as error:
            self._store.save(row, learned)
            if error.source == row.file_path and self._is_there(row, error.target):
                self._store.place([(row, Progress(step=Step.PLACED, new_path=error.target))], self._end)
                return None
            raise
        except RowBusy as error:
            self._store.save(row, learned)
            raise PartsMissing(f"{quoted(row.file_path)} waits for the other parts of its work: {error}") from error
        except moving.MoveError:
            self._store.save(row, learned)
            raise
        self._require_seen(row, others, plan, waiting)
        return self._promise(_Job([row, *others], plan, learned))

    def _require_seen(self, row: Row, others: Sequence[Row], plan: MovePlan, waiting: dict[str, Row]) -> None:
        """See that the other parts are the files that the gate has let through; else they have their own turn first."""
        planned = {file.source: file.identity for file in plan.files}
        if all(planned[path] == identity for path, identity in _seen(others).items()):
            return
        for other in others:
            if other.id in self._in_hand:
                waiting[other.file_path] = other
            else:
                self._hand_back(other)
        raise PartsMissing(f"{quoted(row.file_path)} waits for another part of its work that has changed.")

    def _promise(self, job: _Job) -> _Job:
        """Keep the targets of a job from those that are planned after it and before it is carried out."""
        self._promised |= {file.target for file in job.plan.files}
        return job

    def _hand_back(self, row: Row) -> None:
        with contextlib.suppress(LeaseLost):  # then whoever has it now knows better
            self._store.release(row, self.recover(row))

    def _is_there(self, row: Row, target: str) -> bool:
        try:
            return is_already_there(row.file_path, target, self._keeper.checking([row]))
        except OSError as error:
            raise moving.translate(error, row.file_path, target) from error

    def _parts(self, row: Row, named: Named) -> dict[str, int | None]:
        """List the videos that are moved as one, each with its part."""
        folder, name = os.path.split(row.file_path)
        others = {part: os.path.join(folder, part) for part in named.beside.parts(name) if part != name}
        wanted = {part: path for part, path in others.items() if self._is_wanted(path)}
        return {path: named.beside.marks(part).part for part, path in sorted({**wanted, name: row.file_path}.items())}

    def _is_wanted(self, path: str) -> bool:
        """Tell whether a part is to be moved: not one that was linked or copied before, nor one that was taken back."""
        try:
            identity = str(FileIdentity.of(os.lstat(path)))
        except OSError:
            return False
        rows = self._store.rows_of_path(path)
        is_undone = bool(rows) and rows[0].status is Status.ERROR and rows[0].error_kind in (UNDONE, UNDOING)
        is_placed = any(row.identity == identity and row.step not in BEFORE_PLACED for row in rows)
        return not is_undone and not is_placed

    def _rows_of(self, paths: Sequence[str], waiting: dict[str, Row]) -> list[Row]:
        """Take the rows of other parts: from what is in hand already, or from the store."""
        elsewhere = [path for path in paths if path not in waiting]
        claimed = self._store.claim_beside(elsewhere) if elsewhere else []
        return [*(waiting.pop(path) for path in paths if path in waiting), *claimed]

    # --- getting there ------------------------------------------------------------------------------------------

    def _announce(self, jobs: Sequence[_Job]) -> Generator[Outcome]:
        """Have all plans on the disk before the first file moves; a row that was lost takes its job out."""
        new = [job for job in jobs if job.learned is not None]
        try:
            self._announce_together(new)
        except LeaseLost:
            for job in new:
                try:
                    self._announce_together([job])
                except LeaseLost as error:
                    yield from self._given_up(job, error)

    def _announce_together(self, jobs: Sequence[_Job]) -> None:
        pairs = [
            (row, replace(job.learned, step=Step.PLANNED, plan_json=job.plan.to_json()))
            for job in jobs
            if job.learned is not None
            for row in job.rows
        ]
        new_folders = {folder for job in jobs for folder in job.plan.new_folders}
        saved = iter(self._store.save_all(pairs, new_folders)) if pairs else iter(())
        for job in jobs:
            job.rows, job.is_announced = [next(saved) for _ in job.rows], True

    def _move_all(self, jobs: Sequence[_Job]) -> Generator[Outcome]:
        moved: list[tuple[_Job, Moved]] = []
        unsynced: set[str] = set()
        stopping = False
        for job in jobs:
            try:
                moved.append((job, self._carried_out(job, unsynced)))
            except Stopping:
                stopping = True
                break
            except StoreAway:
                raise
            except OF_A_ROW as error:
                yield from self._given_up(job, error)
        sync_folders(unsynced, self._rules.watched.path)
        yield from self._place_all(moved)
        if stopping:
            raise Stopping

    def _carried_out(self, job: _Job, unsynced: set[str]) -> Moved:
        """Do what was announced. What Stash knows is moved by Stash, so that scene and file stay together."""
        check = self._keeper.checking(job.rows)
        check()
        if self._owner is not None and job.plan.mode is MoveMode.MOVE:
            self._owner.move(job.plan, self._rules.extensions)
        elif job.learned is not None:
            return carry_out(job.plan, lambda _: None, check, verify=self._rules.verify, unsynced=unsynced)
        return resume(job.plan, check, verify=self._rules.verify)

    def _given_up(self, job: _Job, error: Exception) -> Generator[Outcome]:
        """Say of all rows of a job why nothing was done; what it means is the lane's to say.

        Where one of them was lost, the others are handed back to whoever has that one.
        """
        yield job.leader, error
        for row in job.rows[1:]:
            if isinstance(error, LeaseLost):
                self._hand_back(row)
            yield row, None if isinstance(error, LeaseLost) else error

    def _place_all(self, moved: Sequence[tuple[_Job, Moved]]) -> Generator[Outcome]:
        placed = [(row, journal_of(row, done)) for job, done in moved for row in job.rows]
        try:
            self._store.place(placed, self._end) if placed else None
        except LeaseLost:
            for one in placed:
                with contextlib.suppress(LeaseLost):
                    self._store.place([one], self._end)
        for row, progress in placed:
            log.info("Row %d: %s is now %s.", row.id, quoted(row.file_path), quoted(progress.new_path or ""))
            yield row, None


def _seen(rows: Sequence[Row]) -> dict[str, FileIdentity]:
    """Say which files the gate has let through; a row that another program made does not know."""
    return {row.file_path: FileIdentity.parse(row.identity) for row in rows if row.identity}
