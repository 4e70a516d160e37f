"""Intake as people run it: the service in a process of its own, the command line, bad settings and bad days."""

import json
import os
import re
import subprocess
import sys
import time

import pytest

from sim.wordpress.server import SimWordPress
from sim.wordpress.works import make_work
from tests.support.intake.postgres import PostgresServer
from tests.support.intake.process import ROOT, SCRIPT, IntakeInstallation

NEW_NAME = "Ruri Saijo/Ruri Saijo - [No Sub] SONE-760 A title.mp4"


@pytest.fixture
def site():
    with SimWordPress() as running:
        running.add("SONE-760", make_work("SONE-760", title="A title", actress=["Ruri Saijo"]))
        yield running


@pytest.fixture
def make_intake(tmp_path, site):
    made = []

    def make(name="one", **options):
        made.append(IntakeInstallation(tmp_path / name, options.pop("site", site), **options))
        return made[-1]

    yield make
    for one in made:
        one.kill()


@pytest.fixture
def intake(make_intake):
    return make_intake()


def test_three_files_one_of_them_unknown(intake):
    intake.drop("SONE-760.mp4")
    intake.drop("SONE-760.srt")
    intake.start()
    intake.drop("UNKN-999.mp4")
    intake.drop("holiday.mp4")
    intake.wait_for_counts(completed=1, error=2)
    assert intake.placed() == [NEW_NAME, NEW_NAME.replace(".mp4", ".srt")]
    assert sorted(os.listdir(intake.watch)) == ["UNKN-999.mp4", "holiday.mp4"]
    rows = {os.path.basename(row["file_path"]): row for row in intake.ask("list")}
    assert rows["SONE-760.mp4"]["new_path"] == str(intake.library / NEW_NAME)
    assert rows["UNKN-999.mp4"]["error_kind"] == "unknown"
    assert rows["holiday.mp4"]["error_message"].startswith("No movie code found")
    assert intake.stop() == 0
    assert "Intake ends." in intake.log()


def test_the_output_is_as_people_know_it(intake):
    intake.drop("SONE-760.mp4")
    intake.drop("UNKN-999.mp4")
    intake.start()
    intake.wait_for_counts(completed=1, error=1)
    assert intake.run("status").stdout.decode() == (
        "Queue Status:\n"
        "  pending:          0\n"
        "  processing:       0\n"
        "  moved:            0\n"
        "  emby_pending:     0\n"
        "  completed:        1\n"
        "  error:            1\n"
        "  ─────────────────────\n"
        "  total:            2\n"
    )
    lines = intake.run("list", "--status", "error").stdout.decode().splitlines()
    assert re.fullmatch(r"ID   Movie Code  Status  Retries  Error +Updated", lines[0])
    assert re.fullmatch(r"──   ──────────  ──────  ───────  ───── +───────", lines[1])
    assert re.match(r"2    UNKN-999    error   1/3      No metadata found for UNKN-999", lines[2])
    assert re.search(r"  \d{4}-\d\d-\d\d \d\d:\d\d$", lines[2])
    assert len(lines) == 3


def test_a_person_can_do_all_that_the_verbs_say(intake):
    intake.drop("holiday.mp4")
    intake.start()
    intake.wait_for_counts(error=1)
    assert intake.ask("set-code", "1", "sone-760")["movie_code"] == "SONE-760"
    intake.wait_for_counts(completed=1)
    assert intake.ask("explain", "1")["sentences"][0].startswith("“")
    assert intake.ask("undo", "1")["undone"][0]["error_kind"] == "undone"
    assert os.listdir(intake.watch) == ["holiday.mp4"]
    assert intake.ask("retry-all") == {"retried": 0}
    assert intake.ask("retry", "1")["status"] == "pending"
    intake.wait_for_counts(completed=1)
    assert intake.ask("cleanup", "--days", "0") == {"cleaned": 1}
    assert intake.ask("list") == []
    assert intake.ask("reset", "1")["status"] == "pending"
    intake.wait_for_counts(completed=1)
    assert {check["ok"] for check in intake.ask("doctor")["checks"]} == {True}
    assert intake.ask("retry", "77", code=1)["error"].startswith("There is no row 77")


def test_names_are_read_one_a_line(intake):
    names = b"SONE-760.mp4\nThe Film 2019 1080p.mkv\n\nssis00123.mp4\n" + b"caf\xe9 SONE-761.mp4\r\n"
    done = intake.run("code", "-", stdin=names)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["code"] for answer in answers] == ["SONE-760", "FILM-2019", None, "SSIS-123", "SONE-761"]
    assert [answer["certain"] for answer in answers] == [True, False, False, True, True]
    assert answers[0] == {
        "name": "SONE-760.mp4",
        "code": "SONE-760",
        "certain": True,
        "candidates": [{"code": "SONE-760", "certain": True}],
    }
    assert intake.run("code", "holiday.mp4").stdout == b"No code.\n"
    assert intake.ask("code", "sone760.mp4")["certain"] is False


def test_every_wrong_variable_is_named_at_once(make_intake):
    wrong = {"WATCH_DIR": "downloads", "DB_PORT": "x", "API_BASE_URL": "ftp://x", "EMBY_SCAN_RETRY_DELAYS": "soon"}
    intake = make_intake(**wrong, STASH2PLEX_NAME_TEMPLATE="{foo}")
    intake.environment.pop("DESTINATION_DIR")
    done = intake.run("run")
    assert done.returncode == 1
    said = done.stderr.decode()
    for name in (*wrong, "DESTINATION_DIR is not set", "STASH2PLEX_NAME_TEMPLATE"):
        assert name in said
    assert "WATCH_DIR is not set" not in said  # it is, and wrongly
    assert "Traceback" not in said


def test_folders_that_lie_in_each_other_are_refused(make_intake, tmp_path):
    intake = make_intake(watch=tmp_path / "media" / "in", library=tmp_path / "media")
    assert b"lie in each other" in intake.run("run").stderr


def test_without_a_data_folder_it_says_what_to_set(intake):
    del intake.environment["STASH2PLEX_DATA_DIR"]
    done = intake.run("status", "--json")
    assert done.returncode == 1
    assert "STASH2PLEX_DATA_DIR" in json.loads(done.stdout)["error"]


def test_wrong_usage_is_said_in_json_too(intake):
    done = intake.run("list", "--status", "lost", "--json")
    assert done.returncode == 2
    assert "invalid choice" in json.loads(done.stdout)["error"]
    assert intake.run("retry", "zero").returncode == 2
    assert b"usage:" in intake.run().stdout


def test_one_service_a_folder(intake):
    intake.start()
    intake.wait_for(lambda: "begins" in intake.log())
    done = intake.run("run")
    assert (done.returncode, b"another intake service runs" in done.stderr) == (1, True)


def test_a_watched_folder_that_is_not_mounted_is_waited_for(make_intake):
    intake = make_intake(STASH2PLEX_WATCH_ANCHOR=".mounted")
    intake.drop("SONE-760.mp4")
    intake.start()
    intake.wait_for(lambda: "lacks its anchor" in intake.log())
    assert intake.ask("status")["pending"] == 0
    checks = intake.ask("doctor", code=1)["checks"]
    assert any("lacks its anchor" in check["sentence"] for check in checks if not check["ok"])
    intake.drop(".mounted", b"")
    intake.wait_for_counts(completed=1)


def test_killed_at_any_moment_it_goes_on_at_once(intake, site):
    """The lock says that the service before is dead, so its leases need not run out."""
    names = [f"KILL-{number:03d}" for number in range(40)]
    for name in names:
        site.add(name)
        intake.drop(f"{name}.mp4", name.encode())
    for _ in range(6):
        intake.start()
        time.sleep(1.0)
        intake.kill()
    intake.start()
    intake.wait_for_counts(completed=40)
    contents = sorted((intake.library / path).read_bytes().decode() for path in intake.placed())
    assert contents == names
    assert os.listdir(intake.watch) == []


def test_a_copy_in_hand_is_handed_back_when_the_service_is_stopped(make_intake, tmp_path):
    """The library is on another device: a stop in the middle of the copy leaves the file where it was, and no half."""
    library = f"/dev/shm/intake-{os.getpid()}"
    try:
        os.mkdir(library)
        assert os.stat(library).st_dev != os.stat(tmp_path).st_dev
        intake = make_intake(library=type(tmp_path)(library))
        intake.drop("SONE-760.mp4", b"x" * 300_000_000)
        intake.start()
        intake.wait_for(lambda: any(name.endswith(".partial") for _, _, names in os.walk(library) for name in names))
        assert intake.stop() == 0
        assert intake.placed() == []
        (row,) = intake.ask("list")
        assert (row["status"], row["step"], row["claimed_by"], row["retry_count"]) == ("pending", "planned", None, 0)
        intake.start()
        intake.wait_for_counts(completed=1)
        assert intake.placed() == [NEW_NAME]
        assert os.listdir(intake.watch) == []
    finally:
        subprocess.run(["rm", "-rf", library], check=True)


def test_no_secret_reaches_a_log_or_an_answer(make_intake, site):
    intake = make_intake(API_TOKEN="a-very-secret-token", DATABASE_URL="postgresql://emby:pg-secret-word@127.0.0.1:1/x")
    intake.drop("SONE-760.mp4")
    intake.start()
    intake.wait_for(lambda: "cannot be reached" in intake.log())
    answers = [intake.run(*verb) for verb in (["status"], ["doctor"], ["list", "--json"])]
    told = intake.log() + "".join((one.stdout + one.stderr).decode() for one in answers)
    told += "".join(path.read_text() for path in (intake.data / "intake").glob("*.[lj]*"))
    assert "secret-token" not in told
    assert "secret-word" not in told
    assert "Traceback" not in told


@pytest.fixture(scope="module")
def postgres():
    with PostgresServer() as server:
        yield server


def test_two_machines_share_the_work_of_one_folder(make_intake, site, postgres, tmp_path):
    url = postgres.url(postgres.new_database())
    shared = {"watch": tmp_path / "watch", "library": tmp_path / "library", "DATABASE_URL": url}
    machines = [make_intake(host, host=host, **shared) for host in ("nas", "laptop")]
    names = [f"TWOM-{number:03d}" for number in range(120)]
    for name in names:
        site.add(name)
        machines[0].drop(f"{name}.mp4", name.encode())
    for machine in machines:
        machine.start()
    machines[0].wait_for_counts(completed=120, seconds=60)
    contents = sorted((machines[0].library / path).read_bytes().decode() for path in machines[0].placed())
    assert contents == names
    assert all("is now" in machine.log() for machine in machines)


def test_a_database_that_goes_away_and_comes_back_is_waited_for(make_intake, site):
    with PostgresServer() as server:
        intake = make_intake(DATABASE_URL=server.url(server.new_database()))
        intake.start()
        intake.wait_for_counts(pending=0)
        server.stop()
        intake.drop("SONE-760.mp4")
        intake.wait_for(lambda: "cannot be reached" in intake.log(), 40)
        assert os.listdir(intake.watch) == ["SONE-760.mp4"]
        server.start()
        intake.wait_for_counts(completed=1, seconds=60)
        assert intake.placed() == [NEW_NAME]


def test_a_database_in_parts_and_its_wrong_password(make_intake, postgres):
    name = postgres.new_database()
    parts = {"DB_HOST": "127.0.0.1", "DB_PORT": str(postgres.port), "DB_NAME": name, "DB_USER": "emby"}
    right = make_intake("right", DB_PASSWORD="pg/secret word", **parts)
    assert right.ask("status")["pending"] == 0
    wrong = make_intake("wrong", DB_PASSWORD="another word", **parts)
    said = wrong.run("status").stderr.decode()
    assert "password authentication failed" in said
    assert "DB_PASSWORD" in said
    assert "another word" not in said


def test_the_doctor_says_that_an_empty_folder_may_be_a_drive_that_is_away(intake):
    film = intake.watch / "UNKN-999.mp4"
    film.write_bytes(b"a film")
    intake.start()
    intake.wait_for_counts(error=1)
    assert intake.stop() == 0
    film.unlink()
    checks = intake.ask("doctor", code=1)["checks"]
    (said,) = [check["sentence"] for check in checks if not check["ok"]]
    assert "is empty" in said
    assert "Rows that wait for files there: 1." in said


DEAD_LANE = """
import sys
from intake.service import lane
def die(self): raise ZeroDivisionError
lane.Lane.step = die
from cli.intake.main import run_intake
sys.exit(run_intake(["run"]))
"""


def test_a_service_that_loses_a_thread_ends_with_an_error(intake):
    done = subprocess.run(
        [sys.executable, "-c", DEAD_LANE],
        env=intake.environment,
        cwd=ROOT,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert b"ZeroDivisionError" in done.stderr


def test_the_service_is_a_small_process():
    """What the plugin's settings and Plex are read with is three times as large as all the rest."""
    probe = "import sys, intake.service.process, intake.wiring; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not {"pydantic", "plexapi", "psycopg", "watchdog"} & set(done.stdout.split())


def test_the_hook_does_not_pay_for_it():
    """Nothing of intake is imported unless the first argument says so."""
    probe = (
        "import sys; sys.argv = ['Stash2Plex.py', 'status', '--help']; sys.path.insert(0, sys.argv[0]);"
        f"import runpy\ntry:\n    runpy.run_path({SCRIPT!r}, run_name='__main__')\nexcept SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('intake')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert done.stderr.strip().endswith("[]"), done.stderr
