"""The tables of a ledger, as they are now."""

from collections.abc import Iterable

from ledger.states import HOLDS_ITEM, PictureState, SceneState

SCHEMA_VERSION = 10


def one_of(names: Iterable[str]) -> str:
    return "(" + ", ".join(f"'{name}'" for name in sorted(names)) + ")"


HOLDING = f"state IN {one_of(HOLDS_ITEM)}"

SCENE = f"""CREATE TABLE scene (
        scene_id INTEGER PRIMARY KEY,
        state TEXT NOT NULL CHECK (state IN {one_of(SceneState)}),
        sentence TEXT NOT NULL,
        fingerprint BLOB NOT NULL DEFAULT '',
        item_id TEXT,
        server INTEGER NOT NULL DEFAULT 0,
        path TEXT NOT NULL DEFAULT '',
        recorded_at REAL NOT NULL,
        synced_at REAL)"""
SCENE_INDEX = "CREATE INDEX scene_by_state ON scene (state)"
# By item and not by scene: whoever takes an item over must know what on it is ours, and whose it was.
ITEM = """CREATE TABLE item_baseline (
        item_id TEXT NOT NULL,
        server INTEGER NOT NULL REFERENCES server (number),
        path TEXT NOT NULL,
        data BLOB NOT NULL,
        at REAL NOT NULL,
        scene_id INTEGER NOT NULL DEFAULT 0,
        left_at REAL,
        PRIMARY KEY (item_id, server))"""
ITEM_INDEX = "CREATE INDEX item_by_scene ON item_baseline (scene_id)"
INTENT = """CREATE TABLE intent (
        item_id TEXT NOT NULL,
        server_id TEXT NOT NULL,
        scene_id INTEGER NOT NULL,
        path TEXT NOT NULL,
        baseline TEXT NOT NULL,
        entries TEXT NOT NULL,
        PRIMARY KEY (item_id, server_id)) WITHOUT ROWID"""
PICTURE = f"""CREATE TABLE picture (
        scene_id INTEGER NOT NULL,
        kind TEXT NOT NULL,
        item_id TEXT NOT NULL,
        server INTEGER NOT NULL REFERENCES server (number),
        stamp TEXT NOT NULL,
        digest BLOB NOT NULL,
        key BLOB NOT NULL,
        state TEXT NOT NULL CHECK (state IN {one_of(PictureState)}),
        sentence TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (scene_id, kind)) WITHOUT ROWID"""
PICTURE_BESIDE = f"""CREATE TABLE picture_beside (
        item_id TEXT NOT NULL,
        server INTEGER NOT NULL REFERENCES server (number),
        kind TEXT NOT NULL,
        scene_id INTEGER NOT NULL,
        stamp TEXT NOT NULL,
        digest BLOB NOT NULL,
        key BLOB NOT NULL,
        state TEXT NOT NULL CHECK (state IN {one_of(PictureState)}),
        sentence TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (item_id, server, kind)) WITHOUT ROWID"""
PICTURE_INTENT = """CREATE TABLE picture_intent (
        item_id TEXT NOT NULL,
        server_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        scene_id INTEGER NOT NULL,
        digest TEXT NOT NULL,
        old TEXT NOT NULL,
        old_locked INTEGER NOT NULL CHECK (old_locked IN (0, 1)),
        was_ours INTEGER NOT NULL CHECK (was_ours IN (0, 1)),
        PRIMARY KEY (item_id, server_id, kind)) WITHOUT ROWID"""
PIN = """CREATE TABLE pin (
        scene_id INTEGER PRIMARY KEY,
        item_id TEXT NOT NULL,
        server_id TEXT NOT NULL DEFAULT '',
        path TEXT NOT NULL DEFAULT '',
        size INTEGER NOT NULL DEFAULT 0)"""
SERVER = "CREATE TABLE server (number INTEGER PRIMARY KEY, server_id TEXT NOT NULL UNIQUE)"
JOURNAL = """CREATE TABLE journal (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id INTEGER NOT NULL REFERENCES run (id),
        scene_id INTEGER NOT NULL,
        item_id TEXT NOT NULL,
        server INTEGER NOT NULL REFERENCES server (number),
        at REAL NOT NULL,
        entries BLOB NOT NULL,
        written INTEGER NOT NULL,
        undone INTEGER NOT NULL DEFAULT 0,
        undone_at REAL)"""  # `undone_at` is when the last of its entries was undone
JOURNAL_INDEXES = (
    "CREATE INDEX journal_by_run ON journal (run_id, undone_at)",
    "CREATE INDEX journal_by_scene ON journal (scene_id)",
    "CREATE INDEX journal_by_item ON journal (server, item_id) WHERE undone_at IS NULL",
    "CREATE INDEX journal_undone ON journal (undone_at) WHERE undone_at IS NOT NULL",
)

SCHEMA = (
    SERVER,
    "INSERT INTO server VALUES (0, '')",
    SCENE,
    SCENE_INDEX,
    ITEM,
    ITEM_INDEX,
    INTENT,
    PIN,
    """CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, began_at REAL NOT NULL, ended_at REAL)""",
    JOURNAL,
    *JOURNAL_INDEXES,
    PICTURE,
    PICTURE_BESIDE,
    PICTURE_INTENT,
    "CREATE TABLE kept_value (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE ledger_schema (version INTEGER NOT NULL)",
    f"INSERT INTO ledger_schema VALUES ({SCHEMA_VERSION})",
)
