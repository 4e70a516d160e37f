"""Intake as the page asks for it: typed answers, a sentence for every bad day, the same buttons as in a terminal."""

import json
import os

import pytest

from intake.actions import page
from intake.store.row import Status
from runtime.folder import DataFolder
from sim.wordpress.server import SimWordPress
from tests.support.intake.service import IntakeRig
from tests.support.intake.stores import SqliteDatabase
from validation.intake_config import KEYS, variables


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    for key in KEYS:
        for name in variables(key):
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path):
    made = DataFolder(str(tmp_path / "data"))
    made.make()
    return made


@pytest.fixture
def rig(tmp_path, folder):
    database = SqliteDatabase(folder.intake_dir)
    with SimWordPress() as site:
        site.add("SONE-760")
        rig = IntakeRig(tmp_path, database, site)
        settings = {"watch_dir": str(rig.watch), "destination_dir": str(rig.library)}
        with open(folder.settings_file, "w", encoding="utf-8") as file:
            json.dump(settings, file)
        yield rig
        rig.close()
    database.close()


def test_where_nobody_has_set_it_up_it_is_off(folder):
    found = page.view(folder)
    assert (found.is_on, found.rows) == (False, ())
    assert "WATCH_DIR" in found.sentence


def test_rows_are_shown_with_those_that_need_a_person_first(rig, folder):
    rig.take_in("SONE-760.mp4", "holiday.mp4")
    found = page.view(folder)
    assert found.is_on
    assert found.counts == {**dict.fromkeys(Status, 0), "completed": 1, "error": 1}
    assert [(row.name, row.status, row.code) for row in found.rows] == [
        ("holiday.mp4", "error", None),
        ("SONE-760.mp4", "completed", "SONE-760"),
    ]
    assert found.rows[0].sentence.startswith("No movie code found")
    assert found.rows[0].at.endswith("+00:00")
    assert "The service does not run on this machine" in found.sentence
    assert "1 done, 0 on their way, 1 stopped." in found.sentence


def test_the_buttons_do_what_the_verbs_do(rig, folder):
    rig.take_in("SONE-760.mp4", "holiday.mp4")
    by_name = {row.name: row.id for row in page.view(folder).rows}
    assert page.retry(folder, by_name["holiday.mp4"]) == page.Done(True, "holiday.mp4 goes on.")
    rig.drain()
    assert page.pin_code(folder, by_name["holiday.mp4"], " - ").ok is False
    assert page.pin_code(folder, by_name["holiday.mp4"], "sone-761").sentence.startswith("holiday.mp4 is SONE-761")
    assert page.pin_code(folder, by_name["SONE-760.mp4"], "SONE-1").sentence.startswith("The file of row")
    assert page.take_back(folder, by_name["SONE-760.mp4"]) == page.Done(True, "SONE-760.mp4 is back.")
    assert sorted(os.listdir(rig.watch)) == ["SONE-760.mp4", "holiday.mp4"]
    assert page.take_back(folder, by_name["SONE-760.mp4"]).ok is False
    assert page.retry(folder, 99) == page.Done(False, "There is no row 99; `intake list` shows those there are.")


def test_a_database_that_is_away_is_the_sentence(rig, folder, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://emby:pg-secret-word@127.0.0.1:1/x")
    found = page.view(folder)
    assert (found.is_on, found.rows) == (True, ())
    assert "PostgreSQL cannot be reached" in found.sentence
    done = page.retry(folder, 1)
    assert (done.ok, "secret" in done.sentence) == (False, False)


def test_wrong_settings_are_the_sentence(rig, folder, monkeypatch):
    monkeypatch.setenv("DB_PORT", "x")
    assert "DB_PORT" in page.view(folder).sentence
    assert "DB_PORT" in page.take_back(folder, 1).sentence
