"""Servers in the ledger, numbered: their names are long, and would be in every row."""

import sqlite3

OF_SERVER = "server = (SELECT number FROM server WHERE server_id = ?)"


def server_number(connection: sqlite3.Connection, server_id: str) -> int:
    """Give the number of a server, a new one if it has none; it stays the same for ever. Wants a transaction."""
    connection.execute("INSERT OR IGNORE INTO server (server_id) VALUES (?)", (server_id,))
    return connection.execute("SELECT number FROM server WHERE server_id = ?", (server_id,)).fetchone()[0]
