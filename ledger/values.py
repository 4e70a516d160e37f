"""Small values in the ledger, by name: what one process leaves for another, or for itself after a restart."""

from ledger.database.connection import Database

SERVER_AT = "machine "  # and an address: the server that answered there last, and no other is written to
FORGOTTEN_AT = "matches_forgotten_at"  # Clear Match Cache was run: a living worker that sees it change starts over
TRY_AT = "asked_to_try_at"  # a person wants the server asked now, whatever the circuit says
LAST_SWEEP = "last_sweep"  # how the last whole sweep went


class Values:
    """Texts by name."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, name: str) -> str | None:
        row = self._db.row("SELECT text FROM kept_value WHERE name = ?", name)
        return row[0] if row else None

    def set(self, name: str, text: str) -> None:
        self._db.write("INSERT OR REPLACE INTO kept_value VALUES (?, ?)", name, text)
