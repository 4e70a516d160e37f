"""Intake as the page in Stash shows it, and the three buttons that it has. Each call opens and closes what it needs."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from os.path import basename, exists, join

from intake.actions.set_code import CannotSetCode, set_code
from intake.actions.undo import CannotUndo, undo
from intake.naming.shown import printable
from intake.store.errors import StoreError
from intake.store.port import IntakeStore
from intake.store.row import Row, Status
from intake.store.sqlite_store import FILE_NAME
from intake.wiring import (
    NEEDED_TO_RUN,
    WrongSettings,
    load_packages,
    make_file_owner,
    make_rules,
    open_store,
    read_intake_settings,
    require,
)
from runtime.folder import DataFolder
from runtime.lock import is_held
from runtime.packages import PackagesMissing
from runtime.state_file import read_state
from validation.intake_config import IntakeConfig
from validation.json_shapes import as_list

MOST_IN_ERROR, MOST_OTHERS = 50, 50
_WHERE = {
    Status.PENDING: "It waits for its turn.",
    Status.PROCESSING: "It is being named and moved.",
    Status.MOVED: "It is in its place and waits to be shown.",
    Status.EMBY_PENDING: "It is in its place; the servers are being told.",
    Status.COMPLETED: "It is done.",
    Status.ERROR: "It stopped.",
}
_EXPECTED = (StoreError, WrongSettings, PackagesMissing, CannotSetCode, CannotUndo)


@dataclass(frozen=True, slots=True)
class IntakeRow:
    """One file. `at` is when something last happened to it, in ISO 8601 and UTC."""

    id: int
    name: str
    status: str
    step: str
    code: str | None
    sentence: str
    at: str


@dataclass(frozen=True, slots=True)
class IntakeView:
    """`is_on`: somebody has set intake up here. Rows that need a person come first, then the newest."""

    is_on: bool
    sentence: str
    counts: Mapping[str, int]
    rows: tuple[IntakeRow, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """What a button did, or, not `ok`, why it could not."""

    ok: bool
    sentence: str


def view(folder: DataFolder) -> IntakeView:
    """Look at the rows. That the database is away, or a setting wrong, is the view's sentence."""
    config = read_intake_settings(folder).config
    if not _is_on(folder, config):
        return IntakeView(
            is_on=False, sentence="Intake is not set up: set WATCH_DIR and DESTINATION_DIR.", counts={}, rows=()
        )
    try:
        with _store(folder) as store:
            counts = store.counts()
            failed = store.rows(Status.ERROR, MOST_IN_ERROR)
            newest = [row for row in store.rows(limit=MOST_OTHERS) if row.status is not Status.ERROR]
    except _EXPECTED as error:
        return IntakeView(is_on=True, sentence=str(error), counts={}, rows=())
    shown = tuple(_row(row) for row in (*failed, *newest))
    numbers = {str(name): number for name, number in counts.items()}
    return IntakeView(is_on=True, sentence=_sentence(folder, counts), counts=numbers, rows=shown)


def retry(folder: DataFolder, row_id: int) -> Done:
    """Let a row go on where it stopped."""
    return _done(folder, lambda store, _: f"{_name(store.retry(row_id))} goes on.")


def pin_code(folder: DataFolder, row_id: int, code: str) -> Done:
    """Take a person's word on what a file is."""

    def act(store: IntakeStore, _: IntakeConfig) -> str:
        row = set_code(store, row_id, code)
        return f"{_name(row)} is {row.movie_code} and is looked up again."

    return _done(folder, act)


def take_back(folder: DataFolder, row_id: int) -> Done:
    """Bring a row's files back to where they came from."""

    def act(store: IntakeStore, config: IntakeConfig) -> str:
        undone = undo(store, row_id, make_rules(config), make_file_owner(folder, config))
        names = ", ".join(_name(store.get(one)) for one in undone.rows)
        return " ".join([f"{names} {'is' if len(undone.rows) == 1 else 'are'} back.", *undone.left])

    return _done(folder, act, *NEEDED_TO_RUN)


def _done(folder: DataFolder, act: Callable[[IntakeStore, IntakeConfig], str], *needed: str) -> Done:
    try:
        config = require(read_intake_settings(folder), *needed)
        with _store(folder) as store:
            return Done(ok=True, sentence=act(store, config))
    except _EXPECTED as error:
        return Done(ok=False, sentence=str(error))


@contextmanager
def _store(folder: DataFolder) -> Generator[IntakeStore]:
    config = require(read_intake_settings(folder))
    load_packages(folder, config)
    store = open_store(folder, config, "the page")
    try:
        yield store
    finally:
        store.close()


def _is_on(folder: DataFolder, config: IntakeConfig) -> bool:
    is_set = bool(config.watch_dir and config.destination_dir) or exists(folder.intake_state)
    return is_set or exists(join(folder.intake_dir, FILE_NAME)) or is_held(folder.intake_lock)


def _sentence(folder: DataFolder, counts: Mapping[Status, int]) -> str:
    obstacles = [str(one) for one in as_list(read_state(folder.intake_state).get("obstacles")) or ()]
    if not is_held(folder.intake_lock):
        obstacles = ["The service does not run on this machine; start it with: intake run."]
    waiting = sum(counts[one] for one in (Status.PENDING, Status.PROCESSING, Status.MOVED, Status.EMBY_PENDING))
    told = f"{counts[Status.COMPLETED]:,} done, {waiting:,} on their way, {counts[Status.ERROR]:,} stopped."
    return " ".join([*obstacles, told])


def _row(row: Row) -> IntakeRow:
    at = datetime.fromtimestamp(row.updated_at, UTC).isoformat(timespec="seconds")
    sentence = row.error_message or _WHERE[row.status]
    return IntakeRow(row.id, _name(row), row.status.value, row.step.value, row.movie_code or None, sentence, at)


def _name(row: Row) -> str:
    return printable(basename(row.file_path))
