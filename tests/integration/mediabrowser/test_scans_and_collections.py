"""Scans that spoil nothing, and collections that are found before they are made."""

import pytest

from mediabrowser import collections as collections_module
from model.errors import (
    AnswerGarbled,
    ChangeRejected,
    FilterIgnored,
    OutcomeUnknown,
    TargetStarting,
)
from sim.mediabrowser import faults
from sim.mediabrowser.faults import Fault
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.seed import Shape
from sim.mediabrowser.web.exchange import json_answer
from tests.integration.sim.mediabrowser_http import EMBY, Clock

NEW = "/data/scenes/Amber Hall/2010/new.mp4"


# Scans.


@pytest.mark.parametrize("path", [NEW, "/data/scenes/Amber Hall/2099/deep/er/new.mp4", "/data/archive/new.mp4"])
def test_a_folder_is_looked_into_and_what_is_found_is_whole(start, flavour, path):
    clock = Clock()
    server, made = start(flavour, clock=clock)
    server.add_file(path)
    found = made.scans.scan(path, made.libraries())
    assert found.name == "Scenes"
    clock.wait(1)
    item = server.find(path)
    clock.wait(1)
    assert server.item_json(item)["IsProbed"] is True


def test_only_the_deepest_known_folder_is_looked_into(start, flavour):
    clock = Clock()
    server, made = start(flavour, clock=clock)
    other = "/data/scenes/Blue Door/2011/other.mp4"
    for path in (NEW, other):
        server.add_file(path)
    made.scans.scan(NEW, made.libraries())
    clock.wait(1)
    assert server.find(NEW)
    assert server.find(other) is None


def test_a_path_outside_the_libraries_is_not_scanned(start):
    server, made = start("jellyfin-12")
    assert made.scans.scan("/elsewhere/x.mp4", made.libraries()) is None
    assert made.scans.scan("/data/scenesque/x.mp4", made.libraries()) is None
    assert server.count("refresh") == 0


def test_a_report_is_acted_on_later(start, flavour):
    clock = Clock()
    server, made = start(flavour, clock=clock)
    server.add_file(NEW)
    made.scans.report([NEW])
    clock.wait(91)
    assert server.find(NEW)


def test_whether_a_scan_runs_can_be_asked(start, flavour):
    clock = Clock()
    server, made = start(flavour, clock=clock)
    assert not made.scans.is_scanning()
    server.start_scan()
    assert made.scans.is_scanning()
    clock.wait(1)
    assert not made.scans.is_scanning()
    made.scans.refresh(server.library("Scenes").item_id)
    assert made.scans.is_scanning()


def test_folders_that_are_none_are_noticed(start):
    server, made = start("jellyfin-12")
    libraries = made.libraries()
    item = {"Id": "a", "Type": "Video", "Path": "/x", "ServerId": server.server_id}
    server.faults.add(Fault("others", json_answer({"Items": [item], "TotalRecordCount": 1})), kind="list", times=1)
    with pytest.raises(FilterIgnored):
        made.scans.scan(NEW, libraries)
    server.faults.add(Fault("none", json_answer({"Items": [], "TotalRecordCount": 9})), kind="list", times=1)
    made.scans.scan(NEW, libraries)
    assert server.requests[-1].path == f"/Items/{server.library('Scenes').item_id}/Refresh"


# Collections.


def test_a_collection_is_made_once_and_then_filled(start, flavour):
    server, made = start(flavour)
    one, two, three, *_ = server.item_ids()
    first = made.collections.ensure("House", [one])
    again = made.collections.ensure("House", [one, two])
    assert first == again
    made.collections.add(first.item_id, [three])
    made.collections.remove(first.item_id, [one])
    assert (
        set(made.collections.members(first.item_id)) == {two, three} == set(server.item_json(first.item_id)["Members"])
    )
    assert made.collections.list() == [first]
    assert server.count("create collection") == 1


def test_a_name_is_the_same_in_other_letters_and_another_of_the_same_folder_is_not_made(start, flavour):
    server, made = start(flavour)
    one, two, *_ = server.item_ids()
    made.collections.ensure("A/B", [one])
    with pytest.raises(ChangeRejected, match="A/B"):
        made.collections.ensure("A B", [two])
    joined = made.collections.ensure("a/b", [two])
    assert set(made.collections.members(joined.item_id)) == {one, two}
    made.collections.ensure("A/B C", [two])
    assert {found.name for found in made.collections.list()} == {"A/B", "A/B C"}


def test_many_members_go_in_hundreds(start, flavour):
    server, made = start(flavour, 230, shape=Shape(two_versions=1000))
    ids = server.item_ids()[:230]
    found = made.collections.ensure("Many", ids)
    assert set(made.collections.members(found.item_id)) == set(ids)
    assert (server.count("create collection"), server.count("add to collection")) == (1, 2)
    made.collections.add(found.item_id, [])
    assert server.count("add to collection") == 2


def test_many_collections_are_all_looked_at(start, monkeypatch):
    monkeypatch.setattr(collections_module, "PAGE_SIZE", 3)
    server, made = start("jellyfin-12", quirks=Quirks(ties="stable"))
    for number in range(7):
        made.collections.ensure(f"Set {number}", server.item_ids()[:1])
    assert len(made.collections.list()) == 7


def test_a_lost_answer_does_not_make_it_twice(start, flavour):
    server, made = start(flavour)
    one, two, *_ = server.item_ids()
    server.faults.add(faults.LOST_BY_RESET, kind="create collection", times=1)
    found = made.collections.ensure("House", [one])
    assert made.collections.ensure("House", [two]) == found
    assert server.item_json(found.item_id)["Members"] == [one, two]
    assert server.count("create collection") == 1


def test_one_that_did_not_come_about_is_unknown(start):
    server, made = start("jellyfin-12")
    one = server.item_ids()[0]
    server.faults.add(faults.RESET, kind="create collection", times=1)
    with pytest.raises(OutcomeUnknown) as error:
        made.collections.ensure("House", [one])
    assert error.value.applied is False
    server.faults.add(faults.RESET, kind="create collection", times=1)
    server.after("create collection", lambda: server.faults.add(faults.STARTING, kind="list"))
    with pytest.raises(OutcomeUnknown) as error:
        made.collections.ensure("House", [one])
    assert error.value.applied is None
    server.faults.clear()
    server.faults.add(faults.STARTING, kind="create collection", times=1)
    with pytest.raises(TargetStarting):
        made.collections.ensure("House", [one])
    server.faults.add(Fault("no id", json_answer({})), kind="create collection", times=1)
    with pytest.raises(AnswerGarbled):
        made.collections.ensure("House", [one])


def test_a_member_that_is_gone_fails_the_call(start, flavour):
    server, made = start(flavour)
    one, two, *_ = server.item_ids()
    found = made.collections.ensure("House", [one])
    server.delete(two)
    with pytest.raises(ChangeRejected):
        made.collections.add(found.item_id, [two])
    assert made.collections.members(found.item_id) == (one,)


@pytest.mark.parametrize("flavour", EMBY)
def test_on_emby_an_empty_collection_is_refused(start, flavour):
    _, made = start(flavour)
    with pytest.raises(OutcomeUnknown):
        made.collections.ensure("Empty", [])
