"""The match cache: where Plex has its files, how paths are mapped, which server it was. It can be found out again."""

from ledger.kept_names import FORGOTTEN_AT, MACHINE_AT
from ledger.ledger_file import connect
from plex.index_store import IndexStore


def forget_matches(database: str, now: float) -> int:
    """Forget it all and say how many files that were. Whoever is reading Plex meanwhile begins anew."""
    files = _empty_index(database)
    _forget_server(database, now)
    return files


def _empty_index(database: str) -> int:
    store = IndexStore(database)
    try:
        files = store.count_parts()
        store.keep_only((), "")
    finally:
        store.close()
    return files


def _forget_server(database: str, now: float) -> None:
    connection = connect(database)
    try:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            # The path map is not among them: a worker in the middle of a batch would look in the wrong places without
            # one. Every line to Plex that is opened, or starts over, finds it out anew.
            connection.execute("DELETE FROM kept_value WHERE name LIKE ?", (f"{MACHINE_AT}%",))
            connection.execute("INSERT OR REPLACE INTO kept_value VALUES (?, ?)", (FORGOTTEN_AT, str(now)))
    finally:
        connection.close()
