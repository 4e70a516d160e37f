"""Intake's files on the page: the real service beside the real plugin, one store between them."""

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from sim.wordpress.server import SimWordPress
from sim.wordpress.works import make_work
from tests.support.intake.process import IntakeInstallation

PAGE = "/plugins/stash2plex"
PLACED = "Ruri Saijo/Ruri Saijo - [No Sub] SONE-760 A title.mp4"


@pytest.fixture
def site():
    with SimWordPress() as running:
        running.add("SONE-760", make_work("SONE-760", title="A title", actress=["Ruri Saijo"]))
        running.add("SONE-761", make_work("SONE-761", title="Another", actress=["Ruri Saijo"]))
        yield running


@pytest.fixture
def service(installed, site, tmp_path):
    machine = IntakeInstallation(tmp_path / "intake", site, STASH2PLEX_DATA_DIR=installed.data.root)
    installed.data.make()
    folders = {"watch_dir": str(machine.watch), "destination_dir": str(machine.library), "intake_host": "nas"}
    Path(installed.data.settings_file).write_text(json.dumps(folders), encoding="utf-8")
    machine.start()
    yield machine
    machine.kill()


def test_a_file_that_stopped_is_named_and_another_is_put_back(page, connected, service):
    service.drop("SONE-760.mp4")
    service.drop("holiday.mp4")
    service.wait_for_counts(completed=1, error=1)
    opened = page.open()
    opened.get_by_role("link", name="Intake").click()
    stopped = opened.locator(".s2p-row").filter(has_text="holiday.mp4")
    expect(stopped).to_contain_text("No movie code found")
    done = opened.locator(".s2p-row").filter(has_text="SONE-760.mp4")
    expect(done.get_by_label("Code")).to_have_count(0)
    expect(stopped.get_by_role("button", name="Put it back")).to_have_count(0)

    stopped.get_by_label("Code: holiday.mp4").fill("sone-761")
    stopped.get_by_role("button", name="Set code").click()
    expect(opened.get_by_text("holiday.mp4 is SONE-761 and is looked up again.")).to_be_visible()
    service.wait_for_counts(completed=2)
    expect(opened.locator(".s2p-row").filter(has_text="holiday.mp4")).to_contain_text("The file is in its place.")

    done.get_by_role("button", name="Put it back").click()
    opened.get_by_role("dialog").get_by_role("button", name="Put it back").click()
    expect(opened.get_by_text("SONE-760.mp4 is back.")).to_be_visible()
    assert os.listdir(service.watch) == ["SONE-760.mp4"]
    assert PLACED not in service.placed()


def test_a_code_that_is_none_says_so_and_is_kept(page, connected, service):
    service.drop("holiday.mp4")
    service.wait_for_counts(error=1)
    opened = page.open(f"{PAGE}/intake")
    opened.get_by_label("Code: holiday.mp4").fill("---")
    opened.get_by_role("button", name="Set code").click()
    expect(opened.get_by_role("alert")).to_contain_text("code")
    expect(opened.get_by_label("Code: holiday.mp4")).to_have_value("---")
    assert service.stop() == 0
    opened.get_by_role("button", name="Refresh").click()
    expect(opened.get_by_text("The service does not run on this machine")).to_be_visible()


def test_where_nobody_set_it_up_there_is_no_such_part(page, connected):
    opened = page.open()
    expect(opened.get_by_role("article", name="Plex")).to_be_visible()
    expect(opened.get_by_role("link", name="Intake")).to_have_count(0)
    opened = page.open(f"{PAGE}/intake")
    expect(opened.get_by_text("Intake is off.")).to_be_visible()
