"""Tasks on Plex: what was written is taken back, what would be written is shown, where things are is forgotten."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ledger.states import PictureState, SceneState
from model.item import Field
from model.user_error import UserError
from plex.client import PlexClient
from plex.device_identity import load_identity
from runtime.folder import DataFolder
from runtime.lock import FileLock
from sim.plex.faults import status
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from tasks.answers import PreviewCounts
from tasks.scenes.preview_run import MOST_LINES
from tests.integration.sync.conftest import Workshop
from tests.support.actions import RecordingReporter, run
from tests.support.clocks import FakeClock


class Office:
    """A workshop and, beside it, a person who starts tasks. Its worker seems to live, so that none is started."""

    def __init__(self, shop, folder):
        self.shop, self.stash, self.plex, self.ledger = shop, shop.stash, shop.plex, shop.ledger
        self.folder = DataFolder(str(folder))
        self.lock = FileLock(self.folder.worker_lock)
        assert self.lock.acquire()
        self.told = RecordingReporter()
        self.client = PlexClient(self.plex.url, self.plex.token, load_identity(str(folder)))
        self.configure()

    def configure(self, **changes):
        self.shop.configure(**changes)
        self.stash.configure_plugin("Stash2Plex", self.shop._settings)

    def run(self, mode, **args):
        self.told = RecordingReporter()
        return run(self.folder, mode, self.told, **args)

    def sync(self):
        self.shop.sync_all()
        self.shop.pictures()
        self.shop.picture_lane.step()

    @property
    def scene_ids(self):
        return [scene.id for scene in self.stash.library.scenes.values() if scene.files]

    def item_states(self):
        """Show all items in full, pictures by what is selected."""
        details = self.client.details(self.plex.item_ids())
        return {key: self._item_xml(key, item) for key, item in details.items()}

    def _item_xml(self, key, item):
        snapshot = self.plex.item(key)
        tags = {kind: {(tag.name, tag.role) for tag in found} for kind, found in item.tags.items()}
        bare = replace(item, tags=tags, updated_at=0, pictures={})
        return bare, snapshot.poster, snapshot.art


def open_office(folder, scenes):
    clock = FakeClock(float(int(time.time())))
    with SimStash(scenes=scenes, now=clock.now) as stash, SimPlex(0, clock=clock.now) as plex:
        shop = Workshop(stash, plex, folder, clock)
        office = Office(shop, folder)
        for scene_id in office.scene_ids:
            _furnish(plex, shop.add_to_plex(scene_id), scene_id)
        yield office
        office.lock.release()
        office.client.close()
        shop.close()


def _furnish(plex, key, number):
    """Have others been there before us: an agent, a person, a person with a lock."""
    if number % 3 == 0:
        plex.edit_by_person(key, lock=False, summary=f"Agent's {number}", genre=["Agent's", "4K"], studio="Studio 1")
    if number % 4 == 0:
        plex.edit_by_person(key, tagline="Locked", actor=["Somebody", "Jane Doe"], collection=["Mine"])
    if number % 5 == 0:
        plex.edit_by_person(key, title=f"The person's {number}")


@pytest.fixture
def office(tmp_path):
    yield from open_office(tmp_path, 60)


@pytest.fixture
def small(tmp_path):
    for office in open_office(tmp_path, 6):
        office.configure(sync_poster=False, sync_background=False)
        yield office


# Undo


def test_after_an_undo_plex_is_exactly_as_before_but_for_what_somebody_edited_since(office):
    before = office.item_states()
    office.sync()
    synced = office.item_states()
    assert all(synced[key] != before[key] for key in before)
    edited = office.shop.key(7)
    office.plex.edit_by_person(edited, summary="Somebody's")

    report = office.run("undo_last_run")

    after = office.item_states()
    assert {key for key in before if after[key] != before[key]} == {edited}
    (item, *pictures), (old, *old_pictures) = after[edited], before[edited]
    assert item.value(Field.SUMMARY) == "Somebody's"
    assert item.locked == old.locked | {"summary"}
    values = {name: value for name, value in item.values.items() if name is not Field.SUMMARY}
    assert values == {name: value for name, value in old.values.items() if name is not Field.SUMMARY}
    assert (item.tags, pictures) == (old.tags, old_pictures)
    assert (report.scenes, report.kept, report.failed) == (len(before), 1, 0)
    assert office.told.lines == ["scene 7: summary: edited in Plex since, so it is kept."]
    assert office.told.fractions[-1] >= 1


def test_five_hundred_scenes_are_undone_field_by_field(tmp_path):
    for office in open_office(tmp_path, 500):
        office.configure(sync_poster=False, sync_background=False, sync_rating=True, sync_groups=True)
        before = office.item_states()
        office.sync()
        office.run("undo_last_run")
        assert office.item_states() == before
        assert office.ledger.scenes.counts()[SceneState.UNDONE] == len(before)


def test_undo_costs_one_look_for_fifty_items_and_one_edit_each(small):
    small.sync()
    small.shop.forget_requests()
    small.run("undo_last_run")
    assert small.plex.count("details") == 1
    assert len(small.shop.writes()) == len(small.scene_ids)


def test_what_was_undone_is_remembered_and_not_undone_again(small):
    small.sync()
    fingerprint = small.ledger.scenes.get(1).fingerprint
    small.run("undo_last_run")
    record = small.ledger.scenes.get(1)
    assert record.state is SceneState.UNDONE
    assert record.fingerprint.startswith(fingerprint)
    assert record.baseline.scalars == {}
    assert small.ledger.journal.entries() == []
    before = small.item_states()
    assert small.run("undo_last_run").sentence == "There is nothing to undo."
    assert small.item_states() == before


def test_one_undo_takes_back_one_run(small):
    before = small.item_states()
    small.sync()
    first = small.item_states()
    small.shop.edit(1, title="Another", tags=["New"])
    small.shop.sync(1)
    small.run("undo_last_run")
    assert small.item_states() == first
    assert small.ledger.scenes.get(1).baseline.scalars["title"] == "Scene Number 1"
    small.run("undo_last_run")
    assert small.item_states() == before


def test_what_was_undone_stays_so_until_the_scene_is_edited(small):
    before = small.item_states()
    small.sync()
    small.run("undo_last_run")
    small.shop.sync(*small.scene_ids)
    assert small.item_states() == before
    small.shop.edit(1, title="Edited since")
    small.shop.sync(1)
    assert small.shop.item(1).title == "Edited since"


def test_a_synced_scene_can_be_synced_again_after_its_undo(small):
    small.sync()
    synced = small.item_states()
    small.run("undo_last_run")
    small.shop.sync_all()
    assert small.item_states() == synced


def test_pictures_return_with_the_run_they_were_uploaded_for_and_are_shown_again_by_a_sync(small):
    small.configure(sync_poster=True, sync_background=True)
    before = small.item_states()
    small.sync()
    synced, key = small.item_states(), small.shop.key(1)
    assert small.plex.item(key).poster.startswith("upload://")
    small.run("undo_last_run")
    assert small.item_states() == before
    assert small.ledger.pictures.get(1, "thumb").state is PictureState.UNDONE
    small.sync()
    assert small.item_states() == synced
    assert len(small.plex.uploads(key)) == 1


def test_a_picture_somebody_chose_since_is_kept(small):
    small.configure(sync_poster=True)
    small.sync()
    key = small.shop.key(1)
    small.plex.world.pictures.upload(small.plex.world.library.item(int(key)), "posters", b"theirs")
    chosen = small.plex.item(key).poster
    small.run("undo_last_run")
    assert small.plex.item(key).poster == chosen
    assert "thumb" in small.plex.item(key).locks
    assert "scene 1: poster: edited in Plex since, so it is kept." in small.told.lines


def test_pictures_alone_can_be_undone(small):
    small.sync()
    small.shop.restart(without_ledger=True)  # so that nobody knows of the metadata any more
    synced = small.item_states()
    small.configure(sync_poster=True)
    small.sync()
    assert small.item_states() != synced
    small.run("undo_last_run")
    assert small.item_states() == synced


def test_an_item_that_is_gone_is_told_and_does_not_stop_the_others(small):
    before = small.item_states()
    small.sync()
    gone = small.shop.key(3)
    small.plex.delete(gone)
    report = small.run("undo_last_run")
    assert small.item_states() == {key: shown for key, shown in before.items() if key != gone}
    assert report.gone == 1
    assert "scene 3: its item is gone from Plex, there is nothing to put back." in small.told.lines
    assert small.ledger.journal.entries() == []


def test_an_item_that_goes_while_it_is_being_undone_is_told_too(small):
    small.sync()
    gone = small.shop.key(3)
    small.plex.after("details", lambda: small.plex.delete(gone))
    report = small.run("undo_last_run")
    assert (report.gone, report.scenes, report.failed) == (1, 5, 0)


def test_an_item_whose_key_has_become_another_files_is_left_alone(small):
    small.sync()
    key = small.shop.key(3)
    part = small.plex.world.library.item(int(key)).first_part
    part.file = "/data/scenes/another.mp4"
    small.plex.edit_by_person(key, title="Another film")
    synced = small.item_states()[key]
    assert small.run("undo_last_run").gone == 1
    assert small.item_states()[key] == synced


def test_a_scene_that_plex_refuses_is_told_and_waits_for_the_next_undo(small):
    before = small.item_states()
    small.sync()
    small.plex.faults.add(status(400), times=2, method="PUT")  # the whole, and a piece of it
    report = small.run("undo_last_run")
    assert report.failed == 1
    assert "Run it again" in report.sentence
    small.run("undo_last_run")
    assert small.item_states() == before


def test_a_plex_that_goes_away_stops_it_and_it_goes_on_where_it_was(small):
    before = small.item_states()
    small.sync()
    small.plex.after("edit", small.plex.stop, nth=3)
    with pytest.raises(UserError, match="Run it again for the rest"):
        small.run("undo_last_run")
    small.plex.start()
    assert small.item_states() != before
    small.run("undo_last_run")
    assert small.item_states() == before


def test_nothing_is_written_to_another_server_at_the_same_address(small):
    small.sync()
    small.shop.forget_requests()
    small.plex.become_another_server()
    with pytest.raises(UserError, match="another Plex server"):
        small.run("undo_last_run")
    assert small.shop.writes() == []
    assert small.ledger.journal.entries() != []


def test_a_scene_that_stash_has_forgotten_is_undone_too(small):
    before = small.item_states()
    small.sync()
    small.ledger.scenes.forget(2)
    small.run("undo_last_run")
    assert small.item_states() == before
    assert small.ledger.scenes.get(2) is None


def test_settings_that_cannot_be_used_are_named(small):
    small.stash.configure_plugin("Stash2Plex", {"plex_url": "nonsense"})
    with pytest.raises(UserError, match=r"plex_url must be an address.*plex_token is not set"):
        small.run("undo_last_run")


# The dry run


def everything_we_know(office):
    """Read all tables of ledger and queue, but for the copy of Plex's paths and the small values."""
    tables = ["scene", "item_baseline", "journal", "run", "picture", "pin"]
    ledger = {table: office.ledger._db.rows(f"SELECT * FROM {table}") for table in tables}
    queue = office.shop.queue._connection
    names = [name for (name,) in queue.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return ledger, {name: queue.execute(f"SELECT * FROM {name}").fetchall() for name in names}


def written(office):
    """Return by scene what the journal says was written."""
    found = {}
    for entry in office.ledger.journal.entries():
        found.setdefault(entry.scene_id, set()).add(entry.field)
    return found


@pytest.mark.parametrize("is_synced", [False, True])
def test_a_dry_run_writes_nothing_anywhere(small, is_synced):
    if is_synced:
        small.sync()
        small.shop.edit(1, title="Another")
    small.shop.forget_requests()
    before, shown = everything_we_know(small), small.item_states()
    report = small.run("preview")
    assert small.shop.writes() == []
    asked = {"PluginState", "SceneCount", "ScenePage"} | ({"SceneFilesPage"} if not is_synced else set())
    assert set(small.stash.requests) == asked
    assert everything_we_know(small) == before
    assert small.item_states() == shown
    assert report.counts.would_change == (1 if is_synced else 6)
    assert "Nothing was written" in report.sentence


def test_a_dry_run_foretells_what_the_sync_then_writes(tmp_path):
    for office in open_office(tmp_path, 30):
        report = office.run("preview")
        told = {int(line.split(":")[0].removeprefix("scene ")): line for line in office.told.lines}
        office.shop.sync_all()
        done = written(office)
        assert told.keys() == done.keys()
        for scene_id, fields in done.items():
            assert all(f"{field} " in told[scene_id] for field in fields)
        assert report.fields["title"] == sum("title" in fields for fields in done.values())
        assert (report.counts.would_change, report.counts.unmatched) == (len(done), 1)  # scene 29 has no file
        assert office.told.fractions[-1] == 1


def test_a_dry_run_says_what_was_what_will_be_and_why(small):
    small.sync()
    small.shop.edit(1, title="Another", tags=["4K", "New"])
    small.run("preview")
    line, kept = small.told.lines
    assert kept == "scene 5: kept as a person's: title is 'The person's 5' in Plex and 'Scene Number 5' in Stash."
    assert line.startswith("scene 1: title 'Scene Number 1' → 'Another' (changed in Stash); sort_title ")
    assert "tags +'New' -'B-Roll' -'Outdoor' -'Été' (changed in Stash)" in line
    assert small.run("preview").counts.right == 5


def test_a_dry_run_counts_what_cannot_be_synced(small):
    small.sync()
    small.shop.edit(1, title="", files=())
    small.shop.edit(5, date="2024-02-31")
    small.shop.edit(2, files=small.stash.library.scenes[3].files)
    small.plex.delete(small.shop.key(4))
    small.configure(only_organized=False)
    report = small.run("preview")
    assert report.counts == PreviewCounts(would_change=0, right=2, unmatched=1, ambiguous=1, refused=2, skipped=0)
    small.configure(only_organized=True)
    assert small.run("preview").counts.skipped == 3


def test_two_new_scenes_of_one_file_are_told_before_they_are_synced(small):
    small.shop.edit(2, files=small.stash.library.scenes[3].files)
    assert small.run("preview").counts.ambiguous == 1


def test_a_dry_run_shows_two_hundred_scenes_and_counts_the_rest(small, monkeypatch):
    monkeypatch.setattr("tasks.scenes.preview_run.MOST_LINES", 4)
    report = small.run("preview")
    assert report.counts.would_change == 6
    assert len(small.told.lines) == 4
    assert MOST_LINES == 200
    path = Path(report.file)
    assert str(path) in report.sentence
    assert path.stat().st_mode & 0o777 == 0o600
    *lines, closing = path.read_text(encoding="utf-8").splitlines()
    assert lines[:4] == small.told.lines
    assert len(lines) == 6
    assert closing.startswith("Of 6 scenes: 6 would change")
    assert report.sentence.startswith(closing)


def test_a_dry_run_that_is_broken_off_leaves_the_file_of_the_last_one(small):
    small.run("preview")
    before = Path(small.folder.preview).read_bytes()
    small.plex.faults.add(status(401))
    with pytest.raises(UserError):
        small.run("preview")
    assert Path(small.folder.preview).read_bytes() == before
    assert not [name for name in os.listdir(small.folder.root) if name.endswith(".new")]


def test_a_path_map_that_cannot_be_understood_is_named(small):
    small.configure(path_map="nonsense")
    with pytest.raises(UserError, match="nonsense"):
        small.run("preview")


# Forgetting where things are


def kept_values(office):
    return {name for (name,) in office.ledger._db.rows("SELECT name FROM kept_value")}


def index(office):
    return office.ledger._db.rows("SELECT item_id, path FROM item_file ORDER BY 1, 2")


def test_the_match_cache_is_forgotten_and_found_out_again_by_the_next_worker(small):
    small.sync()
    known, values = index(small), kept_values(small)
    report = small.run("clear_match_cache")
    assert report.forgotten == len(known)
    assert "looks them up" in report.sentence
    assert index(small) == []
    assert kept_values(small) == {"path_map", "matches_forgotten_at"}
    small.shop.restart()
    small.ledger = small.shop.ledger
    small.ledger.values.set("path_map", small.ledger.values.get("path_map").replace("/data/scenes", "/nowhere"))
    small.shop.sync_all()
    assert json.loads(small.ledger.values.get("path_map"))["rules"] == "/data=>/data/scenes"
    assert index(small) == known
    assert kept_values(small) == values | {"matches_forgotten_at"}


def test_a_living_worker_goes_on_with_the_right_items_after_its_cache_was_cleared(small):
    small.sync()
    small.run("clear_match_cache")
    small.shop.forget_requests()
    small.shop.edit(1, title="Another")
    small.shop.sync(*small.scene_ids)
    assert small.shop.item(1).title == "Another"
    assert len(small.shop.writes()) == 1


def test_a_server_that_was_replaced_is_accepted_once_its_predecessor_is_forgotten(small):
    small.sync()
    small.plex.become_another_server()
    small.run("clear_match_cache")
    with pytest.raises(UserError, match="went to another Plex server"):
        small.run("undo_last_run")


def test_there_may_be_nothing_to_forget(small):
    assert small.run("clear_match_cache").forgotten == 0


@pytest.mark.parametrize("mode", ["preview", "undo_last_run", "clear_match_cache"])
def test_a_ledger_that_cannot_be_used_is_named(small, mode):
    for file in Path(small.folder.target("plex").root).glob("ledger.db*"):
        file.write_bytes(b"This is no database." * 100)
    with pytest.raises(UserError, match="The record of what was synced"):
        small.run(mode)
