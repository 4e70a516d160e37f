"""The SQL of both stores. It is the same text but for how a database tells the time, keeps JSON and passes over locks.

Parameters are written `:name`. What is claimable stands in one place, `_WAITING`; each of its lines has a partial
index of its own, so that a claim costs the same however many rows are finished.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from intake.store.row import BEFORE_PLACED, UNDONE, WORKING, Lane, Row, Step

Sets = Mapping[str, str]

TABLE = "processing_queue"
FOLDERS = "intake_folder"
CREATE_FOLDERS = f"CREATE TABLE {FOLDERS} (path TEXT PRIMARY KEY)"
_MOMENTS = frozenset({"due_at", "next_retry_at", "lease_until", "created_at", "updated_at"})
_TEXTS = frozenset({"movie_code", "actress", "subtitle", "new_path", "emby_item_id", "error_message"})
_JSON = frozenset({"metadata_json", "plan_json", "candidates_json", "published_json"})
EARLY = "step IN (" + ", ".join(f"'{step}'" for step in sorted(BEFORE_PLACED)) + ")"
_UNLEASED = "(lease_until IS NULL OR lease_until < {now})"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Rows that somebody will have to claim once the moment in `column` has come."""

    where: str
    column: str
    also: str = ""

    def due(self, now: str) -> str:
        has_come = _UNLEASED if self.column == "lease_until" else f"{self.column} <= {{now}}{self.also}"
        return f"{self.where} AND {has_come}".format(now=now)


# Those whose owner died come first: their file may be in two places.
_WAITING = {
    Lane.FILES: (
        _Waiting("status = 'processing'", "lease_until"),
        _Waiting(f"status = 'error' AND {EARLY}", "next_retry_at"),
        _Waiting("status = 'pending'", "due_at"),
    ),
    Lane.PUBLISH: (
        _Waiting("status = 'emby_pending'", "lease_until"),
        _Waiting(f"status = 'error' AND NOT {EARLY}", "next_retry_at"),
        _Waiting("status = 'moved'", "due_at"),
        _Waiting("status = 'completed'", "next_retry_at", f" AND {_UNLEASED}"),
    ),
}

INDEXES = (
    f"CREATE INDEX queue_next_pending ON {TABLE} (host, due_at, id) WHERE status = 'pending'",
    f"CREATE INDEX queue_next_moved ON {TABLE} (host, due_at, id) WHERE status = 'moved'",
    f"""CREATE INDEX queue_next_retry ON {TABLE} (host, next_retry_at, id)
        WHERE status = 'error' AND next_retry_at IS NOT NULL""",
    f"""CREATE INDEX queue_next_pictures ON {TABLE} (host, next_retry_at, id)
        WHERE status = 'completed' AND next_retry_at IS NOT NULL""",
    f"CREATE INDEX queue_leased_files ON {TABLE} (host, lease_until, id) WHERE status = 'processing'",
    f"CREATE INDEX queue_leased_publish ON {TABLE} (host, lease_until, id) WHERE status = 'emby_pending'",
    f"CREATE INDEX queue_open ON {TABLE} (id) WHERE status <> 'completed'",
    f"CREATE INDEX queue_shown ON {TABLE} (status, id) WHERE archived_at IS NULL",
    f"CREATE INDEX queue_by_path ON {TABLE} (file_path)",
    # A path on a host holds one file at a time, and a file that two hosts see is one row.
    f"CREATE UNIQUE INDEX queue_one_by_host ON {TABLE} (file_path, host) WHERE status <> 'completed' AND {EARLY}",
    f"""CREATE UNIQUE INDEX queue_one_by_file ON {TABLE} (file_path, identity)
        WHERE status <> 'completed' AND identity <> '' AND {EARLY}""",
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between the databases."""

    now: str
    later: str  # a moment so many seconds from now; {} is their number
    seconds: str  # a moment as a number; {} is the column
    json_in: str
    json_out: str
    skip_locked: str


class Statements:
    """The statements in one database's dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.columns = ", ".join(self._column(field.name) for field in fields(Row))
        self.claim = {lane: self._claim(lane) for lane in Lane}
        self.claim_one = {lane: self._claim_one(lane) for lane in Lane}
        self.elsewhere = {lane: self._elsewhere(lane) for lane in Lane}
        self.next_due = {lane: self._next_due(lane) for lane in Lane}
        self.get = f"SELECT {self.columns} FROM {TABLE} WHERE id = :id"
        self.take = self.update(self._held(), f"id = :id AND {self.unleased}")
        self.take_beside = self.update(
            {**self._held(), "status": f"'{WORKING[Lane.FILES]}'"},
            f"file_path = :path AND host = :host AND status <> 'completed' AND {EARLY} AND {self.unleased}"
            f" AND coalesce(error_kind, '') <> '{UNDONE}'",
        )
        held = "id = :id AND claim_no = :claim_no"
        # Not one that was handed back meanwhile: whoever wants it next would have to wait for a lease that nobody has.
        self.renew = (
            f"UPDATE {TABLE} SET lease_until = {self.later(':lease')} WHERE {held} AND lease_until IS NOT NULL"
            " RETURNING id"
        )
        self.is_held = f"SELECT id FROM {TABLE} WHERE {held}"
        self.withdraw = f"DELETE FROM {TABLE} WHERE {held}"
        # A row that was made for a file before another one is brought back to its path; not one that may have moved it.
        another = f"file_path = :path AND id <> :id AND (host = :host OR identity = :identity) AND {EARLY}"
        another += " AND status <> 'completed'"
        self.early_of_path = f"SELECT id FROM {TABLE} WHERE {another}"
        self.withdraw_early = f"DELETE FROM {TABLE} WHERE {another} AND step <> '{Step.PLANNED}' AND {self.unleased}"
        self.by_path = f"SELECT {self.columns} FROM {TABLE} WHERE file_path = :path ORDER BY id DESC"
        self.newest = f"SELECT {self.columns} FROM {TABLE} WHERE archived_at IS NULL ORDER BY id DESC LIMIT :limit"
        self.newest_of_status = (
            f"SELECT {self.columns} FROM {TABLE} WHERE archived_at IS NULL AND status = :status"
            " ORDER BY id DESC LIMIT :limit"
        )
        self.counts = f"SELECT status, count(*) FROM {TABLE} WHERE archived_at IS NULL GROUP BY status"
        self.note_folder = f"INSERT INTO {FOLDERS} (path) VALUES (:path) ON CONFLICT DO NOTHING"
        self.has_folder = f"SELECT path FROM {FOLDERS} WHERE path = :path"
        self.forget_folder = f"DELETE FROM {FOLDERS} WHERE path = :path"
        self.insert = (
            f"INSERT INTO {TABLE} (file_path, host, identity, status, due_at, created_at, updated_at)"
            f" VALUES (:path, :host, :identity, 'pending', {dialect.now}, {dialect.now}, {dialect.now})"
            " ON CONFLICT DO NOTHING RETURNING id"
        )

    def later(self, parameter: str) -> str:
        return self._dialect.later.format(parameter)

    def value(self, column: str) -> str:
        """Return the parameter that is written into a column of the same name."""
        return self._dialect.json_in.format(f":{column}") if column in _JSON else f":{column}"

    def update(self, sets: Sets, where: str) -> str:
        """Write an UPDATE of columns to expressions that answers with the whole rows."""
        assigned = ", ".join(
            f"{column} = {expression}" for column, expression in {**sets, "updated_at": self.now}.items()
        )
        return f"UPDATE {TABLE} SET {assigned} WHERE {where} RETURNING {self.columns}"

    @property
    def unleased(self) -> str:
        return _UNLEASED.format(now=self._dialect.now)

    @property
    def now(self) -> str:
        return self._dialect.now

    def _column(self, name: str) -> str:
        if name in _MOMENTS:
            return f"{self._dialect.seconds.format(name)} AS {name}"
        if name in _JSON:
            return f"coalesce({self._dialect.json_out.format(name)}, '') AS {name}"
        if name in _TEXTS or name in {"error_kind", "claimed_by"}:
            return f"coalesce({name}, '') AS {name}"
        return name

    def _taken(self, lane: Lane) -> Sets:
        """Assign the row to its new owner. Pictures that are late do not take a row out of `completed`."""
        return {**self._held(), "status": f"CASE status WHEN 'completed' THEN status ELSE '{WORKING[lane]}' END"}

    def _held(self) -> Sets:
        return {"claimed_by": ":worker", "claim_no": "claim_no + 1", "lease_until": self.later(":lease")}

    def _claim(self, lane: Lane) -> str:
        """Claim the first rows that are due. The choice stands apart, so that no planner makes it twice."""
        choices = " UNION ALL ".join(
            f"SELECT id FROM (SELECT id FROM {TABLE} WHERE {waiting.due(self.now)} AND host = :host"
            f" ORDER BY {waiting.column}, id LIMIT :limit {self._dialect.skip_locked}) AS {name}"
            for name, waiting in zip("abcd", _WAITING[lane], strict=False)
        )
        update = self.update(self._taken(lane), "id IN (SELECT id FROM chosen)")
        return f"WITH chosen AS MATERIALIZED (SELECT id FROM ({choices}) AS due LIMIT :limit) {update}"

    def _any_due(self, lane: Lane) -> str:
        return " OR ".join(f"({waiting.due(self.now)})" for waiting in _WAITING[lane])

    def _claim_one(self, lane: Lane) -> str:
        """Claim a row by its number, if it still can be."""
        choice = f"(SELECT id FROM {TABLE} WHERE id = :id AND ({self._any_due(lane)}) {self._dialect.skip_locked})"
        return self.update(self._taken(lane), f"id = {choice}")

    def _elsewhere(self, lane: Lane) -> str:
        """Find rows that are due and not known to be this host's."""
        return (
            f"SELECT {self.columns} FROM {TABLE} WHERE status <> 'completed' AND host <> :host"
            f" AND ({self._any_due(lane)}) AND id > :after ORDER BY id LIMIT :limit"
        )

    def _next_due(self, lane: Lane) -> str:
        moments = " UNION ALL ".join(
            f"SELECT min({one.column}) AS at FROM {TABLE}"
            f" WHERE {one.where} AND {one.column} IS NOT NULL AND host = :host"
            for one in _WAITING[lane]
        )
        at, now = self._dialect.seconds.format("min(at)"), self._dialect.seconds.format(self.now)
        return f"SELECT {at} - {now} FROM ({moments}) AS due"
