"""The data folder of an older version: taken over once, whoever dies or looks on the way, and nothing of it is lost.

`tests/data/older/data-folder.tar.gz` was made by that version: twelve scenes synced, some edited twice, one mapped by
hand, an outage, and a worker that was killed, so that most of what it knew was in the log beside its ledger.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import pytest

from ledger.database.ledger_file import LedgerMoved, connect
from ledger.store import Ledger
from runtime.folder import DataFolder
from sync_queue.manager import QueueManager
from worker.older_layout import take_over_older_layout

ROOT = Path(__file__).parents[2]
MADE_BY_IT = ROOT / "tests" / "data" / "older" / "data-folder.tar.gz"


@pytest.fixture
def folder(tmp_path):
    return unpacked(tmp_path / "stash2plex")


def unpacked(place):
    with tarfile.open(MADE_BY_IT) as archive:
        archive.extractall(place, filter="data")
    return DataFolder(str(place))


def everything(path):
    """Give all rows of all tables of a ledger, as today's code reads it."""
    with closing(Ledger(path)) as ledger:
        tables = [
            name for (name,) in ledger._db._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {name: sorted(map(repr, ledger._db._connection.execute(f"SELECT * FROM {name}"))) for name in tables}


@pytest.fixture
def known(tmp_path):
    """What an older version knew, read where it lay."""
    place = unpacked(tmp_path / "untouched")
    return everything(os.path.join(place.root, "ledger.db"))


def is_taken_over(folder):
    left = {name for name in os.listdir(folder.root) if name.startswith("ledger.db") or name == "stats.json"}
    return not left and folder.target("plex").root.endswith(os.path.join("targets", "plex"))


def read_by_sql(folder):
    """Read what the older version had written, in its own words: scenes, values before and after, choices."""
    with closing(sqlite3.connect(os.path.join(folder.root, "ledger.db"))) as db:
        scenes = db.execute(
            "SELECT scene_id, state, rating_key, sentence, fingerprint FROM scene ORDER BY 1"
        ).fetchall()
        values = db.execute("SELECT scene_id, rating_key, field, old, new, old_locked FROM journal").fetchall()
        pins = db.execute("SELECT scene_id, rating_key FROM pin").fetchall()
    return scenes, [(*one[:3], *map(json.loads, one[3:5]), bool(one[5])) for one in values], pins


def test_everything_is_there_afterwards(folder, known):
    scenes, values, pins = read_by_sql(folder)
    take_over_older_layout(folder)
    assert is_taken_over(folder)
    assert everything(folder.target("plex").ledger) == known
    assert os.path.exists(folder.target("plex").stats)
    with closing(Ledger(folder.target("plex").ledger)) as ledger:
        records = [ledger.scenes.get(scene_id) for scene_id, *_ in scenes]
        now = [(one.scene_id, one.state, one.item_id, one.sentence, one.fingerprint) for one in records]
        entries = ledger.journal.entries()
        pinned = ledger.pins.of([scene_id for scene_id, _ in pins])
    assert now == [(one[0], one[1], str(one[2]) if one[2] else None, *one[3:]) for one in scenes]
    assert len(scenes) == 12
    assert sorted(map(repr, values)) == sorted(repr(seen(one)) for one in entries)
    assert len(values) > 100
    assert pinned == {scene_id: str(key) for scene_id, key in pins} != {}
    with closing(QueueManager(folder.queue_dir)) as queue:
        waiting = {key for (key,) in queue._connection.execute("SELECT key FROM ack_queue_default WHERE status < 3")}
    assert {"scene:1", "scene:2", "scene:3"} <= waiting


def seen(entry):
    """Show an entry of the journal as the older version wrote it."""
    old, new = (list(one) if isinstance(one, tuple) else one for one in (entry.old, entry.new))
    return entry.scene_id, int(entry.item_id), entry.field, old, new, entry.old_locked


def test_it_is_taken_over_once(folder, known):
    take_over_older_layout(folder)
    stray = os.path.join(folder.root, "ledger.db")
    Ledger(stray).close()  # somebody who looked for it there in the very moment has begun a new one
    take_over_older_layout(folder)
    assert everything(folder.target("plex").ledger) == known


KILLED = """
import os, signal, sys
sys.path.insert(0, {root!r})
from runtime.folder import DataFolder
from worker.older_layout import take_over_older_layout
left = {step}
def count(event, args):
    global left
    if event in ("os.rename", "os.remove", "os.mkdir", "sqlite3.connect", "sqlite3.connect/handle", "open"):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
folder = DataFolder({folder!r})
sys.addaudithook(count)
take_over_older_layout(folder)
left = 0
print("done")
"""


def killed_at(folder, step):
    """Take the folder over in a process that dies at this step of it; say whether it died."""
    code = KILLED.format(root=str(ROOT), step=step, folder=folder.root)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def test_killed_at_any_step_the_next_worker_goes_on(tmp_path, known):
    step, steps = 0, 0
    while True:
        step += 1
        folder = unpacked(tmp_path / str(step))
        has_died = killed_at(folder, step)
        steps += has_died
        assert everything(folder.target("plex").ledger) == known, step  # a task that comes before the next worker
        take_over_older_layout(folder)
        assert is_taken_over(folder), step
        assert everything(folder.target("plex").ledger) == known, step
        if not has_died:
            break
    assert steps >= 5


def test_it_waits_while_an_action_has_the_ledger_open(folder, known, monkeypatch):
    monkeypatch.setattr("worker.older_layout.BUSY_SECONDS", 0.1)
    with closing(Ledger.open_at(lambda: folder.target("plex").ledger)) as ledger:
        take_over_older_layout(folder)
        assert ledger.path == folder.target("plex").ledger == os.path.join(folder.root, "ledger.db")
        assert os.path.exists(os.path.join(folder.root, "stats.json"))
        ledger.values.set("said meanwhile", "yes")
    take_over_older_layout(folder)
    assert is_taken_over(folder)
    with closing(Ledger(folder.target("plex").ledger)) as ledger:
        assert ledger.values.get("said meanwhile") == "yes"


def test_an_action_that_opens_the_ledger_in_the_very_moment_gets_the_one_that_was_moved(folder, monkeypatch):
    """It has found out where the ledger lies, and then the worker moves it."""
    places = []

    def where():
        path = folder.target("plex").ledger
        if not places:
            take_over_older_layout(folder)
        places.append(path)
        return path

    with closing(Ledger.open_at(where)) as ledger:
        assert ledger.path == os.path.join(folder.root, "targets", "plex", "ledger.db")
        assert ledger.scenes.get(1) is not None
    assert len(places) > 2


def test_an_action_that_waits_for_the_ledger_while_it_is_moved_writes_nothing_beside_it(folder, monkeypatch):
    """It has the file open, and gets its turn when the file has its new name."""
    old, opened = os.path.join(folder.root, "ledger.db"), threading.Event()
    moved = threading.Event()
    plain = sqlite3.connect

    def connect_slowly(path, *args, **more):
        connection = plain(path, *args, **more)
        if path == old and threading.current_thread() is not threading.main_thread():
            opened.set()
            assert moved.wait(20)
        return connection

    failed = []

    def action():
        try:
            connect(old).close()
        except LedgerMoved as error:
            failed.append(error)

    monkeypatch.setattr("runtime.database.sqlite3.connect", connect_slowly)
    thread = threading.Thread(target=action)
    thread.start()
    assert opened.wait(20)
    take_over_older_layout(folder)
    moved.set()
    thread.join(20)
    assert len(failed) == 1
    assert not os.path.exists(old)


def test_actions_and_the_move_at_once(tmp_path, known):
    """Many tasks pin scenes while the worker takes the folder over: every pin is found afterwards."""
    folder = unpacked(tmp_path / "busy")
    code = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from contextlib import closing
from ledger.store import Ledger
from runtime.folder import DataFolder
folder = DataFolder({folder.root!r})
for number in range(40):
    with closing(Ledger.open_at(lambda: folder.target("plex").ledger)) as ledger:
        ledger.values.set(f"{{sys.argv[1]}} {{number}}", "kept")
"""
    tasks = [subprocess.Popen([sys.executable, "-c", code, str(name)], stderr=subprocess.PIPE) for name in range(2)]
    while any(task.poll() is None for task in tasks) or not is_taken_over(folder):
        take_over_older_layout(folder)
    errors = [task.communicate()[1].decode() for task in tasks]
    assert errors == ["", ""]
    with closing(Ledger(folder.target("plex").ledger)) as ledger:
        kept = [ledger.values.get(f"{task} {number}") for task in range(2) for number in range(40)]
    assert set(kept) == {"kept"}
    now = everything(folder.target("plex").ledger)
    assert {name: rows for name, rows in now.items() if name != "kept_value"} == {
        name: rows for name, rows in known.items() if name != "kept_value"
    }
