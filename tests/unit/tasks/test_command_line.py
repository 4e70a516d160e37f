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
from model.user_error import UserError
from runtime.folder import DataFolder
from tasks.answers import (
    Candidate,
    Change,
    CircuitStatus,
    DeadLetter,
    DeadLetters,
    Entries,
    EntryRow,
    Explanation,
    Finding,
    Health,
    Job,
    LastRun,
    MatchFound,
    Need,
    Picture,
    Plan,
    QueueCounts,
    RunRow,
    Runs,
    SceneCounts,
    SceneFile,
    SceneRow,
    Scenes,
    StashSeen,
    Status,
    SweepStatus,
    TargetExplanation,
    TargetStatus,
    WorkerStatus,
)
from tests.support.actions import opening

STATUS = Status(
    headline="",
    sentence="",
    is_set_up=True,
    is_enabled=True,
    intake_is_on=False,
    worker=WorkerStatus(True, "0.1.0", 7, "then", None, False, True),
    queue=QueueCounts(1, 2, 3, 4),
    targets=(
        TargetStatus(
            target="plex",
            name="Plex",
            is_on=True,
            url=None,
            sentence="",
            outage=None,
            pictures=None,
            circuit=CircuitStatus(),
            recovery=None,
            queue=QueueCounts(),
            scenes=SceneCounts(synced=5),
            speed_per_minute=12.5,
            seconds_left=30,
            history=(),
            coverage=None,
            last_run=LastRun(9, "worker", "then"),
        ),
    ),
    needs_you=(Need("plex", "failed", 1, "1 scene was given up.", "problems", "failed"),),
    sweep=SweepStatus(False, None, None, None),
    stash=StashSeen("http://localhost:9999", "now"),
)
PLAN = Plan(
    verdict="would change",
    sentence="A sync would change: title.",
    item_id="8",
    changes=(Change("title", "a", "A [red]title[/red]", "new in Stash"),),
    kept=(Change("tags", ("x", "y"), ("x", "y"), "taken out in Plex", ("z",)),),
)
MATCH = MatchFound(
    item_id=None,
    confidence="low",
    score=0.2,
    rule="ambiguous",
    note="",
    source="index",
    candidates=(Candidate("8", "/p/a.mp4", 5, "An item", False, "another folder"),),
    also=(),
    other_parts=(),
)
STORY = Explanation(
    scene_id=42,
    title="A title",
    organized=True,
    files=(SceneFile("/s/a.mp4", 5, 1.0),),
    obstacle=None,
    targets=(
        TargetExplanation(
            target="plex",
            name="Plex",
            state="ambiguous",
            sentence="Ambiguous: two.",
            next_step="Choose.",
            command="map 7 ITEM",
            item_id=None,
            item_path=None,
            item_url=None,
            match=MATCH,
            plan=PLAN,
            pinned_to="8",
            is_ignored=False,
            last_sync=None,
            pictures=(Picture("poster", "shown", "Plex shows it.", "now"),),
            queue=(Job("scene", "waiting", "x", "now", "now", 0, None, False, "Queued, due now."),),
            dead_letters=(DeadLetter(3, "scene:1", 1, "x", "Rejected.", "", 5, "now", "now"),),
            not_asked=("Plex: nothing answers.",),
        ),
    ),
)
WAITING = SceneRow(1, "plex", None, "waiting", "Not yet.", None, None, None, None, None, False, None)


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
        "map 1 a1b2-c3 --target emby",
        "ignore 1 2 --off",
        "undo --all --target jellyfin --yes",
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
        "undo --target kodi",
        "ignore",
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
        run_command_line(arguments.split(), opening)
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
        [
            "Nothing is in the way.",
            "1 due, 2 later, 3 being worked on, 4 given up",
            "5 synced",
            "older",
            "12.5 a minute, 30 s left",
            "1 scene was given up.",
        ],
    ),
    (show_plan, PLAN, ["A sync would change: title.", "A [red]title[/red]", "x, y", "(kept; Stash has z)"]),
    (
        show_story,
        STORY,
        ["Scene 42: A title", "Ambiguous: two.", "/p/a.mp4", "An item", "Queued, due now.", "number 3", "last read"],
    ),
    (
        show_scenes,
        Scenes((WAITING,), "plex:1", 2),
        ["waiting", "Not yet.", "see --limit"],
    ),
    (
        show_letters,
        DeadLetters((DeadLetter(3, "scene:1", 1, "x", "No.", "", 5, "now", "now"),), None),
        ["scene 1", "No."],
    ),
    (
        show_journal,
        Runs((RunRow("plex", 3, "worker", "x", None, 2, 0, 1),), None),
        ["worker"],
    ),
    (
        show_journal,
        Entries((EntryRow(7, "plex", 3, 1, "8", "tags", (), ("a",), "now", None, False),), None),
        ["tags"],
    ),
    (
        show_findings,
        Health(False, "1 of 1 need you.", (Finding("plex", "Plex", False, "Away."),)),
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
    screen.log("On the way.", ok=False)
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
    with pytest.raises(UserError, match="no worker has run"):
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
