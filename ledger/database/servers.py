"""Servers in the ledger, numbered: their names are long, and would be in every row."""

from ledger.database.connection import Database

OF_SERVER = "server = (SELECT number FROM server WHERE server_id = ?)"


def server_number(db: Database, server_id: str) -> int:
    """Give the number of a server, a new one if it has none; it never changes."""
    query = "SELECT number FROM server WHERE server_id = ?"
    known = (
        db.row(query, server_id)
        or db.write_returning("INSERT INTO server (server_id) VALUES (?) RETURNING number", server_id)[0]
    )
    return int(known[0])
