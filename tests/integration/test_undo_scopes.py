"""Undo of one scene, of one run and of everything; what stops it, and what is wrong to ask for."""

import random

import pytest

from ledger.baseline import Baseline
from ledger.journal import Journal
from ledger.records import ItemSync, JournalEntry
from ledger.states import SceneState
from ledger.store import Ledger
from model.item import Field
from model.user_error import UserError
from sim.plex.faults import status
from tasks.arguments import Arguments, UndoWhat
from tests.integration.test_plex_tasks import open_office


@pytest.fixture
def office(tmp_path):
    """Sixty scenes: more than one page."""
    yield from open_office(tmp_path, 60)


@pytest.fixture
def small(tmp_path):
    for office in open_office(tmp_path, 6):
        office.configure(sync_poster=False, sync_background=False)
        yield office


def several_runs(office):
    """Sync all, edit some, sync those; twice, with new covers in between."""
    office.sync()
    for number in (1, 2):
        for scene_id in office.scene_ids[::3]:
            office.shop.edit(scene_id, title=f"Edit {number}", tags=[f"Tag {number}", "4K"], details="")
        for scene_id in office.scene_ids[:2]:
            office.shop.upload_cover(scene_id, b"\x89PNG\r\n\x1a\n cover %d" % number)
        office.shop.sync(*office.scene_ids)
        office.shop.pictures()
        office.shop.picture_lane.step()


# One scene


def test_undo_of_one_scene_takes_back_all_its_runs_and_pictures_and_touches_no_other(office):
    before = office.item_states()
    several_runs(office)
    synced, scene_id = office.item_states(), office.scene_ids[0]
    key = office.shop.key(scene_id)
    report = office.run("undo_last_run", scene_id=str(scene_id))
    assert office.item_states() == {**synced, key: before[key]}
    assert (report.scenes, report.overtaken) == (1, 0)
    assert office.ledger.journal.entries(scene_id=scene_id) == []
    others = [record.state for record in office.ledger.scenes.of(office.scene_ids[1:]).values()]
    assert set(others) == {SceneState.SYNCED}
    assert office.run("undo_last_run", scene_id=scene_id).sentence == "There is nothing to undo."


# One run


def test_a_run_in_the_middle_gives_back_what_no_later_one_wrote_and_the_rest_can_be_undone_after_that(small):
    before = small.item_states()
    small.shop.sync(1)
    small.shop.edit(1, title="Second", director="Second's")
    small.shop.sync(1)
    second = small.ledger.journal.last_run().id
    small.shop.edit(1, title="Third")
    small.shop.sync(1)
    report = small.run("undo_last_run", run_id=second)
    item = small.item_states()[small.shop.key(1)][0]
    assert item.value(Field.TITLE) == "Third"
    assert "Second's" not in str(item.tags)
    assert report.overtaken == len(["title", "sort_title"])
    assert "2 left as written again since" in report.sentence
    assert any(line.startswith("scene 1: title: written again by a later run") for line in small.told.lines)
    for _ in range(3):
        small.run("undo_last_run")
    assert small.item_states() == before
    assert small.ledger.journal.entries() == []


def test_runs_undone_in_any_order_give_back_everything(small):
    before = small.item_states()
    for number in range(4):
        for scene_id in (1, 2, 3)[: number + 1]:
            small.shop.edit(scene_id, title=f"Title {number % 2}", tags=[f"Tag {number % 3}"], details=f"{number // 2}")
        small.shop.sync(1, 2, 3)
    runs = [summary.run.id for summary in small.ledger.journal.runs(10)]
    random.Random(5).shuffle(runs)
    for run_id in runs * len(runs):  # each time what lies on top goes
        small.run("undo_last_run", run_id=run_id)
    assert small.item_states() == before
    assert all(summary.undone == summary.written for summary in small.ledger.journal.runs(10))


# Everything


def test_undo_of_everything_gives_back_all_fields_locks_and_pictures_but_what_somebody_edited(office):
    before = office.item_states()
    several_runs(office)
    edited = office.shop.key(office.scene_ids[3])
    office.plex.edit_by_person(edited, summary="Somebody's")
    report = office.run("undo_last_run", all="true")
    after = office.item_states()
    assert {key for key in before if after[key] != before[key]} == {edited}
    item, old = after[edited][0], before[edited][0]
    assert (item.value(Field.SUMMARY), item.locked) == ("Somebody's", old.locked | {"summary"})
    assert (item.value(Field.TITLE), item.tags, after[edited][1:]) == (
        old.value(Field.TITLE),
        old.tags,
        before[edited][1:],
    )
    assert (report.kept, report.failed, report.gone) == (1, 0, 0)
    assert office.ledger.journal.entries() == []
    assert office.told.fractions[-1] == 1


def test_what_was_undone_survives_a_sweep_whatever_state_its_scene_was_in(small):
    before = small.item_states()
    small.sync()
    small.shop.edit(2, title="Refused by Plex")
    small.plex.faults.add(status(400), method="PUT", times=3)
    small.shop.sync(2)
    assert small.ledger.scenes.get(2).state is SceneState.REFUSED
    twin = small.stash.events.scan_new_file(small.stash.library.scenes[3].path, size=50_001)
    small.shop.sync(twin.id)
    assert small.ledger.scenes.get(twin.id).state is SceneState.AMBIGUOUS
    small.run("undo_last_run", all=True)
    small.shop.sweep_and_work()
    assert small.item_states() == before
    small.shop.edit(2, title="Edited since")
    small.shop.sweep_and_work()
    assert small.shop.item(2).title == "Edited since"


def test_an_item_that_went_from_scene_to_scene_is_undone_to_before_the_first(small):
    before = small.item_states()
    small.sync()
    library, key = small.stash.library, small.shop.key(1)
    library.scenes[2].files = (*library.scenes[1].files, *library.scenes[2].files)
    del library.scenes[1]
    small.shop.edit(2, title="Took it over", tags=["New"])
    small.shop.sync(1, 2)
    assert small.plex.item(key).title == "Took it over"
    report = small.run("undo_last_run", scene_id=1)
    assert report.overtaken > 0
    small.run("undo_last_run", all=1)
    assert small.item_states() == before
    assert small.ledger.items.get(key, small.ledger.scenes.get(2).server_id).baseline.scalars == {}


# Stopped and taken up again


class Killed(BaseException):
    """The process is gone; nothing of ours catches this."""


@pytest.mark.parametrize("scope", [{}, {"all": True}])
def test_an_undo_killed_between_plex_and_ledger_is_finished_by_the_next(small, monkeypatch, scope):
    small.configure(sync_poster=True, sync_background=True)
    before = small.item_states()
    small.sync()
    record, calls = Ledger.record_undo, []

    def dying(self, *args):
        calls.append(args)
        if len(calls) == 3:
            raise Killed
        record(self, *args)

    monkeypatch.setattr(Ledger, "record_undo", dying)
    with pytest.raises(Killed):
        small.run("undo_last_run", **scope)
    monkeypatch.undo()
    assert small.ledger.scenes.counts()[SceneState.UNDONE] == len(calls) - 1
    report = small.run("undo_last_run", **scope)
    assert small.item_states() == before
    assert (report.kept, report.scenes) == (0, len(before) - 2)
    assert small.ledger.journal.entries() == []
    assert all(small.ledger.scenes.get(one).baseline.scalars == {} for one in small.scene_ids)


def test_what_a_worker_wrote_and_did_not_live_to_record_is_undone_too(small, monkeypatch):
    before = small.item_states()
    small.sync()
    small.shop.edit(1, title="Unrecorded", tags=["Unrecorded"])

    def dying(*args, **others):
        raise Killed

    monkeypatch.setattr(Ledger, "record_syncs", dying)
    with pytest.raises(Killed):
        small.shop.sync(1)
    monkeypatch.undo()
    small.lock.release()  # the worker is dead, and what it had claimed is not waited for
    monkeypatch.setattr("tasks.context.ensure_worker", lambda folder: None)
    assert small.shop.item(1).title == "Unrecorded"
    small.run("undo_last_run", all=True)
    assert small.item_states() == before
    assert small.ledger.unfinished.scenes() == set()


def test_a_page_holds_no_more_of_the_journal_than_its_items(office, monkeypatch):
    several_runs(office)
    read, most = Journal.entries_of_items, []
    monkeypatch.setattr(Journal, "entries", None)

    def counting(self, keys, server_id):
        most.append(len(keys))
        return read(self, keys, server_id)

    monkeypatch.setattr(Journal, "entries_of_items", counting)
    office.run("undo_last_run", all=True)
    assert most == [50, len(office.scene_ids) - 50]


def test_what_went_to_another_server_is_told_and_left(small):
    small.shop.sync(1)
    place = {"item_id": 1, "server_id": "another", "path": "/a", "fingerprint": "f", "baseline": Baseline()}
    entry = JournalEntry(field="title", kind="scalar", old="", new="A")
    sync = ItemSync(scene_id=99, **place, entries=(entry,))
    small.ledger.record_syncs([sync], run_id=small.ledger.journal.last_run().id, now=1.0)
    report = small.run("undo_last_run", all=True)
    assert report.sentence.endswith("Left alone, as they went to another Plex server: 1 item.")
    assert {entry.scene_id for entry in small.ledger.journal.entries()} == {99}


# What it is asked with


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({"scene_id": "abc"}, "scene_id must be a whole number above 0; it is 'abc'."),
        ({"scene_id": ""}, "scene_id must be a whole number above 0; it is ''."),
        ({"scene_id": None}, "scene_id must be a whole number above 0; it is None."),
        ({"run_id": 0}, "run_id must be a whole number above 0; it is 0."),
        ({"run_id": 1.5}, "run_id must be a whole number above 0; it is 1.5."),
        ({"run_id": True}, "run_id must be a whole number above 0; it is True."),
        ({"all": "maybe"}, "all must be true or false; it is 'maybe'."),
        ({"all": None}, "all must be true or false; it is None."),
        ({"run_id": 1, "scene_id": 2}, "Undo takes one of run_id, scene_id, ids and all, not several."),
        ({"all": True, "scene_id": 2}, "Undo takes one of run_id, scene_id, ids and all, not several."),
        ({"scene": 2}, "undo_last_run has no argument 'scene'; it takes: target, run_id, scene_id, ids, all."),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_touched(small, args, sentence):
    small.shop.sync(1)
    small.shop.forget_requests()
    with pytest.raises(UserError) as refusal:
        small.run("undo_last_run", **args)
    assert str(refusal.value) == sentence
    assert small.plex.requests == []


def test_a_run_that_is_not_in_the_journal_is_refused(small):
    with pytest.raises(UserError, match=r"^There is no run 99 in the journal\.$"):
        small.run("undo_last_run", run_id=99)


@pytest.mark.parametrize(
    ("args", "what"),
    [
        ({}, UndoWhat()),
        ({"mode": "undo_last_run", "all": "false"}, UndoWhat()),
        ({"all": 1}, UndoWhat(all=True)),
        ({"all": " True "}, UndoWhat(all=True)),
        ({"scene_id": "42", "all": False}, UndoWhat(scene_id=42)),
        ({"run_id": 7, "scene_id": None, "target": "plex"}, UndoWhat("plex", run_id=7)),
        ({"ids": ["7", 8]}, UndoWhat(ids=(7, 8))),
    ],
)
def test_arguments_come_as_words_or_numbers(args, what):
    assert UndoWhat.read(Arguments(args)) == what


# Some values, and what would be undone


def test_some_values_are_undone_by_their_numbers_and_the_others_stay(small):
    before = small.item_states()[small.shop.key(1)][0]
    small.shop.sync(1, 2)
    entries = small.run("journal", scene_id=1).entries
    (summary,) = [one.id for one in entries if one.field == "summary"]
    report = small.run("undo", ids=[summary])
    item = small.item_states()[small.shop.key(1)][0]
    assert (report.scenes, report.put_back) == (1, 1)
    assert item.value(Field.SUMMARY) == before.value(Field.SUMMARY)
    assert item.value(Field.TITLE) == small.stash.library.scenes[1].title
    assert {entry.scene_id for entry in small.ledger.journal.entries()} == {1, 2}
    assert summary not in [entry.id for entry in small.ledger.journal.entries()]


def test_what_an_undo_would_try_is_said_before_and_no_server_is_asked(small):
    small.shop.sync(1, 2)
    small.shop.edit(1, title="Second")
    small.shop.sync(1)
    small.shop.forget_requests()
    plan = small.run("undo_plan", all=True)
    assert small.plex.requests == []
    undone = small.run("undo", all=True)
    assert (plan.values, plan.scenes, plan.later_edits) == (undone.put_back, undone.scenes, 0)
    (title,) = [one for one in plan.items if one.scene_id == 1 and one.field == "title"]
    assert (title.from_, title.target, title.item_id) == ("Second", "plex", small.shop.key(1))
    assert title.to not in {"Second", "Scene Number 1"}
    assert "would be put back" in plan.sentence
    assert small.run("undo_plan", all=True).sentence == "There is nothing to undo."


def test_what_a_later_run_wrote_over_is_counted_before_an_undo(small):
    small.shop.sync(1)
    first = small.ledger.journal.last_run().id
    small.shop.edit(1, title="Second")
    small.shop.sync(1)
    plan = small.run("undo_plan", run_id=first)
    undone = small.run("undo", run_id=first)
    assert (plan.values, plan.later_edits) == (undone.put_back, undone.overtaken)
    assert plan.later_edits > 0
