"""One PUT, the right item, the right outcome on servers that add tags and on those that replace them."""

import time

import pytest

from model.change import FieldEdit, ItemChange, LockEdit, TagEdit
from model.errors import ChangeRejected, ItemGone, OutcomeUnknown, RequestTooLong, TargetBusy, TargetStarting
from model.item import Field, Tag, TagKind
from plex.http.transport import query_string
from sim.plex import faults

TITLE = FieldEdit(Field.TITLE, "New title")


@pytest.fixture
def key(sim):
    return sim.item_ids()[3]


@pytest.fixture(autouse=True)
def mode(sim, tag_mode):
    sim.quirks.tag_mode = tag_mode
    return tag_mode


def tags(*names):
    return tuple(Tag(name) for name in names)


def test_everything_lands_in_one_put(sim, client, key):
    sim.edit_by_person(key, genre=["Keep", "Drop, this", "Drop that"], actor=["Old"])
    item = client.details_of(key)
    sim.journal.clear()
    client.edit(
        ItemChange(
            item,
            (TITLE, FieldEdit(Field.DATE, "2024-05-01"), FieldEdit(Field.USER_RATING, "0")),
            (
                TagEdit(TagKind.GENRE, tags("Keep", "New & shiny", "50% off, now")),
                TagEdit(TagKind.ACTOR, (Tag("Ann", "Herself"), Tag("Bo"))),
                TagEdit(TagKind.COLLECTION, tags("Studio")),
            ),
            (LockEdit("thumb"),),
        )
    )
    assert sim.journal.counts() == {"edit": 1}
    now = sim.item(key)
    assert now.title == "New title"
    assert set(now.genres) == {"Keep", "New & shiny", "50% off, now"}
    assert now.roles == {"Ann": "Herself", "Bo": ""}
    assert now.collections == ("Studio",)
    assert {"title", "originallyAvailableAt", "userRating", "genre", "actor", "collection", "thumb"} <= now.locks


def test_only_the_named_item_changes(sim, client, key):
    before = {other: sim.item(other) for other in sim.item_ids() if other != key}
    client.edit(ItemChange(client.details_of(key), (TITLE,), (TagEdit(TagKind.GENRE, tags("x")),)))
    assert {other: sim.item(other) for other in before} == before


def test_a_list_is_cleared(sim, client, key):
    sim.edit_by_person(key, genre=["A", "B, C"])
    item = client.details_of(key)
    client.edit(ItemChange(item, tags=(TagEdit(TagKind.GENRE, ()),)))
    assert sim.item(key).genres == ()
    assert "genre" in sim.item(key).locks


@pytest.mark.parametrize("case", ["fold", "exact"])
def test_a_tag_that_differs_in_case_alone_is_neither_lost_nor_doubled(sim, client, key, case):
    sim.quirks.tag_case = case
    sim.edit_by_person(key, genre=["Solo"])
    item = client.details_of(key)
    client.edit(ItemChange(item, tags=(TagEdit(TagKind.GENRE, tags("solo", "Duo")),)))
    assert sorted(sim.item(key).genres) == ["Duo", "Solo"]


def test_a_long_edit_is_split_and_lands_whole(sim, client, key):
    sim.quirks.max_request_line = 4096
    genres = tags(*(f"Genre number {number}" for number in range(60)))
    summary = "Long. " * 400
    client.edit(
        ItemChange(
            client.details_of(key),
            (TITLE, FieldEdit(Field.SUMMARY, summary)),
            (TagEdit(TagKind.GENRE, genres), TagEdit(TagKind.ACTOR, genres)),
        )
    )
    now = sim.item(key)
    assert (now.title, now.values["summary"]) == ("New title", summary)
    assert len(now.genres) == len(now.actors) == 60
    assert all(entry.status == 200 for entry in sim.journal.writes())


def test_a_list_longer_than_a_request_may_be(sim, client, key, mode):
    sim.edit_by_person(key, genre=["Kept", "Gone"])
    item = client.details_of(key)
    many = tags(*(f"漢字のタグ {number}" for number in range(160)), "Kept")
    edit = ItemChange(item, tags=(TagEdit(TagKind.GENRE, many),))
    if mode == "add":
        client.edit(edit)
        assert set(sim.item(key).genres) == {tag.name for tag in many}
    else:
        with pytest.raises(RequestTooLong) as caught:
            client.edit(edit)
        assert caught.value.fields == ("genre",)
        assert "Kept" in sim.item(key).genres


def test_a_server_with_a_shorter_line_than_promised_is_served_field_by_field(sim, client, key):
    sim.quirks.max_request_line = 2048
    item = client.details_of(key)
    client.edit(ItemChange(item, (TITLE, FieldEdit(Field.SUMMARY, "s" * 1500), FieldEdit(Field.TAGLINE, "t" * 1500))))
    now = sim.item(key)
    assert (now.title, len(str(now.values["summary"])), len(str(now.values["tagline"]))) == ("New title", 1500, 1500)


def test_a_400_that_means_the_length_is_answered_with_shorter_requests(sim, client, key, mode):
    item = client.details_of(key)
    many = tags(*(f"A tag of some length {number}" for number in range(110)))
    sim.faults.add(faults.status(400), kind="edit", times=1)
    edit = ItemChange(item, tags=(TagEdit(TagKind.GENRE, many),))
    if mode == "add":
        client.edit(edit)
        assert len(sim.item(key).genres) == 110
    else:
        with pytest.raises(RequestTooLong):
            client.edit(edit)


def test_what_is_too_long_alone_is_refused_with_its_field(sim, client, key):
    sim.quirks.max_request_line = 1024
    with pytest.raises(RequestTooLong) as caught:
        client.edit(ItemChange(client.details_of(key), (TITLE, FieldEdit(Field.SUMMARY, "s" * 1500))))
    assert (caught.value.status, caught.value.fields) == (414, ("summary",))
    with pytest.raises(RequestTooLong) as caught:
        client.edit(ItemChange(client.details_of(key), (FieldEdit(Field.SUMMARY, "ж" * 5000),)))
    assert (caught.value.status, caught.value.fields) == (None, ("summary",))


def test_a_refused_request_names_its_fields(sim, client, key):
    item = client.details_of(key)
    sim.faults.add(faults.status(400), kind="edit")
    with pytest.raises(ChangeRejected) as caught:
        client.edit(ItemChange(item, (TITLE,), (TagEdit(TagKind.GENRE, tags("x")),)))
    assert (caught.value.status, caught.value.fields) == (400, ("title", "genre"))


def test_a_field_that_plex_refuses_is_found_and_the_others_are_written(sim, client, key):
    item = client.details_of(key)
    edit = ItemChange(
        item,
        (TITLE, FieldEdit(Field.USER_RATING, "11"), FieldEdit(Field.TAGLINE, "A line")),
        (TagEdit(TagKind.GENRE, tags("x")),),
    )
    with pytest.raises(ChangeRejected) as caught:
        client.edit(edit)
    assert caught.value.fields == ("userRating",)
    assert str(caught.value).startswith("userRating: ")
    now = sim.item(key)
    assert (now.title, now.values["tagline"], now.genres) == ("New title", "A line", ("x",))


def test_a_list_that_cannot_be_sent_keeps_nothing_else_back(sim, client, key):
    cast = [f"An actor with a name {number}" for number in range(200)]
    sim.edit_by_person(key, actor=cast)
    edit = ItemChange(
        client.details_of(key),
        (TITLE, FieldEdit(Field.SUMMARY, "s" * 3900)),
        (TagEdit(TagKind.ACTOR, tags(*cast, "One more")), TagEdit(TagKind.GENRE, tags("x"))),
    )
    with pytest.raises(RequestTooLong) as caught:
        client.edit(edit)
    assert caught.value.fields == ("actor",)
    now = sim.item(key)
    assert (now.title, now.genres, len(now.actors)) == ("New title", ("x",), 200)


def test_an_item_that_is_gone_is_told(sim, client, key):
    item = client.details_of(key)
    sim.delete(key)
    with pytest.raises(ItemGone):
        client.edit(ItemChange(item, (TITLE,)))


# --- answers that get lost ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.LOST_BY_HANG], ids=lambda fault: fault.name)
def test_a_write_that_was_applied_is_recognised_and_not_sent_again(sim, client, key, fault):
    item = client.details_of(key)
    sim.faults.add(fault, kind="edit")
    client.edit(ItemChange(item, (TITLE,), (TagEdit(TagKind.GENRE, tags("x")),), (LockEdit("art"),)))
    assert sim.count("edit") == 1
    assert sim.item(key).title == "New title"


@pytest.mark.parametrize(
    "fault",
    [faults.RESET, faults.HANG, faults.BAD_GATEWAY, faults.GATEWAY_TIMEOUT, faults.LOGIN_PAGE],
    ids=lambda fault: fault.name,
)
def test_a_write_that_is_not_there_after_a_lost_answer_is_never_repeated(sim, client, key, waits, fault):
    item = client.details_of(key)
    sim.faults.add(fault, kind="edit")
    with pytest.raises(OutcomeUnknown) as caught:
        client.edit(ItemChange(item, (TITLE,)))
    assert (caught.value.applied, sim.count("edit"), waits) == (False, 1, [])


def test_a_write_nobody_can_read_back_is_unknown(sim, client, key):
    item = client.details_of(key)
    sim.faults.add(faults.LOST_BY_RESET, kind="edit")
    sim.faults.add(faults.MAINTENANCE, kind="details")
    with pytest.raises(OutcomeUnknown) as caught:
        client.edit(ItemChange(item, (TITLE,)))
    assert (caught.value.applied, sim.count("edit")) == (None, 1)


def test_an_item_that_vanished_with_the_answer_is_gone(sim, client, key):
    item = client.details_of(key)
    sim.faults.add(faults.LOST_BY_RESET, kind="edit")
    sim.after("edit", lambda: sim.delete(key))
    with pytest.raises(ItemGone):
        client.edit(ItemChange(item, (TITLE,)))


@pytest.mark.parametrize(
    ("fault", "family"),
    [(faults.SERVER_ERROR, TargetBusy), (faults.MAINTENANCE, TargetStarting), (faults.TOO_MANY, TargetBusy)],
    ids=lambda one: getattr(one, "name", ""),
)
def test_a_server_that_said_no_is_not_asked_again(sim, client, key, fault, family):
    item = client.details_of(key)
    sim.faults.add(fault, kind="edit")
    with pytest.raises(family):
        client.edit(ItemChange(item, (TITLE,)))
    assert (sim.count("edit"), sim.count("details")) == (1, 1)


def test_a_write_that_never_left_is_sent_when_the_server_is_back(sim, make_client, key):
    attempts = []

    def wait(seconds):
        attempts.append(seconds)
        sim.start()

    client = make_client(wait=wait)
    item = client.details_of(key)
    sim.stop()
    client.edit(ItemChange(item, (TITLE,)))
    assert attempts
    assert (sim.count("edit"), sim.item(key).title) == (1, "New title")


def test_a_connection_the_server_has_closed_meanwhile_costs_no_write(sim, client, key):
    sim.quirks.keep_alive_seconds = 0.1
    item = client.details_of(key)
    time.sleep(0.4)
    client.edit(ItemChange(item, (TITLE,)))
    assert (sim.count("edit"), sim.item(key).title) == (1, "New title")


def test_a_put_without_its_item_does_not_leave_the_house(sim, client, key):
    client.identify()
    for query in ([], [("id", "")], [("id", "7 OR 1")], [("id", "1,,2")]):
        with pytest.raises(ValueError, match="must name its item"):
            target = "/library/sections/2/all" + query_string([("type", 1), *query, ("title.value", "x")])
            client._transport.write("PUT", target)
    assert sim.count("edit") == 0


@pytest.mark.parametrize("place", ["", "/", "/posters", "/arts", "/thumb/../"])
def test_nothing_but_the_choice_of_a_picture_is_ever_deleted(sim, client, key, place):
    """A DELETE of an item deletes its files."""
    client.identify()
    before = sim.item_ids()
    with pytest.raises(ValueError, match="nothing is deleted"):
        client._transport.write("DELETE", f"/library/metadata/{key}{place}")
    assert sim.item_ids() == before
    assert sim.count("delete") == 0
