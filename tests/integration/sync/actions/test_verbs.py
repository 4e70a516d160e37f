"""Every verb of the command line, on simulated servers, in this process."""

import json

import pytest

from cli.main import run_command_line
from runtime.state_file import write_state
from runtime.version import VERSION
from tests.support.actions import opening


class Terminal:
    """Types verbs and reads what comes back."""

    def __init__(self, counter, capsys):
        self.counter, self.shop, self._capsys = counter, counter.shop, capsys
        write_state(counter.folder.worker_state, {"version": VERSION, "started_at": 1e12, "obstacle": None, "pid": 7})

    def type(self, line, code=0):
        """Run a line; return what is on stdout, or on stderr if it failed."""
        self._capsys.readouterr()
        assert run_command_line([*line.split(), "--data-dir", self.counter.folder.root], opening) == code
        said = self._capsys.readouterr()
        assert "\x1b" not in said.out + said.err
        return said.out or said.err

    def json(self, line, code=0):
        return json.loads(self.type(f"{line} --json", code))


@pytest.fixture
def terminal(counter, capsys):
    return Terminal(counter, capsys)


def test_status(terminal):
    terminal.shop.sync(1)
    shown = terminal.type("status")
    assert "Nothing is in the way." in shown
    assert "1 synced" in shown
    assert terminal.json("status")["targets"][0]["scenes"]["synced"] == 1


def test_status_watch_shows_changes_until_it_is_ended(terminal, monkeypatch, capsys):
    def rest(_):
        terminal.shop.queue.enqueue("scene", [1], "test", 1.0, due_at=0.0)
        monkeypatch.setattr("cli.look_verbs.time.sleep", end)

    def end(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("cli.look_verbs.time.sleep", rest)
    lines = terminal.type("status --watch --json", code=130).splitlines()
    assert [json.loads(line)["queue"]["due"] for line in lines] == [0, 1]


def test_list(terminal):
    assert terminal.type("list") == "No scenes.\n"
    terminal.shop.sync(1, 2, 3)
    header, *rows = terminal.type("list --state synced --limit 2").splitlines()
    assert header.split() == ["scene", "state", "item", "why"]
    assert rows[-1] == "There are more than these 2; see --limit."
    assert [one["scene_id"] for one in terminal.json("list --limit 9")["scenes"]] == [1, 2, 3]
    assert terminal.type("list --state dead") == "No job was given up.\n"


def test_explain(terminal):
    terminal.shop.sync(1)
    shown = terminal.type("explain 1")
    assert shown.startswith("Scene 1: ")
    assert "State      synced" in shown
    assert "Item       http" in shown
    assert terminal.json("explain 1 --target plex")["targets"][0]["state"] == "synced"
    assert "Stash has no scene 4321" in terminal.type("explain 4321", code=1)


def test_preview(terminal):
    assert "A sync would change: title" in terminal.type("preview 1")
    assert "Of 12 scenes: 12 would change" in terminal.type("preview")
    terminal.shop.sync_all()
    assert "Of 12 scenes: 0 would change, 12 right" in terminal.type("preview")
    assert terminal.type("preview 1") == "Plex shows what Stash says.\n"


def test_sync(terminal):
    assert terminal.type("sync 1 2") == "2 scenes queued.\n"
    assert terminal.type("sync --recent") == "Changed in the last 24 hours and queued: 12 of 12 scenes.\n"
    assert terminal.json("sync --all --target plex")["waiting"] >= 1
    terminal.shop.work()
    assert terminal.type("sync --wait") == "Nothing was due; to be tried later: 0.\n"
    assert "Say what to sync" in terminal.type("sync", code=2)
    assert "not both" in terminal.type("sync 1 --all", code=2)


def test_retry_and_purge(terminal):
    terminal.shop.edit(4, date="yesterday")
    terminal.shop.sync(4)
    (letter,) = terminal.json("list --state dead")["dead_letters"]
    assert "scene 4" in terminal.type("list --state dead")
    assert terminal.type("purge --days 7").startswith("0 jobs forgotten, given up more than 7 days ago")
    assert "No such job: 1 number of those given." in terminal.type("retry 999", code=1)
    assert terminal.json(f"retry {letter['id']}")["revived"] == 1
    assert terminal.json("retry --all")["revived"] == 0
    assert "or say --all" in terminal.type("retry", code=2)


def test_reset_asks_first(terminal, monkeypatch):
    terminal.type("sync 1 2")
    monkeypatch.setattr("sys.stdin", None)
    assert "say --yes" in terminal.type("reset queue", code=2)
    assert terminal.type("reset queue dead-letters --yes").startswith("2 waiting jobs removed.")
    assert " of Plex forgotten" in terminal.type("reset matches --yes")


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("", 1), ("y", 0)])
def test_an_answer_at_the_terminal_counts(terminal, monkeypatch, answer, code):
    class Person:
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Person())
    monkeypatch.setattr("builtins.input", lambda _: answer)
    terminal.type("sync 1")
    shown = terminal.type("reset queue", code)
    assert ("Nothing was done." in shown) == bool(code)


def test_undo_and_journal(terminal, monkeypatch):
    assert terminal.type("journal") == "Nothing was written yet.\n"
    for scenes in ((1, 2), (3,), (4,), (5, 6)):
        terminal.shop.sync(*scenes)
        terminal.shop.work()
    runs = [one["run_id"] for one in terminal.json("journal")["runs"]]
    assert len(runs) == 4
    assert "title" in terminal.type(f"journal --run {runs[-1]}")
    assert {one["scene_id"] for one in terminal.json("journal --scene 2")["entries"]} == {2}
    assert "of 2 scenes put back" in terminal.type("undo")
    assert terminal.json("undo --scene 3")["scenes"] == 1
    assert terminal.json(f"undo --run {runs[-1]}")["scenes"] == 2
    assert "There is no run 999" in terminal.type("undo --run 999", code=1)
    monkeypatch.setattr("sys.stdin", None)
    assert "say --yes" in terminal.type("undo --all", code=2)
    assert terminal.json("undo --all --yes")["scenes"] == 1
    assert terminal.type("undo") == "There is nothing to undo.\n"


def test_map(terminal):
    key = terminal.shop.key(2)
    assert f"Scene 1 is Plex's item {key}" in terminal.type(f"map 1 {key}")
    assert terminal.shop.ledger.pins.of([1]) == {1: key}
    assert "matched by its files again" in terminal.type("map 1 --clear")
    assert "Plex has no item" in terminal.type("map 1 987654", code=1)
    assert "or say --clear" in terminal.type("map 1", code=2)


def test_ignore(terminal):
    assert terminal.type("ignore 1 2") == "2 scenes left out from now on.\n"
    terminal.shop.sync(1)
    assert [one["scene_id"] for one in terminal.json("list --state ignored")["scenes"]] == [1, 2]
    assert "ignore 1 --off" in terminal.type("explain 1")
    assert "no longer left out" in terminal.type("ignore 1 --off --target plex")


def test_doctor_ends_with_one_if_anything_is_unwell(terminal):
    assert "All 13 parts are well." in terminal.type("doctor")
    terminal.shop.plex.stop()
    assert terminal.json("doctor", code=1)["ok"] is False


def test_logs(terminal):
    assert "no worker has run" in terminal.type("logs", code=1)
    with open(terminal.counter.folder.worker_log, "w") as file:
        file.write("one\ntwo\nthree\n")
    assert terminal.type("logs -n 2") == "two\nthree\n"


def test_diagnostics(terminal, tmp_path):
    assert (tmp_path / "d.zip").name in terminal.type(f"diagnostics --out {tmp_path}/d.zip")


def test_a_queue_that_never_heard_of_stash_says_so(terminal):
    terminal.shop.queue._connection.execute("DELETE FROM session")
    sentence = "Edit any scene in Stash"
    assert sentence in terminal.type("sync --recent", code=1)
    assert sentence in terminal.type("preview 1", code=1)
    assert sentence in terminal.type("explain 1")
