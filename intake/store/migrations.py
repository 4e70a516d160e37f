"""PostgreSQL's table, in numbered steps. The first is the table as its other users know it: it is taken over."""

from collections.abc import Sequence

from intake.store.row import Status, Step
from intake.store.statements import CREATE_FOLDERS, INDEXES, TABLE

VERSION_TABLE = "intake_migration"
LOCK_KEY = 0x696E74616B65  # "intake": one program at a time changes the table
CHANNEL = TABLE
OF_THE_ORIGINAL = frozenset(
    {"id", "file_path", "movie_code", "actress", "subtitle", "status", "error_message", "new_path", "emby_item_id"}
    | {"metadata_json", "retry_count", "next_retry_at", "created_at", "updated_at"}
)
OF_ITS_MESSAGES = {
    "No movie code%": "no_code",
    "No metadata%": "unknown",
    "%not indexed%": "not_indexed",
}

CREATE_QUEUE = (
    f"""CREATE TABLE IF NOT EXISTS {TABLE} (
        id              SERIAL PRIMARY KEY,
        file_path       TEXT NOT NULL,
        movie_code      VARCHAR(20),
        actress         VARCHAR(255),
        subtitle        VARCHAR(50),
        status          VARCHAR(20) NOT NULL DEFAULT 'pending',
        error_message   TEXT,
        new_path        TEXT,
        emby_item_id    VARCHAR(100),
        metadata_json   JSONB,
        retry_count     INTEGER NOT NULL DEFAULT 0,
        next_retry_at   TIMESTAMP WITH TIME ZONE,
        created_at      TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT NOW(),
        updated_at      TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT NOW())""",
    f"CREATE INDEX IF NOT EXISTS idx_queue_status ON {TABLE} (status)",
    f"""CREATE INDEX IF NOT EXISTS idx_queue_retry ON {TABLE} (next_retry_at)
        WHERE status = 'error' AND next_retry_at IS NOT NULL""",
    f"CREATE UNIQUE INDEX IF NOT EXISTS idx_queue_file_path ON {TABLE} (file_path)",
    """CREATE OR REPLACE FUNCTION update_updated_at_column() RETURNS TRIGGER AS $$
        BEGIN
            NEW.updated_at = NOW();
            RETURN NEW;
        END;
        $$ LANGUAGE plpgsql""",
    f"""CREATE TRIGGER trg_queue_updated_at BEFORE UPDATE ON {TABLE}
        FOR EACH ROW EXECUTE FUNCTION update_updated_at_column()""",
)


def _one_of(names: Sequence[str]) -> str:
    return "(" + ", ".join(f"'{name}'" for name in names) + ")"


SAY_WHOSE_TURN_IT_IS = (
    f"DROP TRIGGER IF EXISTS trg_queue_updated_at ON {TABLE}",  # all our writes set it, and this step is no change
    f"""ALTER TABLE {TABLE}
        ALTER COLUMN movie_code TYPE TEXT, ALTER COLUMN actress TYPE TEXT, ALTER COLUMN subtitle TYPE TEXT,
        ALTER COLUMN status TYPE TEXT, ALTER COLUMN emby_item_id TYPE TEXT,
        ADD COLUMN step TEXT NOT NULL DEFAULT 'new',
        ADD COLUMN due_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),
        ADD COLUMN error_kind TEXT,
        ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN claimed_by TEXT,
        ADD COLUMN claim_no BIGINT NOT NULL DEFAULT 0,
        ADD COLUMN lease_until TIMESTAMPTZ,
        ADD COLUMN host TEXT NOT NULL DEFAULT '',
        ADD COLUMN identity TEXT NOT NULL DEFAULT '',
        ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN plan_json JSONB,
        ADD COLUMN candidates_json JSONB,
        ADD COLUMN published_json JSONB,
        ADD COLUMN archived_at TIMESTAMPTZ""",
    f"""UPDATE {TABLE} SET error_message = 'It had the status ' || status || ', which means nothing here.',
            error_kind = 'status', status = 'error', next_retry_at = NULL
        WHERE status NOT IN {_one_of(list(Status))}""",
    # What it said in words says here what can be done about it.
    *(
        f"UPDATE {TABLE} SET error_kind = '{kind}' WHERE status = 'error' AND error_message LIKE '{said}'"
        for said, kind in OF_ITS_MESSAGES.items()
    ),
    # A file that was moved before is not moved again.
    f"UPDATE {TABLE} SET step = 'placed' WHERE status IN ('moved', 'emby_pending') OR new_path IS NOT NULL",
    f"UPDATE {TABLE} SET step = 'pictured', next_retry_at = NULL WHERE status = 'completed'",
    f"ALTER TABLE {TABLE} ADD CONSTRAINT queue_status CHECK (status IN {_one_of(list(Status))})",
    f"ALTER TABLE {TABLE} ADD CONSTRAINT queue_step CHECK (step IN {_one_of(list(Step))})",
    f"""CREATE TRIGGER trg_queue_updated_at BEFORE UPDATE ON {TABLE}
        FOR EACH ROW EXECUTE FUNCTION update_updated_at_column()""",
    "DROP INDEX IF EXISTS idx_queue_file_path",  # the same name may come again: a finished row is history
    "DROP INDEX IF EXISTS idx_queue_status",
    "DROP INDEX IF EXISTS idx_queue_retry",
    *INDEXES,
    f"""CREATE OR REPLACE FUNCTION intake_rows_are_due() RETURNS TRIGGER AS $$
        BEGIN
            PERFORM pg_notify('{CHANNEL}', '');
            RETURN NULL;
        END;
        $$ LANGUAGE plpgsql""",
    f"""CREATE TRIGGER trg_queue_insert AFTER INSERT ON {TABLE}
        FOR EACH STATEMENT EXECUTE FUNCTION intake_rows_are_due()""",
    f"""CREATE TRIGGER trg_queue_waits AFTER UPDATE ON {TABLE} FOR EACH ROW
        WHEN (NEW.status IN ('pending', 'moved') AND (NEW.status <> OLD.status OR NEW.due_at < OLD.due_at))
        EXECUTE FUNCTION intake_rows_are_due()""",
)

REMEMBER_FOLDERS = (CREATE_FOLDERS,)

MIGRATIONS: Sequence[Sequence[str]] = (CREATE_QUEUE, SAY_WHOSE_TURN_IT_IS, REMEMBER_FOLDERS)
"""What leads from a version to the next; the first is number 1."""
