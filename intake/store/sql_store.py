"""The store in SQL: what is the same for SQLite and PostgreSQL, which is nearly all of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import fields
from itertools import islice
from typing import Any, TypeVar

from intake.store.errors import LeaseLost, RowBusy, RowUnknown
from intake.store.offering import decide_offer
from intake.store.port import LEASE_SECONDS, NOTHING_NEW, BeforeUndo, ChangeListener, Offered, Progress, Trouble
from intake.store.row import UNDOING, UNDONE, WAITING, FoundFile, Lane, Row, Status, Step
from intake.store.statements import EARLY, TABLE, Dialect, Sets, Statements

Values = Mapping[str, Any]
Execute = Callable[[str, Values], list[tuple[Any, ...]]]
T = TypeVar("T")

_GLANCE = 50  # rows of other hosts that one claim looks at
_NO_OWNER = {"claimed_by": "NULL", "lease_until": "NULL"}
_NO_TROUBLE = {"error_kind": "NULL", "error_message": "NULL", "candidates_json": "NULL", "next_retry_at": "NULL"}
_ALL_TRIES = {"attempts": "0", "retry_count": "0"}
_NEW_CLAIM = {**_NO_OWNER, "claim_no": "claim_no + 1"}  # whoever had it before a person changed it has lost it
_NO_PLAN = {"plan_json": "NULL", "new_path": "NULL"}


class SqlStore(ABC):
    """Everything but how a database is reached and how a transaction is run there."""

    def __init__(self, dialect: Dialect, host: str, worker: str) -> None:
        self._sql = Statements(dialect)
        self._host = host
        self._worker = worker
        self._passed = dict.fromkeys(Lane, 0)
        self._anew: Sets = {
            "status": "'pending'",
            "step": "'new'",
            "due_at": self._sql.now,
            "archived_at": "NULL",
            **_NO_TROUBLE,
            **_ALL_TRIES,
            **_NEW_CLAIM,
        }

    @abstractmethod
    def _run(self, act: Callable[[Execute], T], *, durable: bool = True) -> T:
        """Run one transaction, all or nothing, and translate what goes wrong. It may be run twice.

        What is not `durable` may be forgotten in a power cut, and nothing else: who comes next looks at the disk.
        """

    @abstractmethod
    def listener(self) -> ChangeListener: ...

    @abstractmethod
    def close(self) -> None: ...

    def _ask(self, statement: str, values: Values) -> list[Row]:
        return _rows(self._run(lambda execute: execute(statement, values)))

    # --- the scan -----------------------------------------------------------------------------------------------

    def offer(self, files: Sequence[FoundFile]) -> list[Offered]:
        return self._run(lambda execute: [self._offer(execute, found) for found in files])

    def _offer(self, execute: Execute, found: FoundFile) -> Offered:
        known = _rows(execute(self._sql.by_path, {"path": found.path}))
        offered, row = decide_offer(known, found, self._host, self._leased(execute, known))
        if row is not None and offered is Offered.BACK:
            back = self._sql.update(self._waiting_again(Lane.FILES), f"id = :id AND {self._sql.unleased}")
            execute(back, {"id": row.id})
            return offered
        values = {"path": found.path, "host": self._host, "identity": found.identity, "id": row.id if row else 0}
        if offered is Offered.NEW:
            return offered if execute(self._sql.insert, values) else Offered.KNOWN  # another machine saw it as well
        if row is not None and offered is not Offered.BUSY:
            sets = {"host": ":host", "identity": ":identity"}
            if offered is Offered.RENEWED:
                code = "CASE is_pinned WHEN 1 THEN movie_code END"
                sets = {**self._anew, **_NO_PLAN, "metadata_json": "NULL", "movie_code": code, **sets}
            execute(self._sql.update(sets, f"id = :id AND {self._sql.unleased}"), values)
        return offered

    def _leased(self, execute: Execute, rows: Sequence[Row]) -> frozenset[int]:
        if not any(row.lease_until for row in rows):
            return frozenset()
        held = f"SELECT id FROM {TABLE} WHERE file_path = :path AND NOT {self._sql.unleased}"
        return frozenset(row[0] for row in execute(held, {"path": rows[0].file_path}))

    # --- a worker -----------------------------------------------------------------------------------------------

    def claim(self, lane: Lane, sees: Callable[[Row], bool], limit: int = 1) -> list[Row]:
        claimed = self._claim(self._sql.claim[lane], limit=limit)
        return sorted(claimed, key=lambda row: (row.due_at, row.id)) or list(
            islice(self._claims_elsewhere(lane, sees), limit)
        )

    def _claim(self, statement: str, row_id: int = 0, limit: int = 1) -> list[Row]:
        values = {"host": self._host, "worker": self._worker, "lease": LEASE_SECONDS, "id": row_id, "limit": limit}
        return _rows(self._run(lambda execute: execute(statement, values), durable=False))

    def _claims_elsewhere(self, lane: Lane, sees: Callable[[Row], bool]) -> Generator[Row]:
        """Go through the rows of other hosts, a few at each claim, and claim those whose file is here."""
        values = {"host": self._host, "after": self._passed[lane], "limit": _GLANCE}
        rows = self._ask(self._sql.elsewhere[lane], values)
        self._passed[lane] = rows[-1].id if len(rows) == _GLANCE else 0
        for row in rows:
            if sees(row):
                yield from self._claim(self._sql.claim_one[lane], row.id)

    def take_back(self, dead: str) -> int:
        where = "status <> 'completed' AND lease_until IS NOT NULL AND substr(claimed_by, 1, :length) = :dead"
        return len(self._ask(self._sql.update({"lease_until": "NULL"}, where), {"dead": dead, "length": len(dead)}))

    def renew(self, rows: Sequence[Row]) -> frozenset[int]:
        values = [{"id": row.id, "claim_no": row.claim_no, "lease": LEASE_SECONDS} for row in rows]

        def act(execute: Execute) -> frozenset[int]:
            passed_by = [one for one in values if not execute(self._sql.renew, one)]
            return frozenset(int(one["id"]) for one in passed_by if not execute(self._sql.is_held, one))

        return self._run(act, durable=False)

    def save(self, row: Row, progress: Progress) -> Row:
        return self._write(row, {"lease_until": self._sql.later(":lease")}, _known(progress))

    def claim_beside(self, paths: Sequence[str]) -> list[Row]:
        def act(execute: Execute) -> list[Row]:
            values = {"host": self._host, "worker": self._worker, "lease": LEASE_SECONDS}
            found = [_rows(execute(self._sql.take_beside, {**values, "path": path})) for path in paths]
            if not all(found):
                raise RowBusy("A file that belongs to this one is being worked on, or has not been taken in yet.")
            return [rows[0] for rows in found]

        return self._run(act)

    def save_all(self, learned: Sequence[tuple[Row, Progress]], new_folders: Collection[str] = ()) -> list[Row]:
        sets = {"lease_until": self._sql.later(":lease")}

        def act(execute: Execute) -> list[Row]:
            for path in sorted(new_folders):  # in one order: two who note the same wait for each other
                execute(self._sql.note_folder, {"path": path})
            return [self._written(execute, row, sets, _known(know)) for row, know in learned]

        return self._run(act)

    def withdraw(self, row: Row) -> None:
        self._run(lambda execute: execute(self._sql.withdraw, {"id": row.id, "claim_no": row.claim_no}))

    def release(self, row: Row, progress: Progress = NOTHING_NEW) -> None:
        self._hand_back(row, self._sql.now, _known(progress))

    def postpone(self, row: Row, seconds: float, why: Trouble, progress: Progress = NOTHING_NEW) -> None:
        values = {**_known(progress), "error_kind": why.kind, "error_message": why.sentence}
        self._hand_back(row, self._sql.later(":delay"), values, seconds)

    def _hand_back(self, row: Row, due: str, values: Values, delay: float = 0.0) -> None:
        back = {"status": f"'{WAITING[row.lane]}'", "due_at": due, "next_retry_at": "NULL"}
        if row.status is Status.COMPLETED:  # only its pictures were in hand
            back = {"next_retry_at": due}
        self._write(row, {**back, **_NO_OWNER}, values, delay)

    def place(self, placed: Sequence[tuple[Row, Progress]], end: Trouble | None = None) -> None:
        status = Status.COMPLETED if end else Status.MOVED
        sets = {"status": f"'{status}'", "due_at": self._sql.now, **_NO_TROUBLE, **_ALL_TRIES, **_NO_OWNER}
        said = {"error_kind": end.kind, "error_message": end.sentence} if end else {}

        def act(execute: Execute) -> None:
            for row, know in placed:
                self._written(execute, row, sets, {**_known(know), **said})

        self._run(act, durable=False)

    def complete(
        self, row: Row, progress: Progress, *, pictures_in: float | None = None, note: Trouble | None = None
    ) -> None:
        sets = {"status": "'completed'", **_NO_TROUBLE, **_NO_OWNER}
        if pictures_in is not None:
            sets["next_retry_at"] = self._sql.later(":delay")
        said = {"error_kind": note.kind, "error_message": note.sentence} if note else {}
        self._write(row, sets, {**_known(progress), **said}, pictures_in or 0.0)

    def fail(self, row: Row, why: Trouble, retry_in: float | None, progress: Progress = NOTHING_NEW) -> None:
        due = "NULL" if retry_in is None else self._sql.later(":delay")
        sets = {"status": "'error'", "next_retry_at": due, **_NO_OWNER}
        said = {"error_kind": why.kind, "error_message": why.sentence, "retry_count": row.retry_count + 1}
        self._write(row, sets, {**_known(progress), **said}, retry_in or 0.0)

    def _write(self, row: Row, sets: Sets, values: Values, delay: float = 0.0) -> Row:
        return self._run(lambda execute: self._written(execute, row, sets, values, delay))

    def _written(self, execute: Execute, row: Row, sets: Sets, values: Values, delay: float = 0.0) -> Row:
        """Write for the owner of a claim. All values are absolute: written twice, they are what they are once."""
        sets = {**sets, **{column: self._sql.value(column) for column in values}}
        parameters = {**values, "id": row.id, "claim_no": row.claim_no, "lease": LEASE_SECONDS, "delay": delay}
        written = _rows(execute(self._sql.update(sets, "id = :id AND claim_no = :claim_no"), parameters))
        if not written:
            raise LeaseLost(f"Row {row.id} was taken over by another worker.")
        return written[0]

    # --- a person -----------------------------------------------------------------------------------------------

    def retry(self, row_id: int) -> Row:
        return self._by_hand(row_id, self._resumed)

    def retry_all(self) -> int:
        failed = f"status = 'error' AND coalesce(error_kind, '') NOT IN ('{UNDONE}', '{UNDOING}')"
        statements = [
            self._sql.update(self._waiting_again(lane), f"{failed} AND {'' if lane is Lane.FILES else 'NOT '}{EARLY}")
            for lane in Lane
        ]
        return self._run(lambda execute: sum(len(execute(statement, {})) for statement in statements))

    def _resumed(self, row: Row) -> Sets:
        if row.status is Status.COMPLETED and row.step in (Step.WRITTEN, Step.PICTURED):
            return {
                **_ALL_TRIES,
                **_NEW_CLAIM,
                "next_retry_at": f"CASE step WHEN '{Step.WRITTEN}' THEN {self._sql.now} END",
            }
        return self._waiting_again(row.lane)

    def _waiting_again(self, lane: Lane) -> Sets:
        back = {"status": f"'{WAITING[lane]}'", "due_at": self._sql.now}
        return {**back, **_NO_TROUBLE, **_ALL_TRIES, **_NEW_CLAIM}

    def reset(self, row_id: int) -> Row:
        return self._by_hand(row_id, self._begun_anew)

    def set_code(self, row_id: int, code: str) -> Row:
        def pinned(row: Row) -> Sets:
            without = {} if row.step is Step.PLANNED else {"metadata_json": "NULL", "plan_json": "NULL"}
            return {**self._begun_anew(row), **without, "movie_code": ":code", "is_pinned": "1"}

        return self._by_hand(row_id, pinned, {"code": code})

    def _begun_anew(self, row: Row) -> Sets:
        """Begin anew, unless a move was announced: whoever resumes it finds out how far it came."""
        return self._waiting_again(Lane.FILES) if row.step is Step.PLANNED else self._anew

    def take(self, row_id: int) -> Row:
        values = {"id": row_id, "worker": self._worker, "lease": LEASE_SECONDS}

        def act(execute: Execute) -> Row:
            before = self._get(execute, row_id)
            taken = _rows(execute(self._sql.take, values))
            if not taken:
                raise _busy(before)
            return taken[0]

        return self._run(act)

    def let_go(self, row: Row) -> None:
        self._write(row, _NO_OWNER, {})

    def announce_undo(self, rows: Sequence[Row], plan_json: str) -> list[Row]:
        sets = {"status": "'error'", "next_retry_at": "NULL", "lease_until": self._sql.later(":lease")}
        sentence = "Its files are on their way back. If nobody is at it any more: intake undo {}"

        def act(execute: Execute) -> list[Row]:
            announced: list[Row] = []
            for row in rows:
                self._withdraw_early(execute, row, row.identity)
                said = {"error_kind": UNDOING, "error_message": sentence.format(row.id), "plan_json": plan_json}
                announced.append(self._written(execute, row, sets, said))
            return announced

        return self._run(act)

    def call_off_undo(self, rows: Sequence[tuple[Row, BeforeUndo]], plan_json: str) -> None:
        def act(execute: Execute) -> None:
            for row, before in rows:
                due = self._sql.now if before.is_retried else "NULL"
                sets = {"status": f"'{before.status}'", "next_retry_at": due, **_NO_OWNER}
                said = {"error_kind": before.error_kind, "error_message": before.error_message, "plan_json": plan_json}
                self._written(execute, row, sets, said)

        self._run(act)

    def mark_undone(self, undone: Sequence[tuple[Row, str]], sentence: str) -> None:
        sets = {**self._anew, **_NO_PLAN, "status": "'error'", "emby_item_id": "NULL", "published_json": "NULL"}
        sets["claim_no"] = "claim_no"  # its owner writes, and may have to write again

        def act(execute: Execute) -> None:
            for row, identity in undone:
                self._withdraw_early(execute, row, identity)
                said = {"error_kind": UNDONE, "error_message": sentence, "identity": identity}
                self._written(execute, row, sets, said)

        self._run(act)

    def _withdraw_early(self, execute: Execute, row: Row, identity: str) -> None:
        """Take away what a scan has made of this row's path: its own file is, or will be, there again."""
        values = {"path": row.file_path, "id": row.id, "host": row.host, "identity": identity or "none"}
        execute(self._sql.withdraw_early, values)
        if others := execute(self._sql.early_of_path, values):
            raise RowBusy(
                f"Row {others[0][0]} is about a file at the same path, and is in hand; try again in a minute."
            )

    def made_folders(self, paths: Collection[str]) -> frozenset[str]:
        def act(execute: Execute) -> frozenset[str]:
            return frozenset(path for path in paths if execute(self._sql.has_folder, {"path": path}))

        return self._run(act)

    def forget_folders(self, paths: Collection[str]) -> None:
        def act(execute: Execute) -> None:
            for path in sorted(paths):
                execute(self._sql.forget_folder, {"path": path})

        self._run(act)

    def _by_hand(self, row_id: int, sets: Callable[[Row], Sets], values: Values | None = None) -> Row:
        """Change a row that no worker has in hand."""

        def act(execute: Execute) -> Row:
            row = self._get(execute, row_id)
            if row.is_being_undone:
                raise RowBusy(f"Row {row.id} is being taken back. Finish that first: intake undo {row.id}")
            statement = self._sql.update(sets(row), f"id = :id AND {self._sql.unleased}")
            changed = _rows(execute(statement, {"id": row_id, **(values or {})}))
            if not changed:
                raise _busy(row)
            return changed[0]

        return self._run(act)

    def cleanup(self, older_than_seconds: float) -> int:
        sets = {"archived_at": self._sql.now, "metadata_json": "NULL", "candidates_json": "NULL"}
        old = f"updated_at <= {self._sql.later(':age')}"
        where = f"status = 'completed' AND archived_at IS NULL AND next_retry_at IS NULL AND {old}"
        return len(self._ask(self._sql.update(sets, where), {"age": -older_than_seconds}))

    # --- looking ------------------------------------------------------------------------------------------------

    def get(self, row_id: int) -> Row:
        return self._run(lambda execute: self._get(execute, row_id))

    def _get(self, execute: Execute, row_id: int) -> Row:
        rows = _rows(execute(self._sql.get, {"id": row_id}))
        if not rows:
            raise RowUnknown(f"There is no row {row_id}; `intake list` shows those there are.")
        return rows[0]

    def rows_of_path(self, path: str) -> list[Row]:
        return self._ask(self._sql.by_path, {"path": path})

    def rows(self, status: Status | None = None, limit: int = 50) -> list[Row]:
        statement = self._sql.newest_of_status if status else self._sql.newest
        return self._ask(statement, {"status": status, "limit": limit})

    def counts(self) -> Mapping[Status, int]:
        found = {
            str(status): int(number) for status, number in self._run(lambda execute: execute(self._sql.counts, {}))
        }
        return {status: found.get(status, 0) for status in Status}

    def next_due_in(self, lane: Lane) -> float | None:
        found = self._run(lambda execute: execute(self._sql.next_due[lane], {"host": self._host}))[0][0]
        return None if found is None else max(0.0, float(found))


def _busy(row: Row) -> RowBusy:
    return RowBusy(f"{row.claimed_by or 'A worker'} has row {row.id} in hand just now; try again in a minute.")


_CONVERTED: Mapping[str, Callable[[Any], Any]] = {"status": Status, "step": Step, "is_pinned": bool}
_NAMES = tuple(field.name for field in fields(Row))
_LEARNED = tuple(field.name for field in fields(Progress))


def _rows(found: Sequence[tuple[Any, ...]]) -> list[Row]:
    return [_row(dict(zip(_NAMES, values, strict=True))) for values in found]


def _row(values: dict[str, Any]) -> Row:
    return Row(**{name: _CONVERTED[name](value) if name in _CONVERTED else value for name, value in values.items()})


def _known(progress: Progress) -> dict[str, Any]:
    """Return the columns that have something new in them; a database knows no enumerations."""
    found = {name: value for name in _LEARNED if (value := getattr(progress, name)) is not None}
    return {**found, "step": str(found["step"])} if "step" in found else found
