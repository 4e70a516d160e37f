"""Edits: what is meant is written and locked, and nothing else changes."""

from dataclasses import replace

import pytest

from model.change import FieldEdit, ItemChange, LockEdit, TagEdit
from model.errors import ChangeRejected, ItemChanged, ItemGone, OutcomeUnknown, TargetBusy
from model.item import Field, Tag, TagKind
from sim.mediabrowser import faults
from sim.mediabrowser.quirks import Quirks
from tests.integration.sim.mediabrowser_http import LISTS, SCALARS

VALUES = {
    Field.TITLE: "A new title",
    Field.TITLE_SORT: "title, new",
    Field.SUMMARY: "New words,\nin two lines.",
    Field.TAGLINE: "A new line",
    Field.STUDIO: "New Studio",
    Field.CONTENT_RATING: "XXX",
    Field.DATE: "2024-05-01",
    Field.USER_RATING: "7.5",
    Field.STASH_ID: "42",
}
KINDS = [TagKind.GENRE, TagKind.LABEL, TagKind.ACTOR, TagKind.DIRECTOR, TagKind.COLLECTION]


def changed(before, after):
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


@pytest.fixture
def item(rig):
    """An item that people have filled in."""
    item_id = rig.sim.item_ids()[3]
    if rig.target.name == "Plex":
        rig.sim.edit_by_person(item_id, lock=False, summary="Old words", studio="Old", genre=["Drama"], actor=["Ann"])
    else:
        rig.sim.edit_by_person(item_id, lock=False, **SCALARS, **LISTS, People=["Ann", ("Bo", "", "Writer")])
    return rig.target.details_of(item_id)


def test_details_of_many_are_those_that_are_there(rig):
    ids = rig.sim.item_ids()[:30]
    rig.sim.delete(ids[4])
    found = rig.target.details(ids)
    assert set(found) == set(ids) - {ids[4]}
    assert all(one.item_id == item_id and one.parts for item_id, one in found.items())
    with pytest.raises(ItemGone):
        rig.target.details_of(ids[4])


def test_an_id_that_is_none_finds_nothing(rig):
    assert rig.target.details(["nonsense", "99999999"]) == {}


@pytest.mark.parametrize("field", VALUES)
def test_a_field_is_written_and_nothing_else(rig, item, field):
    if field not in rig.target.capabilities.fields:
        assert field is Field.STASH_ID
        return
    before = rig.whole(item.item_id)
    rig.target.edit(ItemChange(item, (FieldEdit(field, VALUES[field]),)))
    now = rig.target.details_of(item.item_id)
    assert now.value(field) == VALUES[field]
    assert field.value in now.locked or not rig.target.capabilities.has_lock(field)
    meant = rig.property_of(field.value) | rig.lock_properties
    assert changed(before, rig.whole(item.item_id)) <= meant
    rig.target.edit(ItemChange(now, (FieldEdit(field, item.value(field), locked=False),)))
    assert rig.target.details_of(item.item_id).value(field) == item.value(field)


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_is_written_and_nothing_else(rig, item, kind):
    before = rig.whole(item.item_id)
    there = item.tags.get(kind, ())
    rig.target.edit(ItemChange(item, tags=(TagEdit(kind, (*there, Tag("New"), Tag("Another"))),)))
    now = rig.target.details_of(item.item_id)
    assert now.names(kind) == (*item.names(kind), "New", "Another")
    assert (kind.value in now.locked) == rig.target.capabilities.has_lock(kind)
    meant = rig.property_of(kind.value) | rig.lock_properties
    assert changed(before, rig.whole(item.item_id)) <= meant
    rig.target.edit(ItemChange(now, tags=(TagEdit(kind, there, locked=False),)))
    after = rig.target.details_of(item.item_id)
    assert after.tags.get(kind, ()) == there
    assert kind.value not in after.locked


def test_everything_at_once_and_back_again(rig, item):
    before = rig.whole(item.item_id)
    fields = [field for field in VALUES if field in rig.target.capabilities.fields]
    edit = ItemChange(
        item,
        tuple(FieldEdit(field, VALUES[field]) for field in fields),
        tuple(TagEdit(kind, (*item.tags.get(kind, ()), Tag("New"))) for kind in KINDS),
    )
    rig.target.prepare([edit])
    rig.target.edit(edit)
    now = rig.target.details_of(item.item_id)
    assert {field: now.value(field) for field in fields} == {field: VALUES[field] for field in fields}
    back = ItemChange(
        now,
        tuple(FieldEdit(field, item.value(field), locked=False) for field in fields),
        tuple(TagEdit(kind, item.tags.get(kind, ()), locked=False) for kind in KINDS),
    )
    rig.target.edit(back)
    if rig.target.name != "Plex":  # Plex writes an empty value where there was none
        assert rig.whole(item.item_id) == before
    after = rig.target.details_of(item.item_id)
    assert {field: after.value(field) for field in fields} == {field: item.value(field) for field in fields}


def test_a_lock_alone_is_set_and_opened(rig, item):
    before = rig.whole(item.item_id)
    rig.target.edit(ItemChange(item, locks=(LockEdit("summary"),)))
    now = rig.target.details_of(item.item_id)
    assert now.locked == {"summary"}
    rig.target.edit(ItemChange(now, locks=(LockEdit("summary", locked=False),)))
    assert rig.whole(item.item_id) == before


def test_several_items_are_locked_as_far_as_there_are_locks(rig):
    items = list(rig.target.details(rig.sim.item_ids()[:3]).values())
    rig.target.lock_all(items, ["title", "thumb"])
    for now in rig.target.details([one.item_id for one in items]).values():
        assert now.locked == {"title", "thumb"} & rig.target.capabilities.locks


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.RESET_MIDWAY, faults.SHORT_BODY])
def test_a_lost_answer_is_looked_after(rig, item, fault):
    rig.sim.faults.add(fault, kind=rig.edit, times=1)
    rig.target.edit(ItemChange(item, (FieldEdit(Field.TITLE, "Arrived"),), (TagEdit(TagKind.ACTOR, (Tag("Zoe"),)),)))
    assert rig.sim.count(rig.edit) == 1
    now = rig.target.details_of(item.item_id)
    assert (now.value(Field.TITLE), now.names(TagKind.ACTOR)) == ("Arrived", ("Zoe",))


def test_what_did_not_arrive_is_not_sent_again_unseen(rig, item):
    rig.sim.faults.add(faults.RESET, kind=rig.edit, times=1)
    with pytest.raises(OutcomeUnknown) as error:
        rig.target.edit(ItemChange(item, (FieldEdit(Field.TITLE, "Lost"),)))
    assert error.value.applied is False
    assert rig.sim.count(rig.edit) == 1


def test_a_refusal_names_its_fields(rig, item):
    rig.sim.faults.add(faults.status(400), kind=rig.edit)
    with pytest.raises(ChangeRejected) as error:
        rig.target.edit(ItemChange(item, (FieldEdit(Field.SUMMARY, "No"),)))
    assert error.value.fields == ("summary",)


def test_an_item_that_is_gone_is_gone(rig, item):
    rig.sim.delete(item.item_id)
    with pytest.raises(ItemGone):
        rig.target.edit(ItemChange(item, (FieldEdit(Field.TITLE, "Nobody"),)))


# --- Emby and Jellyfin -----------------------------------------------------------------------------------------------


def read(rig, number=3):
    return rig.target.details_of(rig.sim.item_ids()[number])


def test_an_edit_by_a_person_in_between_is_noticed(start, flavour):
    rig = start(flavour)
    for values in ({"title": "Hers"}, {"summary": "Hers"}, {"genre": ["Hers"]}):
        shown = read(rig)
        rig.edit_by_person(shown.item_id, **values)
        held = rig.whole(shown.item_id)
        with pytest.raises(ItemChanged):
            rig.target.edit(ItemChange(shown, (FieldEdit(Field.TITLE, "Ours"),)))
        assert rig.whole(shown.item_id) == held
    shown = read(rig)
    rig.target.edit(ItemChange(shown, (FieldEdit(Field.TITLE, "Ours"),)))
    assert rig.whole(shown.item_id)["Overview"] == "Hers"


def test_a_save_that_changed_nothing_of_it_is_no_reason_to_refuse(start, flavour):
    rig = start(flavour)
    shown = read(rig)
    rig.sim.put_picture_by_provider(shown.item_id, "Primary", b"\x89PNG\r\n\x1a\n")
    rig.sim.edit_by_person(shown.item_id, CustomRating="R")  # nothing that we know of: it goes back as it is
    rig.target.edit(ItemChange(shown, (FieldEdit(Field.TITLE, "Ours"),)))
    held = rig.whole(shown.item_id)
    assert (held["Name"], held["CustomRating"]) == ("Ours", "R")


def test_a_batch_is_read_once_and_asked_about_once(start, flavour):
    rig = start(flavour)
    target = rig.another(clock=lambda: 0.0)
    items = target.details(rig.sim.item_ids()[:30])
    changes = [ItemChange(one, (FieldEdit(Field.TITLE, f"Title {key}"),)) for key, one in items.items()]
    target.edit(changes.pop())  # looks at its locks, once
    rig.sim.journal.clear()
    target.prepare(changes)
    for change in changes:
        target.edit(change)
    counts = rig.sim.journal.counts()
    assert counts.pop("update") == len(changes)
    assert sum(counts.values()) <= len(changes) / 10


def test_an_edit_by_a_person_after_a_batch_was_read_is_noticed(start, flavour):
    rig = start(flavour)
    items = list(rig.target.details(rig.sim.item_ids()[:5]).values())
    changes = [ItemChange(one, (FieldEdit(Field.TITLE, "Ours"),)) for one in items]
    rig.target.prepare(changes)
    rig.edit_by_person(items[2].item_id, summary="Hers")
    for change in changes:
        if change.item is items[2]:
            with pytest.raises(ItemChanged):
                rig.target.edit(change)
        else:
            rig.target.edit(change)


@pytest.mark.parametrize("flavour", ["jellyfin-10.11"])
def test_what_a_locked_database_did_not_save_is_sent_again(start, flavour):
    rig = start(flavour, held=False, quirks=Quirks(scan_seconds=60.0))
    shown = read(rig)
    rig.sim.start_scan()
    rig.sim.quirks.database_locked_every = 2
    rig.target.edit(ItemChange(shown, (FieldEdit(Field.TITLE, "One"),)))
    second = read(rig, 4)
    rig.target.edit(ItemChange(second, (FieldEdit(Field.TITLE, "Two"),)))
    rig.sim.restart()
    titles = [rig.whole(one.item_id)["Name"] for one in (shown, second)]
    assert titles == ["One", "Two"]


@pytest.mark.parametrize("flavour", ["jellyfin-10.11"])
def test_a_database_that_stays_locked_is_a_busy_server_and_nothing_is_lost(start, flavour):
    rig = start(flavour, held=False, quirks=Quirks(scan_seconds=60.0))
    shown = read(rig)
    rig.sim.start_scan()
    rig.sim.quirks.database_locked_every = 1
    with pytest.raises(TargetBusy):
        rig.target.edit(ItemChange(shown, (FieldEdit(Field.TITLE, "Two"),)))
    rig.sim.quirks.database_locked_every = 0
    assert read(rig).value(Field.TITLE) == "Two"  # and it is saved now, or nobody would write it again
    rig.sim.restart()
    assert rig.whole(shown.item_id)["Name"] == "Two"


def test_the_other_studios_stay_and_an_exchange_is_taken_back(start, flavour):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    rig.sim.edit_by_person(item_id, lock=False, Studios=["A", "B", "C"])
    for new, expected in (("X", ["X", "B", "C"]), ("C", ["C", "B", "A"]), ("", ["B", "C"])):
        shown = rig.target.details_of(item_id)
        rig.target.edit(ItemChange(shown, (FieldEdit(Field.STUDIO, new, locked=False),)))
        assert rig.whole(item_id)["Studios"] == expected
        if new:
            rig.target.edit(ItemChange(rig.target.details_of(item_id), (FieldEdit(Field.STUDIO, "A", locked=False),)))
            assert rig.whole(item_id)["Studios"] == ["A", "B", "C"]


@pytest.mark.parametrize(
    "old",
    [
        {"PremiereDate": None, "ProductionYear": 2019},
        {"PremiereDate": "2019-03-04T00:00:00.0000000Z", "ProductionYear": 2018},
        {"PremiereDate": "2019-03-04T12:30:00.0000000Z", "ProductionYear": 2019},
        {"PremiereDate": "2019-03-04T00:00:00.0000000Z", "ProductionYear": None},
        {"PremiereDate": None, "ProductionYear": None},
    ],
)
def test_whatever_date_was_there_is_put_back(start, flavour, old):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    typed = rig.sim.world.store.find(item_id)
    typed.values.update(old)
    rig.sim.world.store.save(typed)
    before, shown = rig.whole(item_id), rig.target.details_of(item_id)
    rig.target.edit(ItemChange(shown, (FieldEdit(Field.DATE, "2024-05-01"),)))
    now = rig.target.details_of(item_id)
    assert now.value(Field.DATE) == "2024-05-01"
    rig.target.edit(ItemChange(now, (FieldEdit(Field.DATE, shown.value(Field.DATE), locked=False),)))
    assert rig.whole(item_id) == before


def test_a_collection_is_found_before_it_is_made_and_never_emptied(start, flavour):
    rig = start(flavour)
    ids = rig.sim.item_ids()[:4]
    first, second, third, fourth = (rig.target.details_of(one) for one in ids)
    rig.target.edit(ItemChange(first, tags=(TagEdit(TagKind.COLLECTION, (Tag("House"),)),)))
    other = rig.another()  # knows nothing of it
    other.edit(ItemChange(second, tags=(TagEdit(TagKind.COLLECTION, (Tag("House"),)),)))
    other.edit(ItemChange(third, tags=(TagEdit(TagKind.COLLECTION, (Tag("house"),)),)))
    held = next(one for one in rig.sim.world.collections.all() if one.values["Name"] == "House")
    assert held.members == ids[:3]
    with pytest.raises(ChangeRejected) as error:
        rig.another().edit(ItemChange(fourth, tags=(TagEdit(TagKind.COLLECTION, (Tag("House:"),)),)))
    assert error.value.fields == ("collection",)
    assert held.members == ids[:3]


def test_a_batch_joins_a_collection_at_once(start, flavour):
    rig = start(flavour)
    items = rig.target.details(rig.sim.item_ids()[:10])
    changes = [ItemChange(one, tags=(TagEdit(TagKind.COLLECTION, (Tag("House"),)),)) for one in items.values()]
    rig.target.prepare(changes)
    for change in changes:
        rig.target.edit(change)
    counts = rig.sim.journal.counts()
    assert counts["create collection"] == 1
    assert not counts.get("add to collection")
    assert {one.names(TagKind.COLLECTION) for one in rig.target.details(list(items)).values()} == {("House",)}


def test_people_whom_nobody_sees_stay_unless_people_change(start, flavour):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    rig.sim.hide_people(item_id, "Ghost")
    rig.target.edit(ItemChange(read(rig), (FieldEdit(Field.TITLE, "Ours"),)))
    assert [one["Name"] for one in rig.whole(item_id)["People"]] == ["Ghost"]


def test_an_item_that_does_not_say_its_version_is_known_by_what_it_shows(start, flavour):
    rig = start(flavour)
    shown = replace(read(rig), version="")
    rig.edit_by_person(shown.item_id, summary="Hers")
    with pytest.raises(ItemChanged):
        rig.target.edit(ItemChange(shown, (FieldEdit(Field.TITLE, "Ours"),)))
    rig.target.edit(ItemChange(replace(read(rig), version=""), (FieldEdit(Field.TITLE, "Ours"),)))
    assert (rig.whole(shown.item_id)["Name"], rig.whole(shown.item_id)["Overview"]) == ("Ours", "Hers")


def test_who_does_not_ask_for_collections_reads_none(start, flavour):
    rig = start(flavour)
    item_id = rig.sim.item_ids()[3]
    rig.target.edit(ItemChange(read(rig), tags=(TagEdit(TagKind.COLLECTION, (Tag("House"),)),)))
    rig.sim.journal.clear()
    assert rig.another(collections=False).details_of(item_id).names(TagKind.COLLECTION) == ()
    assert rig.sim.count("list") == 0
    assert rig.another().details_of(item_id).names(TagKind.COLLECTION) == ("House",)


def test_a_date_that_is_none_is_put_back_letter_for_letter(start, flavour):
    rig = start(flavour, held=False)
    item_id = rig.sim.item_ids()[0]
    rig.sim.world.store.items[item_id].values["PremiereDate"] = "05/01/2024"
    found = rig.target.details_of(item_id)
    assert found.value(Field.DATE) == "05/01/2024 (no year)"
    rig.target.edit(ItemChange(found, (FieldEdit(Field.DATE, "2024-05-01"),)))
    assert rig.target.details_of(item_id).value(Field.DATE) == "2024-05-01"
    with pytest.raises(ChangeRejected):  # it is sent as it was, and the server does not take it itself
        rig.target.edit(ItemChange(rig.target.details_of(item_id), (FieldEdit(Field.DATE, "05/01/2024 (no year)"),)))
