"""Habits that a server may have and nobody has verified: whichever it is, nothing is lost."""

import pytest

from mediabrowser.dialect import Property
from mediabrowser.reading.document import Person
from mediabrowser.writing.edit import DocumentEdit
from model.errors import AccessDenied, ChangeRejected, ItemGone, TargetStarting
from sim.mediabrowser.quirks import Quirks
from tests.integration.sim.mediabrowser_http import EMBY, JELLYFIN, LISTS, SCALARS

NAMED = DocumentEdit(texts={Property.NAME: "Named"})


@pytest.fixture
def typed(start):
    def started(flavour, **more):
        server, made = start(flavour, **more)
        item = server.item_ids()[0]
        server.edit_by_person(item, **SCALARS, **LISTS, People=[("Ann", "Herself", "Actor"), ("Wim", "", "Writer")])
        return server, made, item

    return started


# --- people -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("habit", ["wiped", "kept"])
@pytest.mark.parametrize("flavour", EMBY)
def test_people_stay_whether_emby_keeps_those_it_is_not_sent_or_not(typed, flavour, habit):
    server, made, item = typed(flavour, quirks=Quirks(missing_people=habit))
    before = server.item_json(item)
    made.write(made.document(item), NAMED)
    assert server.item_json(item) == {**before, "Name": "Named"}
    assert server.disasters == []


@pytest.mark.parametrize("flavour", EMBY)
def test_emby_gets_those_who_stay_as_it_showed_them(typed, flavour):
    server, made, item = typed(flavour)
    document = made.document(item)
    shown = {one["Name"]: one for one in document.raw["People"]}
    made.write(document, DocumentEdit(people=(*document.people, Person("Zoe"))))
    (call,) = [one for one in server.requests if one.kind == "update"]
    sent = {one["Name"]: one for one in call.json["People"]}
    assert (sent["Ann"], sent["Wim"]) == (shown["Ann"], shown["Wim"])
    assert sent["Zoe"] == {"Name": "Zoe", "Role": "", "Type": "Actor"}


# --- who reads for us -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flavour", EMBY)
def test_an_item_is_not_gone_because_the_administrator_is(typed, flavour):
    server, made, item = typed(flavour)
    made.document(item)
    server.add_user("second", is_administrator=True)
    server.remove_user("admin")
    assert made.document(item).item_id == item
    server.delete(item)
    with pytest.raises(ItemGone):
        made.document(item)


@pytest.mark.parametrize("flavour", EMBY)
def test_an_item_is_not_gone_because_the_administrator_may_not_see_it(typed, flavour):
    server, made, item = typed(flavour)
    server.hide(item, "admin")
    with pytest.raises(AccessDenied, match="administrator"):
        made.document(item)
    server.add_user("second", is_administrator=True)
    assert made.document(item).item_id == item


# --- what comes with an item ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quirks", [Quirks(shows_empty_locks=False), Quirks(single_has_etag=False)])
@pytest.mark.parametrize("flavour", EMBY)
def test_an_item_that_tells_less_is_written_all_the_same(start, flavour, quirks):
    server, made = start(flavour, quirks=quirks)
    item = server.item_ids()[0]
    before = server.item_json(item)
    made.write(made.document(item), DocumentEdit(texts={Property.NAME: "Named"}, locks=frozenset({"Name"})))
    assert server.item_json(item) == {**before, "Name": "Named", "LockedFields": ["Name"]}


# --- the server itself ------------------------------------------------------------------------------------------------


def test_an_emby_in_maintenance_is_an_outage(start):
    server, made = start("emby-4.9", quirks=Quirks(is_in_maintenance=True))
    with pytest.raises(TargetStarting, match="maintenance"):
        made.libraries()
    server.quirks.is_in_maintenance = False
    assert made.libraries()


# --- collections ------------------------------------------------------------------------------------------------------


def test_all_collections_are_seen_however_short_the_pages_are(start, flavour):
    server, made = start(flavour, 6, quirks=Quirks(most_a_page=2))
    items = server.item_ids()
    for number in range(5):
        made.collections.ensure(f"House {number}", items[:2])
    assert sorted(one.name for one in made.collections.list()) == [f"House {number}" for number in range(5)]
    made.collections.ensure("House 4", items)
    (last,) = [one for one in made.collections.list() if one.name == "House 4"]
    assert set(made.collections.members(last.item_id)) == set(items)
    assert server.disasters == []


@pytest.mark.parametrize("flavour", JELLYFIN)
def test_a_collection_that_was_renamed_is_not_emptied_by_making_one_of_its_old_name(start, flavour):
    server, made = start(flavour)
    item, other = server.item_ids()[:2]
    house = made.collections.ensure("House", [item])
    server.edit_by_person(house.item_id, Name="Home")
    with pytest.raises(ChangeRejected, match="Home"):
        made.collections.ensure("House", [other])
    assert made.collections.members(house.item_id) == (item,)
    assert server.disasters == []
