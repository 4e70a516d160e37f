"""The command line: what it understands, and how answers look on a screen."""

import io
import json
import re

import pytest
from rich.console import Console

from cli.find_folder import _parents
from cli.log_tail import follow, last_lines
from cli.main import _find, run_command_line
from cli.parser import VERBS, build_parser
from cli.rich_screen import RichScreen
from cli.screen import PlainScreen, clean, open_screen
from cli.show import show_findings, show_journal, show_letters, show_plan, show_scenes, show_status, show_story
from runtime.folder import DataFolder
from stash.wire import Refusal

STATUS = {
    "outage": None,
    "queue": {"due": 1, "later": 2, "claimed": 3, "dead": 4},
    "scenes": {"synced": 5, "failed": 0},
    "worker": {"alive": True, "version": "0.1.0", "pid": 7, "is_outdated": True, "obstacle": None},
    "stash": {"url": "http://localhost:9999", "seen_at": "now"},
    "last_run": {"id": 9, "kind": "worker", "began_at": "then"},
}
PLAN = {
    "verdict": "would change",
    "sentence": "A sync would change: title.",
    "changes": [{"field": "title", "old": "a", "new": "A [red]title[/red]", "why": "new in Stash"}],
    "kept": [{"field": "tags", "old": ["x", "y"], "new": ["x", "y"], "why": "edited in Plex"}],
}
STORY = {
    "scene_id": 42,
    "title": "A title",
    "state": "ambiguous",
    "sentence": "Ambiguous: two.",
    "next_step": "Choose.",
    "last_sync": None,
    "files": [{"path": "/s/a.mp4", "plex_path": "/p/a.mp4"}],
    "queue": [{"kind": "scene", "sentence": "Queued, due now."}],
    "dead_letters": [{"id": 3, "sentence": "Rejected."}],
    "pictures": [{"place": "poster", "state": "shown", "sentence": "Plex shows it."}],
    "pinned_to": 8,
    "not_asked": ["Plex: nothing answers."],
    "match": {
        "confidence": "low",
        "rule": "ambiguous",
        "score": 0.2,
        "source": "index",
        "candidates": [{"is_taken": False, "rating_key": 8, "path": "/p/a.mp4", "why": "another folder"}],
    },
    "plan": PLAN,
}


@pytest.mark.parametrize(
    "arguments",
    [
        "status --watch",
        "list --state failed --limit 5",
        "list --state dead",
        "explain 42",
        "journal --run 1",
        "doctor --json",
        "preview",
        "preview 42",
        "sync 1 2 3",
        "sync --all",
        "sync --recent --wait",
        "retry 3",
        "retry --all",
        "purge --days 7",
        "reset queue matches --yes",
        "undo --scene 4",
        "map 1 2",
        "map 1 --clear",
        "logs -n 5 --follow",
        "diagnostics --out x.zip",
        "worker --data-dir x",
        "demo",
    ],
)
def test_it_understands(arguments):
    options = build_parser().parse_args(arguments.split())
    assert options.verb == arguments.split()[0]


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "explode",
        "explain",
        "explain x",
        "explain 0",
        "explain 42 43",
        "list --state lost",
        "sync --all --recent",
        "undo --all --run 3",
        "reset",
        "reset everything",
        "purge --days -1",
        "status extra",
    ],
)
def test_what_makes_no_sense_ends_with_two(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        build_parser().parse_args(arguments.split())
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("usage: Stash2Plex.py")


@pytest.mark.parametrize("arguments", ["--json explain x", "explain --json", "nonsense --json"])
def test_a_script_is_told_in_json_what_makes_no_sense(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        run_command_line(arguments.split())
    assert end.value.code == 2
    told = capsys.readouterr()
    assert "usage: Stash2Plex.py" in json.loads(told.out)["error"]
    assert told.err == ""


def test_common_options_may_come_before_and_after_the_verb():
    parser = build_parser()
    for arguments in (["--data-dir", "x", "--json", "status"], ["status", "--data-dir", "x", "--json"]):
        options = parser.parse_args(arguments)
        assert (options.data_dir, options.json) == ("x", True)
    assert parser.parse_args(["status"]).json is False


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_exists_and_has_help_with_an_example(verb, capsys):
    assert callable(_find(verb))
    with pytest.raises(SystemExit) as end:
        build_parser().parse_args([verb, "--help"])
    assert end.value.code == 0
    assert f"Stash2Plex.py {verb}" in capsys.readouterr().out.partition("examples:")[2]


SHOWN = [
    (
        show_status,
        STATUS,
        ["Nothing is in the way.", "1 due, 2 later, 3 being worked on, 4 given up", "5 synced", "older"],
    ),
    (show_plan, PLAN, ["A sync would change: title.", "A [red]title[/red]", "x, y", "(kept)"]),
    (
        show_story,
        STORY,
        ["Scene 42: A title", "Ambiguous: two.", "/p/a.mp4", "Queued, due now.", "number 3", "last read"],
    ),
    (
        show_scenes,
        {"scenes": [{"scene_id": 1, "state": "waiting", "sentence": "Not yet."}], "next": 1},
        ["waiting", "Not yet.", "see --limit"],
    ),
    (
        show_letters,
        {
            "dead_letters": [{"id": 3, "key": "scene:1", "attempts": 5, "last_at": "now", "sentence": "No."}],
            "next": None,
        },
        ["scene:1", "No."],
    ),
    (
        show_journal,
        {
            "runs": [{"run_id": 3, "kind": "worker", "began_at": "x", "scenes": 1, "written": 2, "undone": 0}],
            "next": None,
        },
        ["worker"],
    ),
    (
        show_journal,
        {
            "entries": [{"run_id": 3, "scene_id": 1, "field": "tags", "old": [], "new": ["a"], "undone_at": None}],
            "next": None,
        },
        ["tags"],
    ),
    (
        show_findings,
        {"findings": [{"part": "Plex", "ok": False, "sentence": "Away."}], "ok": False, "sentence": "1 of 1 need you."},
        ["!", "Plex", "Away.", "1 of 1 need you."],
    ),
]


@pytest.mark.parametrize(("show", "answer", "expected"), SHOWN, ids=range(len(SHOWN)))
def test_answers_are_plain_lines_in_a_pipe(show, answer, expected, capsys):
    show(PlainScreen(), answer)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    for text in expected:
        assert text in shown


@pytest.mark.parametrize(("show", "answer", "expected"), SHOWN, ids=range(len(SHOWN)))
def test_answers_have_colours_and_the_same_words_on_a_terminal(show, answer, expected):
    out = io.StringIO()
    show(
        RichScreen(Console(file=out, force_terminal=True, width=200, color_system="standard", highlight=False)), answer
    )
    words = re.sub(r"\x1b\[[\d;]*m", "", out.getvalue())
    for text in expected:
        assert text in words


def test_a_title_cannot_command_the_terminal(capsys):
    PlainScreen().line("evil \x1b[2J\x07 title\nwith a second line")
    assert capsys.readouterr().out == "evil  [2J  title with a second line\n"
    out = io.StringIO()
    RichScreen(Console(file=out, force_terminal=True, width=80)).table(["a"], [["\x1b]0;owned\x07"]])
    assert "\x1b]" not in out.getvalue()
    assert clean(None) == ""


def test_a_pipe_gets_the_plain_screen(tmp_path):
    folder = DataFolder(str(tmp_path))
    assert type(open_screen(folder, as_json=False)) is PlainScreen


def test_a_progress_bar_gives_way_to_the_answer():
    out, aside = io.StringIO(), io.StringIO()
    screen = RichScreen(Console(file=out, force_terminal=True), Console(file=aside, force_terminal=True))
    screen.progress(0.5)
    screen.say("On the way.", ok=False)
    screen.progress(2.0)
    screen.line("Done.")
    screen.close()
    assert "On the way." in aside.getvalue()
    assert "Done." in out.getvalue()


def test_the_last_lines_of_a_long_log_are_read_from_its_end(tmp_path):
    log = tmp_path / "worker.log"
    log.write_text("".join(f"line {number} {'x' * 100}\n" for number in range(5000)))
    assert [line.split()[1] for line in last_lines(str(log), 3)] == ["4997", "4998", "4999"]
    assert len(last_lines(str(log), 9000)) == 5000
    with pytest.raises(Refusal, match="no worker has run"):
        last_lines(str(tmp_path / "none.log"), 3)


def test_a_log_is_followed_across_its_rotation(tmp_path, monkeypatch):
    monkeypatch.setattr("cli.log_tail.LOOK_SECONDS", 0.01)
    log = tmp_path / "worker.log"
    log.write_text("old\n")
    lines = follow(str(log))
    steps = iter([lambda: _append(log, "one"), lambda: (log.rename(tmp_path / "worker.log.1"), _append(log, "two"))])
    monkeypatch.setattr("cli.log_tail.time.sleep", lambda _: next(steps)())
    assert [next(lines), next(lines)] == ["one", "two"]
    lines.close()


def _append(path, line):
    with path.open("a") as file:
        file.write(f"{line}\n")


def test_all_folders_above_are_looked_at():
    assert _parents("/a/b/c") == ["/a/b", "/a", "/"]
