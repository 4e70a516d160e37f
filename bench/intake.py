"""What intake costs: files against a bare loop, a claim among finished rows, an idle service.

Usage: python bench/intake.py [--files 10000] [--rows 1000000] [--seconds 60] [--repeats 3]

The bare loop asks the same simulated WordPress the same question for each file, and renames it. The service is the real
one, in a process of its own, from its start until its last row is written. PostgreSQL is a real one. Both take turns,
and the middle one of the ratios counts: a machine that is busy with other things is so for both.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.idle import processor_seconds, resident_megabytes  # noqa: E402 - a script finds the project beside it
from bench.support.promises import Promise, judge  # noqa: E402
from intake.store.port import IntakeStore  # noqa: E402
from intake.store.postgres_store import PostgresStore  # noqa: E402
from intake.store.row import FoundFile, Lane, Status  # noqa: E402
from intake.store.sqlite_store import SqliteStore  # noqa: E402
from tests.support.intake.postgres import PostgresServer  # noqa: E402

RATIO_LIMIT, CLAIM_LIMIT, MEMORY_LIMIT_MB, IDLE_LIMIT = 2.5, 1.5, 60.0, 0.002
FEW, TRIES = 1000, 300


@contextmanager
def wordpress() -> Iterator[tuple[str, str]]:
    """Run the simulated site in a process of its own, so that it costs neither side anything."""
    process = subprocess.Popen([sys.executable, "-m", "sim.wordpress"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url, token = process.stdout.readline().split()
    try:
        yield url, token
    finally:
        process.kill()
        process.communicate()


@contextmanager
def jellyfin() -> Iterator[dict[str, str]]:
    """Run a simulated Jellyfin, and give the settings that name it."""
    command = [sys.executable, "-m", "sim.mediabrowser", "--items", "0", "--flavour", "jellyfin-12"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    where = json.loads(process.stdout.readline())
    try:
        yield {"JELLYFIN_BASE_URL": where["url"], "JELLYFIN_API_KEY": where["apiKey"]}
    finally:
        process.kill()
        process.communicate()


def drop_files(folder: Path, files: int) -> list[str]:
    folder.mkdir(parents=True)
    names = [f"BENC-{number:05d}.mp4" for number in range(files)]
    for name in names:
        (folder / name).write_bytes(name.encode())
    return names


def bare_loop(folder: Path, url: str, token: str, files: int) -> tuple[float, float]:
    """Ask and rename, with nothing remembered: what nobody could do without. Return seconds, and those of processor."""
    names = drop_files(folder / "watch", files)
    (folder / "library").mkdir()
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token}"
    started, spent = time.perf_counter(), time.process_time()
    for name in names:
        work = session.post(f"{url}/missav/search", json={"moviecode": name[:-4]}, timeout=30).json()["data"]
        target = folder / "library" / work["actress"][0]
        target.mkdir(exist_ok=True)
        os.rename(folder / "watch" / name, target / f"{work['title']}.mp4")
    return time.perf_counter() - started, time.process_time() - spent


@contextmanager
def service(folder: Path, **settings: str) -> Iterator[int]:
    environment = {
        **os.environ,
        "WATCH_DIR": str(folder / "watch"),
        "DESTINATION_DIR": str(folder / "library"),
        "STASH2PLEX_DATA_DIR": str(folder / "data"),
        "STASH2PLEX_STABLE_SECONDS": "0",
        **settings,
    }
    command = [sys.executable, str(ROOT / "Stash2Plex.py"), "intake", "run"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def through_the_service(folder: Path, url: str, token: str, files: int) -> tuple[float, float]:
    drop_files(folder / "watch", files)
    (folder / "library").mkdir()
    started = time.perf_counter()
    with service(folder, API_BASE_URL=url, API_TOKEN=token) as pid:
        store = SqliteStore(str(folder / "data" / "intake"), "bench", "bench")
        while store.counts()[Status.COMPLETED] < files:
            time.sleep(0.25)
        taken, spent = time.perf_counter() - started, processor_seconds(pid)
        store.close()
    return taken, spent


def files_against_a_loop(files: int, repeats: int) -> Iterator[Promise]:
    ratios: list[float] = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder, wordpress() as (url, token):
            bare, bare_spent = bare_loop(Path(folder, "bare"), url, token, files)
            ours, ours_spent = through_the_service(Path(folder, "ours"), url, token, files)
        ratios.append(ours / bare)
        print(
            f"{files:,} files: bare loop {bare:.1f} s, the service {ours:.1f} s, {ours / bare:.2f} times; "
            f"of processor {bare_spent:.1f} s and {ours_spent:.1f} s, {ours_spent / bare_spent:.2f} times"
        )
    ratio = statistics.median(ratios)
    yield Promise(
        f"{files:,} files on one device: {ratio:.2f} times a loop of rename and the same requests",
        f"at most {RATIO_LIMIT}",
        kept=ratio <= RATIO_LIMIT,
    )


def claim_seconds(store: IntakeStore) -> float:
    started = time.perf_counter()
    rows = store.claim(Lane.FILES, lambda _: True)
    assert rows
    return time.perf_counter() - started


def claims(few: IntakeStore, many: IntakeStore, rows: int, name: str) -> Promise:
    """Compare a claim among few finished rows with one among many; they take turns, so that both meet the same load."""
    for store in (few, many):
        store.offer([FoundFile(f"/watch/{number}", str(number)) for number in range(TRIES)])
    pairs = [(claim_seconds(few), claim_seconds(many)) for _ in range(TRIES)]
    of_few, of_many = (statistics.median(one) for one in zip(*pairs, strict=True))
    print(f"{name}: a claim takes {of_few * 1e6:.0f} µs at {FEW:,} finished rows, {of_many * 1e6:.0f} µs at {rows:,}")
    return Promise(
        f"{name}: a claim at {rows:,} finished rows costs {of_many / of_few:.2f} times one at {FEW:,}",
        f"about the same: at most {CLAIM_LIMIT}",
        kept=of_many / of_few <= CLAIM_LIMIT,
    )


FINISHED = "file_path, status, step, host, due_at, created_at, updated_at"


def claims_on_sqlite(rows: int) -> Promise:
    import sqlite3  # noqa: PLC0415 - only here is the file filled past the store

    with tempfile.TemporaryDirectory() as folder:
        stores: list[SqliteStore] = []
        for number in (FEW, rows):
            place = f"{folder}/{number}"
            stores.append(SqliteStore(place, "bench", "bench"))
            stores[-1].counts()
            connection = sqlite3.connect(f"{place}/intake.db")
            values = ((f"/done/{one}", "completed", "pictured", "bench", 0, 0, 0) for one in range(number))
            connection.executemany(f"INSERT INTO processing_queue ({FINISHED}) VALUES (?,?,?,?,?,?,?)", values)  # noqa: S608 - constants
            connection.commit()
            connection.close()
        promise = claims(stores[0], stores[1], rows, "SQLite")
        for store in stores:
            store.close()
        return promise


def claims_on_postgres(rows: int) -> Promise:
    with PostgresServer() as server:
        stores: list[PostgresStore] = []
        for number in (FEW, rows):
            name = server.new_database()
            stores.append(PostgresStore(server.url(name), "bench", "bench"))
            stores[-1].counts()
            server.execute(
                name,
                f"""INSERT INTO processing_queue ({FINISHED})
                    SELECT '/done/' || n, 'completed', 'pictured', 'bench', now(), now(), now()
                    FROM generate_series(1, {number}) n""",  # noqa: S608 - constants
                "VACUUM ANALYZE processing_queue",
            )
        promise = claims(stores[0], stores[1], rows, "PostgreSQL")
        for store in stores:
            store.close()
        return promise


def idle(seconds: float) -> Iterator[Promise]:
    """Measure a service with nothing to do: by itself, and with PostgreSQL and a server to tell."""
    with PostgresServer() as server, wordpress() as (url, token), jellyfin() as told:
        more = {"DATABASE_URL": server.url(server.new_database()), **told}
        for name, settings in (("SQLite", {}), ("PostgreSQL and Jellyfin", more)):
            yield from _idle(seconds, name, {"API_BASE_URL": url, "API_TOKEN": token, **settings})


def _idle(seconds: float, name: str, settings: dict[str, str]) -> Iterator[Promise]:
    with tempfile.TemporaryDirectory() as folder:
        for place in ("watch", "library"):
            Path(folder, place).mkdir()
        with service(Path(folder), **settings) as pid:
            time.sleep(5)
            before = processor_seconds(pid)
            time.sleep(seconds)
            spent, memory = processor_seconds(pid) - before, resident_megabytes(pid)
    print(f"idle, {name}: {spent:.2f} s of processor in {seconds:.0f} s, {memory:.1f} MB")
    yield Promise(f"idle, {name}: {memory:.0f} MB", f"under {MEMORY_LIMIT_MB:.0f}", kept=memory < MEMORY_LIMIT_MB)
    yield Promise(
        f"idle, {name}: {spent / seconds:.2%} of one core",
        f"at most {IDLE_LIMIT:.1%}",
        kept=spent / seconds <= IDLE_LIMIT,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    promises = [
        *files_against_a_loop(options.files, options.repeats),
        claims_on_sqlite(options.rows),
        claims_on_postgres(options.rows),
        *idle(options.seconds),
    ]
    sys.exit(judge(promises))


if __name__ == "__main__":
    main()
