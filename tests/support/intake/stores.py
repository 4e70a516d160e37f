"""Both stores behind one face, so that a test can be run on either, also from processes of their own."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from intake.store.sqlite_store import FILE_NAME, SqliteStore

ROOT = Path(__file__).parents[3]
MOMENTS = ("due_at", "next_retry_at", "lease_until", "created_at", "updated_at")


def everywhere(_row):
    return True


def nowhere(_row):
    return False


def next_row(store, lane, sees=everywhere):
    """Claim one row, or none."""
    return next(iter(store.claim(lane, sees)), None)


class Database:
    """One database; `open` gives a store of a worker, `pass_time` lets so many seconds go by for all rows."""

    def __init__(self):
        self._opened = []
        self._processes = []

    def open(self, worker="w1", host="nas"):
        self._opened.append(self._open(worker, host))
        return self._opened[-1]

    def close(self):
        for process in self._processes:
            process.kill()
            process.communicate()
        for store in self._opened:
            store.close()

    def start_worker(self, do, worker, host="nas", **how):
        """Start a process that claims rows; what it prints is its log."""
        what = {**self.address, "do": do, "worker": worker, "host": host, **how}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.intake.worker", json.dumps(what)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._processes.append(process)
        return process


class SqliteDatabase(Database):
    kind = "sqlite"

    def __init__(self, folder):
        super().__init__()
        self.folder = str(folder)
        self.address = {"folder": self.folder}
        self.set_back_by = 0.0

    def _open(self, worker, host):
        return SqliteStore(self.folder, host, worker, lambda: time.time() - self.set_back_by)

    def set_clock_back(self, seconds):
        self.set_back_by += seconds

    def pass_time(self, seconds):
        self.execute(*(f"UPDATE processing_queue SET {name} = {name} - {seconds}" for name in MOMENTS))

    def execute(self, *statements):
        connection = sqlite3.connect(os.path.join(self.folder, FILE_NAME), timeout=30)
        with connection:
            for statement in statements:
                found = connection.execute(statement).fetchall()
        connection.close()
        return found


class PostgresDatabase(Database):
    kind = "postgres"

    def __init__(self, server, monkeypatch):
        super().__init__()
        self.server = server
        self._monkeypatch = monkeypatch
        self.name = server.new_database()
        self.address = {"url": server.url(self.name)}

    def _open(self, worker, host):
        from intake.store.postgres_store import PostgresStore

        return PostgresStore(self.address["url"], host, worker)

    def set_clock_back(self, seconds):
        """Set this machine's clock back; the database has its own."""
        real = time.time
        self._monkeypatch.setattr(time, "time", lambda: real() - seconds)

    def pass_time(self, seconds):
        self.execute(
            "ALTER TABLE processing_queue DISABLE TRIGGER USER",
            *(f"UPDATE processing_queue SET {name} = {name} - interval '{seconds} seconds'" for name in MOMENTS),
            "ALTER TABLE processing_queue ENABLE TRIGGER USER",
        )

    def execute(self, *statements):
        return self.server.execute(self.name, *statements)


def open_store(address, worker, host):
    """Open the store that an address from `Database.address` names."""
    if "folder" in address:
        return SqliteStore(address["folder"], host, worker)
    from intake.store.postgres_store import PostgresStore

    return PostgresStore(address["url"], host, worker)
