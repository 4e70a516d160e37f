"""What leads a ledger of an earlier version to the next. It is not touched again: such files are out there."""

from collections.abc import Iterable, Mapping

from ledger.database.schema import (
    INTENT,
    ITEM,
    ITEM_INDEX,
    JOURNAL,
    JOURNAL_INDEXES,
    PICTURE,
    PICTURE_BESIDE,
    PICTURE_INTENT,
    PIN,
    SCENE,
    SCENE_INDEX,
)
from ledger.states import PictureState


def _one_of(names: Iterable[str]) -> str:
    return "(" + ", ".join(f"'{name}'" for name in sorted(names)) + ")"


# By item and not by scene: whoever takes an item over must know what on it is ours, and whose it was.
_ITEM_BASELINE = """CREATE TABLE item_baseline (
        rating_key INTEGER NOT NULL,
        machine TEXT NOT NULL,
        path TEXT NOT NULL,
        data TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (rating_key, machine))"""
_ITEM = """CREATE TABLE item_baseline (
        rating_key INTEGER NOT NULL,
        server_id INTEGER NOT NULL REFERENCES server (id),
        path TEXT NOT NULL,
        data BLOB NOT NULL,
        at REAL NOT NULL,
        scene_id INTEGER NOT NULL DEFAULT 0,
        left_at REAL,
        PRIMARY KEY (rating_key, server_id))"""
_ITEM_SCENE = "ALTER TABLE item_baseline ADD COLUMN scene_id INTEGER NOT NULL DEFAULT 0"
_ITEM_LEFT = "ALTER TABLE item_baseline ADD COLUMN left_at REAL"
_ITEM_BY_SCENE = "CREATE INDEX item_by_scene ON item_baseline (scene_id)"
_INTENT = """CREATE TABLE IF NOT EXISTS intent (
        rating_key INTEGER NOT NULL,
        machine TEXT NOT NULL,
        scene_id INTEGER NOT NULL,
        path TEXT NOT NULL,
        baseline TEXT NOT NULL,
        entries TEXT NOT NULL,
        PRIMARY KEY (rating_key, machine)) WITHOUT ROWID"""
_PICTURE = f"""CREATE TABLE picture (
        scene_id INTEGER NOT NULL,
        kind TEXT NOT NULL,
        rating_key INTEGER NOT NULL,
        server_id INTEGER NOT NULL REFERENCES server (id),
        stamp TEXT NOT NULL,
        digest BLOB NOT NULL,
        key BLOB NOT NULL,
        state TEXT NOT NULL CHECK (state IN {_one_of(PictureState)}),
        sentence TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (scene_id, kind)) WITHOUT ROWID"""
_PICTURE_INTENT = """CREATE TABLE picture_intent (
        rating_key INTEGER NOT NULL,
        machine TEXT NOT NULL,
        kind TEXT NOT NULL,
        scene_id INTEGER NOT NULL,
        digest TEXT NOT NULL,
        old TEXT NOT NULL,
        old_locked INTEGER NOT NULL CHECK (old_locked IN (0, 1)),
        was_ours INTEGER NOT NULL CHECK (was_ours IN (0, 1)),
        PRIMARY KEY (rating_key, machine, kind)) WITHOUT ROWID"""
_PIN_FILE = (
    "ALTER TABLE pin ADD COLUMN path TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE pin ADD COLUMN size INTEGER NOT NULL DEFAULT 0",
)
_SERVER = "CREATE TABLE server (id INTEGER PRIMARY KEY, machine TEXT NOT NULL UNIQUE)"
_NO_SERVER = "INSERT INTO server VALUES (0, '')"
_JOURNAL = (  # `undone_at` is when the last of its entries was undone
    """CREATE TABLE journal (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id INTEGER NOT NULL REFERENCES run (id),
        scene_id INTEGER NOT NULL,
        rating_key INTEGER NOT NULL,
        server_id INTEGER NOT NULL REFERENCES server (id),
        at REAL NOT NULL,
        entries BLOB NOT NULL,
        written INTEGER NOT NULL,
        undone INTEGER NOT NULL DEFAULT 0,
        undone_at REAL)""",
    "CREATE INDEX journal_by_run ON journal (run_id, undone_at)",
    "CREATE INDEX journal_by_scene ON journal (scene_id)",
    "CREATE INDEX journal_by_item ON journal (server_id, rating_key) WHERE undone_at IS NULL",
    "CREATE INDEX journal_undone ON journal (undone_at) WHERE undone_at IS NOT NULL",
)


def _number_servers_of(table: str) -> str:
    return f"INSERT OR IGNORE INTO server (machine) SELECT DISTINCT machine FROM {table}"


def _whose(newest: str) -> str:
    """Note of each item the scene that a query, which is grouped by item, finds for it."""
    return f"""UPDATE item_baseline SET scene_id = found.scene_id FROM ({newest} GROUP BY rating_key, machine) AS found
        WHERE found.rating_key = item_baseline.rating_key AND found.machine = item_baseline.machine"""


_WITH_ITEMS = ("scene", "item_baseline", "intent", "pin", "journal", "picture", "picture_intent")
_INDEXES = (
    "scene_by_state",
    "item_by_scene",
    "journal_by_run",
    "journal_by_scene",
    "journal_by_item",
    "journal_undone",
)

STEPS: Mapping[int, tuple[str, ...]] = {
    1: (  # baselines were kept by scene; of two scenes that were on one item, the later knows what is on it
        _ITEM_BASELINE,
        """INSERT OR REPLACE INTO item_baseline
           SELECT rating_key, machine, path, data, recorded_at FROM scene JOIN baseline USING (scene_id)
           WHERE rating_key IS NOT NULL ORDER BY synced_at""",
        "DROP TABLE baseline",
        _INTENT,
        "UPDATE ledger_schema SET version = 2",
    ),
    2: (  # on which server a person meant an item was not kept
        _PICTURE_INTENT,
        "ALTER TABLE pin ADD COLUMN machine TEXT NOT NULL DEFAULT ''",
        "UPDATE pin SET machine = coalesce((SELECT machine FROM scene WHERE scene.scene_id = pin.scene_id), '')",
        "UPDATE ledger_schema SET version = 3",
    ),
    3: (  # whose an item is was kept by scene; who wrote there last has it
        _ITEM_SCENE,
        _whose("SELECT rating_key, machine, scene_id, max(id) FROM journal WHERE undone_at IS NULL"),
        _whose("SELECT rating_key, machine, scene_id, max(synced_at) FROM scene WHERE synced_at IS NOT NULL"),
        "DROP INDEX IF EXISTS scene_by_item",
        _ITEM_BY_SCENE,
        "UPDATE ledger_schema SET version = 4",
    ),
    4: (_ITEM_LEFT, "UPDATE ledger_schema SET version = 5"),
    5: (*_PIN_FILE, "UPDATE ledger_schema SET version = 6"),  # which file a scene had that a person pinned
    6: (  # every value had a row of its own
        _SERVER,
        *(_number_servers_of(table) for table in ("journal", "picture")),
        "ALTER TABLE journal RENAME TO journal_of_values",
        *(f"DROP INDEX IF EXISTS journal_{name}" for name in ("by_run", "by_scene", "to_undo", "by_item")),
        *_JOURNAL,
        """INSERT INTO journal (run_id, scene_id, rating_key, server_id, at, entries, written, undone, undone_at)
           SELECT run_id, scene_id, rating_key, server.id, at,
               pack(json_group_array(json_array(field, kind, json(old), json(new), old_locked, was_ours, undone_at))),
               count(*), count(undone_at), iif(count(*) = count(undone_at), max(undone_at), NULL)
           FROM (SELECT * FROM journal_of_values ORDER BY id) AS value JOIN server USING (machine)
           GROUP BY run_id, scene_id, rating_key, machine, at ORDER BY min(value.id)""",
        "DROP TABLE journal_of_values",
        "ALTER TABLE picture RENAME TO picture_before",
        _PICTURE,
        """INSERT INTO picture SELECT scene_id, kind, rating_key, server.id, substr(stamp, instr(stamp, '?') + 1),
               shortened(digest), shortened(key), state, sentence, at
               FROM picture_before JOIN server USING (machine)""",
        "DROP TABLE picture_before",
        "UPDATE scene SET fingerprint = shortened(fingerprint)",
        "UPDATE item_baseline SET data = pack(data)",
        "UPDATE ledger_schema SET version = 7",
    ),
    7: (  # most rows carried the long name of their server
        "DELETE FROM server WHERE machine = '' AND NOT EXISTS (SELECT 1 FROM picture WHERE server_id = server.id)",
        _NO_SERVER,
        *(_number_servers_of(table) for table in ("scene", "item_baseline")),
        "ALTER TABLE scene ADD COLUMN server_id INTEGER NOT NULL DEFAULT 0",
        "UPDATE scene SET server_id = (SELECT id FROM server WHERE server.machine = scene.machine)",
        "ALTER TABLE scene DROP COLUMN machine",
        "ALTER TABLE item_baseline RENAME TO item_before",
        "DROP INDEX item_by_scene",
        _ITEM,
        _ITEM_BY_SCENE,
        """INSERT INTO item_baseline SELECT rating_key, server.id, path, data, at, scene_id, left_at
           FROM item_before JOIN server USING (machine) ORDER BY rating_key""",
        "DROP TABLE item_before",
        "UPDATE ledger_schema SET version = 8",
    ),
    8: (  # Plex's numbers were the only names of items
        "ALTER TABLE server RENAME COLUMN machine TO server_id",
        "ALTER TABLE server RENAME COLUMN id TO number",
        *(f"ALTER TABLE {table} RENAME TO {table}_before" for table in _WITH_ITEMS),
        *(f"DROP INDEX {name}" for name in _INDEXES),
        SCENE,
        SCENE_INDEX,
        ITEM,
        ITEM_INDEX,
        INTENT,
        PIN,
        JOURNAL,
        *JOURNAL_INDEXES,
        PICTURE,
        PICTURE_INTENT,
        """INSERT INTO scene SELECT scene_id, state, sentence, fingerprint, CAST(rating_key AS TEXT), server_id, path,
               recorded_at, synced_at FROM scene_before""",
        """INSERT INTO item_baseline SELECT CAST(rating_key AS TEXT), server_id, path, data, at, scene_id, left_at
               FROM item_baseline_before""",
        """INSERT INTO intent SELECT CAST(rating_key AS TEXT), machine, scene_id, path, baseline, entries
               FROM intent_before""",
        "INSERT INTO pin SELECT scene_id, CAST(rating_key AS TEXT), machine, path, size FROM pin_before",
        """INSERT INTO journal SELECT id, run_id, scene_id, CAST(rating_key AS TEXT), server_id, at, entries, written,
               undone, undone_at FROM journal_before""",
        """INSERT INTO picture SELECT scene_id, kind, CAST(rating_key AS TEXT), server_id, stamp, digest, key, state,
               sentence, at FROM picture_before""",
        """INSERT INTO picture_intent SELECT CAST(rating_key AS TEXT), machine, kind, scene_id, digest, old, old_locked,
               was_ours FROM picture_intent_before""",
        *(f"DROP TABLE {table}_before" for table in _WITH_ITEMS),
        *(f"DROP TABLE IF EXISTS {table}" for table in ("plex_part", "plex_library")),  # it is read again
        "UPDATE ledger_schema SET version = 9",
    ),
    9: (  # only one item of a scene was given pictures
        PICTURE_BESIDE,
        "UPDATE ledger_schema SET version = 10",
    ),
}
