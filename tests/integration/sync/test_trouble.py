"""When something is down, lost, cut off or somebody else: nothing is written twice, nothing is lost, and it is said."""

import pytest

from ledger.states import SceneState
from sim.plex import faults
from sim.plex.server import MACHINE_IDENTIFIER
from sim.stash.faults import Fault as StashFault
from sync.retries.backoff import ceiling

SCENE, OTHER = 1, 2


def told(item):
    return item.values, {kind: sorted(names) for kind, names in item.tags.items()}, item.locks


# --- our own memory -----------------------------------------------------------------------------------------------


def test_without_the_ledger_nothing_is_written_again_and_nothing_doubled(shop):
    shop.sync_all()
    before = shop.others()
    shop.restart(without_ledger=True)
    shop.forget_requests()
    shop.sync_all()
    assert shop.writes() == []
    assert shop.others() == before
    assert shop.record(SCENE).state is SceneState.SYNCED


def test_after_a_lost_ledger_stash_still_rules_what_it_wrote(shop):
    shop.edit(SCENE, title="First")
    shop.sync(SCENE)
    shop.restart(without_ledger=True)
    shop.sync(SCENE)
    shop.edit(SCENE, title="Second")
    shop.sync(SCENE)
    assert shop.item(SCENE).title == "Second"


class ProcessDies(BaseException):
    """Not an error the worker could catch."""


def die(*_, **__):
    raise ProcessDies


def sync_and_die(shop, monkeypatch, *scene_ids):
    """Die after Plex was written and before it is remembered, and come back as a new process that works on nothing."""
    with monkeypatch.context() as patch:
        patch.setattr(shop.ledger, "record_syncs", die)
        with pytest.raises(ProcessDies):
            shop.sync(*scene_ids)
    shop.restart()


@pytest.mark.parametrize("tag_mode", ["add", "replace"])
def test_a_process_that_dies_between_the_write_and_the_ledger_comes_out_right(shop, monkeypatch):
    shop.edit(SCENE, title="First", tags=["A"])
    shop.sync(SCENE)
    shop.plex.edit_by_person(shop.key(SCENE), lock=False, genre=[*shop.item(SCENE).genres, "Theirs"])
    shop.edit(SCENE, title="Second", tags=["B"])
    sync_and_die(shop, monkeypatch, SCENE)
    assert shop.item(SCENE).title == "Second"  # written, and not remembered
    shop.work()
    assert shop.item(SCENE).title == "Second"
    assert set(shop.item(SCENE).genres) == {"B", "Theirs"}
    assert shop.record(SCENE).state is SceneState.SYNCED
    shop.edit(SCENE, title="Third", tags=["C"])  # it knows what is its own
    shop.sync(SCENE)
    assert shop.item(SCENE).title == "Third"
    assert set(shop.item(SCENE).genres) == {"C", "Theirs"}


def test_an_edit_made_while_the_dead_worker_was_away_is_not_taken_for_a_quarrel(shop, monkeypatch):
    shop.edit(SCENE, title="First", details="One", tags=["A"])
    shop.sync(SCENE)
    shop.edit(SCENE, title="Second", tags=["B"])
    sync_and_die(shop, monkeypatch, SCENE)
    shop.edit(SCENE, title="Third", tags=["C"])
    shop.work()
    assert (shop.item(SCENE).title, shop.item(SCENE).genres) == ("Third", ("C",))


@pytest.mark.parametrize("fault", [faults.SERVER_ERROR, faults.MAINTENANCE, faults.RESET], ids=lambda one: one.name)
def test_a_line_break_outlives_a_write_that_failed(shop, fault):
    shop.edit(SCENE, details="one two")
    shop.sync(SCENE)
    shop.edit(SCENE, details="one\n\ntwo")
    shop.plex.faults.add(fault, method="PUT", times=1)
    shop.sync(SCENE)
    shop.work_for(120)
    assert shop.item(SCENE).values["summary"] == "one\n\ntwo"


def test_a_line_break_outlives_a_death_before_the_write(shop, monkeypatch):
    shop.edit(SCENE, details="one two")
    shop.sync(SCENE)
    shop.edit(SCENE, details="one\n\ntwo")
    sync_and_die_before_the_write(shop, monkeypatch, SCENE)
    shop.work()
    assert shop.item(SCENE).values["summary"] == "one\n\ntwo"


def test_a_preview_knows_what_a_dead_worker_wrote(shop, counter, monkeypatch):
    shop.edit(SCENE, title="First")
    shop.sync(SCENE)
    shop.edit(SCENE, title="Second")
    sync_and_die(shop, monkeypatch, SCENE)
    shop.edit(SCENE, title="Third")
    changes = counter.ask("preview_scene", scene_id=SCENE)["targets"][0]["changes"]
    assert [(one["field"], one["old"], one["new"]) for one in changes] == [
        ("title", "Second", "Third"),
        ("sort_title", "Second", "Third"),
    ]


def test_an_edit_taken_back_while_the_dead_worker_was_away_is_taken_back_in_plex(shop, monkeypatch):
    shop.edit(SCENE, title="First", tags=["A"])
    shop.sync(SCENE)
    shop.edit(SCENE, title="Second", tags=["B"])
    sync_and_die(shop, monkeypatch, SCENE)
    shop.edit(SCENE, title="First", tags=["A"])  # as the ledger remembers it
    shop.work()
    assert (shop.item(SCENE).title, shop.item(SCENE).genres) == ("First", ("A",))


def sync_and_die_before_the_write(shop, monkeypatch, *scene_ids):
    with monkeypatch.context() as patch:
        patch.setattr(shop.connection.client(shop.conditions.get().config), "edit", die)
        with pytest.raises(ProcessDies):
            shop.sync(*scene_ids)
    shop.restart()


@pytest.mark.parametrize("tag_mode", ["add", "replace"])
def test_a_second_death_does_not_hide_what_the_first_had_written(shop, monkeypatch):
    """The write arrived and was not recorded; the next was announced and never sent. Both are ours."""
    shop.edit(SCENE, title="First", tags=["A"])
    sync_and_die(shop, monkeypatch, SCENE)
    shop.edit(SCENE, title="Second", tags=["B"])
    sync_and_die_before_the_write(shop, monkeypatch, SCENE)
    assert shop.item(SCENE).title == "First"
    shop.edit(SCENE, title="Third", tags=["C"])
    shop.work()
    assert (shop.item(SCENE).title, shop.item(SCENE).genres) == ("Third", ("C",))


def test_an_edit_taken_back_between_two_deaths_is_taken_back_in_plex(shop, monkeypatch):
    shop.edit(SCENE, title="First")
    shop.sync(SCENE)
    shop.edit(SCENE, title="Second")
    sync_and_die(shop, monkeypatch, SCENE)
    shop.edit(SCENE, title="First")  # as the ledger remembers it
    sync_and_die_before_the_write(shop, monkeypatch, SCENE)
    shop.work()
    assert shop.item(SCENE).title == "First"


def test_the_journal_goes_back_over_any_number_of_deaths(shop, monkeypatch):
    was = shop.item(SCENE).title
    for title in ("First", "Second", "Third"):
        shop.edit(SCENE, title=title, tags=[title])
        sync_and_die(shop, monkeypatch, SCENE)
    shop.work()
    titles = [entry for entry in shop.ledger.journal.entries(scene_id=SCENE) if entry.field == "title"]
    assert [(entry.old, entry.new) for entry in reversed(titles)] == [
        (was, "First"),
        ("First", "Second"),
        ("Second", "Third"),
    ]
    tags = [entry for entry in shop.ledger.journal.entries(scene_id=SCENE) if entry.field == "tags"]
    assert [(entry.old, entry.new) for entry in reversed(tags)] == [
        ((), ("First",)),
        (("First",), ("Second",)),
        (("Second",), ("Third",)),
    ]


def test_the_journal_knows_what_a_dead_worker_replaced(shop, monkeypatch):
    was = shop.item(SCENE).title
    shop.edit(SCENE, title="First")
    sync_and_die(shop, monkeypatch, SCENE)
    shop.work()
    (entry,) = [entry for entry in shop.ledger.journal.entries(scene_id=SCENE) if entry.field == "title"]
    assert (entry.old, entry.new) == (was, "First")


def test_what_was_never_sent_is_not_in_the_journal_and_a_persons_edit_stays(shop, monkeypatch):
    """Two in a batch, the process dies with the first PUT; somebody edits the second in Plex before we are back."""
    shop.edit(SCENE, title="First")
    shop.edit(OTHER, title="First too")
    edit = shop.connection.client(shop.conditions.get().config).edit
    sent = []

    def edit_and_die(wanted):
        edit(wanted)
        sent.append(wanted.item.item_id)
        raise ProcessDies

    monkeypatch.setattr(shop.connection.client(shop.conditions.get().config), "edit", edit_and_die)
    with pytest.raises(ProcessDies):
        shop.sync(SCENE, OTHER)
    shop.restart()
    late = next(one for one in (SCENE, OTHER) if shop.key(one) not in sent)
    shop.plex.edit_by_person(shop.key(late), title="Theirs")
    shop.work()
    assert shop.item(late).title == "Theirs"
    assert "title" not in [entry.field for entry in shop.ledger.journal.entries(scene_id=late)]


def test_what_a_person_shortens_after_a_death_is_theirs_though_nobody_had_read_ours_back(shop):
    ours = "A first sentence that is long enough. A second one that a person does not want."
    theirs = "A first sentence that is long enough."
    shop.edit(SCENE, details=ours)
    shop.own_queue.enqueue("scene", [SCENE], "test", shop.clock.now(), due_at=shop.clock.now())
    shop.metadata_lane.step()
    assert shop.item(SCENE).values["summary"] == ours
    shop.restart()
    shop.clock.advance(86_400)
    shop.plex.edit_by_person(shop.key(SCENE), summary=theirs)
    for details in (ours, "Something new from Stash"):
        shop.edit(SCENE, title=f"With {details}", details=details)
        shop.sync(SCENE)
        assert shop.item(SCENE).values["summary"] == theirs


def test_a_bug_in_one_scene_does_not_hold_up_the_others(shop, monkeypatch):
    intend = shop.ledger.unfinished.announce

    def stumble(syncs):
        if any(sync.scene_id == SCENE for sync in syncs):
            raise ZeroDivisionError
        intend(syncs)

    monkeypatch.setattr(shop.ledger.unfinished, "announce", stumble)
    shop.sync(*shop.stash.library.scenes)
    assert shop.record(OTHER).state is SceneState.SYNCED
    shop.work_for(600)
    assert list(shop.letters()) == [f"scene:{SCENE}"]


# --- Plex is down -------------------------------------------------------------------------------------------------

OUTAGES = {
    "unreachable": lambda plex: plex.stop(),
    "maintenance": lambda plex: plex.faults.add(faults.MAINTENANCE),
    "bad gateway": lambda plex: plex.faults.add(faults.BAD_GATEWAY),
    "wrong token": lambda plex: plex.faults.add(faults.UNAUTHORIZED),
    "forbidden": lambda plex: plex.faults.add(faults.FORBIDDEN),
    "another server": lambda plex: plex.become_another_server(),
}


def recover(plex):
    plex.faults.clear()
    plex.become_another_server(MACHINE_IDENTIFIER)
    plex.start()


@pytest.mark.parametrize("outage", OUTAGES.values(), ids=OUTAGES)
@pytest.mark.parametrize("is_first", [True, False], ids=["at the start", "in the middle"])
def test_an_outage_writes_nothing_costs_no_attempt_says_so_and_passes(shop, outage, is_first):
    if not is_first:
        shop.sync(SCENE)
    before = shop.others()
    shop.ledger.values.set(f"machine {shop.plex.url}", MACHINE_IDENTIFIER)
    outage(shop.plex)
    shop.clock.advance(60.0)
    shop.edit(SCENE, title="Later")
    shop.edit(OTHER, title="Later too")
    if not is_first:
        shop.plex.drop_connections()
    shop.sync(SCENE, OTHER)
    shop.work_for(300)
    assert shop.others() == before
    assert shop.letters() == {}
    assert {job.attempts for job in shop.jobs().values()} == {0}
    assert len(shop.jobs()) == 2
    assert shop.trouble
    recover(shop.plex)
    shop.work_for(330)  # what a person must mend is asked for every five minutes
    assert shop.item(SCENE).title == "Later"
    assert shop.item(OTHER).title == "Later too"
    assert shop.trouble is None
    assert shop.jobs() == {}


def test_a_plex_that_is_down_is_not_asked_once_per_scene(shop):
    shop.sync(SCENE)
    shop.plex.faults.add(faults.MAINTENANCE)
    for scene_id in shop.stash.library.scenes:
        shop.edit(scene_id, title="Later")
    shop.forget_requests()
    shop.sync(*shop.stash.library.scenes)
    assert len(shop.plex.requests) < 10


def test_an_outage_in_the_middle_of_a_batch_keeps_what_is_done_and_loses_nothing(shop):
    shop.plex.faults.add(faults.MAINTENANCE, method="PUT", skip=4)
    shop.sync(*shop.stash.library.scenes)
    done = [one for one in shop.stash.library.scenes if shop.record(one) and shop.record(one).state == "synced"]
    assert len(done) == 4
    assert len(shop.jobs()) == 8
    shop.plex.faults.clear()
    shop.work_for(120)
    assert shop.jobs() == {}
    assert all(shop.record(one).state is SceneState.SYNCED for one in shop.stash.library.scenes)


# --- Plex is unwell -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [faults.SERVER_ERROR, faults.TOO_MANY, faults.status(520)], ids=lambda one: one.name)
def test_a_write_that_fails_inside_plex_is_tried_again_and_then_given_up(shop, fault):
    shop.plex.faults.add(fault, method="PUT", path="*")
    shop.sync(SCENE)
    assert shop.jobs()[f"scene:{SCENE}"].attempts == 1
    shop.work_for(1200)
    assert list(shop.letters()) == [f"scene:{SCENE}"]
    assert shop.record(SCENE).state is SceneState.FAILED
    assert shop.plex.count("edit") == 5
    shop.plex.faults.clear()
    shop.sync(SCENE)
    assert shop.record(SCENE).state is SceneState.SYNCED
    assert shop.letters() == {}


def test_what_plex_rejects_is_a_dead_letter_with_the_field_and_the_others_go_on(shop):
    shop.plex.faults.add(faults.status(400), method="PUT", times=2)
    shop.sync(*shop.stash.library.scenes)
    assert len(shop.letters()) == 1
    refused = [one for one in shop.stash.library.scenes if shop.record(one).state is SceneState.REFUSED]
    assert len(refused) == 1
    assert shop.record(refused[0]).sentence.startswith("title: ")


def test_a_film_with_a_cast_of_its_own_gets_all_but_the_performers_that_do_not_fit(shop):
    """Two hundred actors cannot be sent again in one request, and on a server that replaces lists they must be."""
    shop.configure(plex_library="")
    film = next(key for key in shop.plex.item_ids("Movies") if len(shop.plex.item(key).actors) > 100)
    cast = shop.plex.item(film).actors
    shop.edit(SCENE, title="Long cast", performers=["One more"], tags=["New"])
    shop.ledger.pins.set(SCENE, film, shop.plex.server_id)
    shop.sync(SCENE)
    item = shop.plex.item(film)
    assert (item.title, "New" in item.genres, item.actors) == ("Long cast", True, cast)
    assert shop.record(SCENE).sentence == "actor: too long to be sent to Plex"


@pytest.mark.parametrize("path", ["*", "/library/sections"])
def test_a_server_that_refuses_to_be_read_is_an_outage_and_costs_no_job(shop, path):
    """An address of something else, or a proxy before Plex: mended once, all of it goes on."""
    shop.edit(SCENE, title="First")
    rule = shop.plex.faults.add(faults.status(400), method="GET", path=path)
    shop.sync(SCENE, OTHER)
    shop.work_for(600)
    assert shop.letters() == {}
    shop.plex.faults.remove(rule)
    shop.work_for(600)
    shop.sweep_and_work()
    assert shop.item(SCENE).title == "First"


@pytest.mark.parametrize("fault", [faults.LOGIN_PAGE, faults.CUT_XML, faults.SHORT_BODY], ids=lambda one: one.name)
def test_details_that_are_no_answer_write_nothing(shop, fault):
    shop.sync(SCENE)
    shop.edit(SCENE, title="Later")
    before = shop.others()
    shop.plex.faults.add(fault, kind="details")
    shop.sync(SCENE)
    assert shop.others() == before
    shop.plex.faults.clear()
    shop.work_for(300)
    assert shop.item(SCENE).title == "Later"


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.SHORT_BODY], ids=lambda one: one.name)
def test_a_lost_answer_to_a_write_is_looked_up_and_not_repeated(shop, fault):
    shop.sync(SCENE)
    shop.edit(SCENE, title="Once", tags=["A"])
    shop.forget_requests()
    shop.plex.faults.add(fault, method="PUT", times=1)
    shop.sync(SCENE)
    assert len(shop.writes()) == 1
    assert shop.item(SCENE).title == "Once"
    assert shop.jobs() == {}


def test_a_write_that_was_cut_off_before_it_arrived_is_made_again_later(shop):
    shop.sync(SCENE)
    shop.edit(SCENE, title="Once", tags=["A"])
    shop.plex.faults.add(faults.RESET, method="PUT", times=1)
    shop.sync(SCENE)
    assert shop.item(SCENE).title != "Once"
    shop.work_for(120)
    assert shop.item(SCENE).title == "Once"
    assert shop.letters() == {}


def test_an_item_that_vanishes_between_reading_and_writing_is_waited_for(shop):
    shop.sync(SCENE)
    shop.edit(SCENE, title="Later")
    key = shop.key(SCENE)
    shop.plex.after("details", lambda: shop.plex.delete(key))
    shop.sync(SCENE)
    assert shop.record(SCENE).state is SceneState.WAITING
    assert shop.letters() == {}
    shop.add_to_plex(SCENE)
    shop.work_for(120)
    assert shop.item(SCENE).title == "Later"


def test_one_wrong_name_among_several_libraries_keeps_nothing_back(shop, caplog):
    shop.configure(plex_library="Scenes, Holidays")
    shop.edit(SCENE, title="First")
    shop.sync(SCENE)
    assert shop.item(SCENE).title == "First"
    assert shop.trouble is None
    assert "Holidays" in caplog.text


def test_a_library_that_does_not_exist_is_named_and_waited_for(shop):
    shop.configure(plex_library="Nonsense")
    shop.sync(SCENE)
    assert "Nonsense" in shop.trouble
    assert shop.letters() == {}
    shop.configure(plex_library="Scenes")
    shop.work_for(120)
    assert shop.record(SCENE).state is SceneState.SYNCED


def test_a_path_map_that_makes_no_sense_is_waited_for_with_its_sentence(shop):
    shop.configure(path_map="nonsense")
    shop.sync(SCENE)
    assert "path_map" in shop.jobs()[f"scene:{SCENE}"].last_error
    assert shop.jobs()[f"scene:{SCENE}"].attempts == 0
    assert shop.writes() == []
    shop.configure(path_map="/data/clips=>/data/scenes/clips")
    shop.work_for(120)
    assert shop.record(SCENE).state is SceneState.SYNCED


# --- Stash is down ------------------------------------------------------------------------------------------------


def test_while_stash_is_away_plex_is_left_alone_and_nothing_is_lost(shop):
    shop.sync(SCENE)
    shop.edit(SCENE, title="Later")
    shop.forget_requests()
    shop.stash.fail_with(StashFault.SERVER_ERROR)
    shop.sync(SCENE)
    assert shop.plex.requests == []
    shop.stash.heal()
    shop.work_for(300)
    assert shop.item(SCENE).title == "Later"


@pytest.mark.parametrize("fault", [StashFault.DATABASE_LOCKED, StashFault.HTML, StashFault.SERVER_ERROR])
def test_a_stash_that_answers_nonsense_is_one_line_in_the_log_for_all_jobs_and_tries(shop, caplog, fault):
    shop.sync_all()
    shop.stash.fail_with(fault)
    with caplog.at_level("INFO"):
        for _ in range(2):
            caplog.clear()
            shop.sync(1, 2, 3, 4, 5)
            shop.work_for(120)
            told = [one for one in caplog.records if "Again in" in one.getMessage()]
            assert len(told) <= 1
            shop.stash.heal()
            shop.work_for(600)
            shop.stash.fail_with(fault)


def test_the_curve_of_waiting_for_a_file_grows_to_ten_minutes():
    assert [ceiling(retry, 30.0, 600.0) for retry in range(6)] == [30, 60, 120, 240, 480, 600]
