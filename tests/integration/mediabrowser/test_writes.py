"""Writing: what was not meant stays as it was, on every server, whatever happens on the way."""

from dataclasses import asdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mediabrowser.connection import Timeouts
from mediabrowser.dialect import Property
from mediabrowser.reading.document import Person
from mediabrowser.writing.edit import DocumentEdit
from model.errors import (
    AccessDenied,
    AnswerGarbled,
    ChangeRejected,
    ItemChanged,
    ItemGone,
    OutcomeUnknown,
    TargetStarting,
    TargetUnreachable,
)
from sim.mediabrowser import faults
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.server import SimMediaBrowser
from sim.mediabrowser.world.updating.disasters import DisasterKind
from tests.integration.mediabrowser.conftest import client_of
from tests.integration.sim.mediabrowser_http import EMBY, LISTS, SCALARS, png
from tests.support.openapi import held_to_documents

EVERYTHING = DocumentEdit(
    texts={
        Property.NAME: "New name",
        Property.SORT_NAME: "name, new",
        Property.OVERVIEW: "New words.",
        Property.TAGLINE: "New line.",
        Property.DATE: "2024-05-01",
        Property.RATING: "7.5",
        Property.OFFICIAL_RATING: "XXX",
    },
    lists={Property.GENRES: ("A", "B"), Property.TAGS: ("C",), Property.STUDIOS: ("Parent", "Studio")},
    people=(Person("Zoe"), Person("Max", "", "Director")),
    provider_ids={"Stash": "42"},
)
SHOWN = {
    "Name": "New name",
    "ForcedSortName": "name, new",
    "Overview": "New words.",
    "Taglines": ["New line."],
    "PremiereDate": "2024-05-01T00:00:00.0000000Z",
    "ProductionYear": 2024,
    "CommunityRating": 7.5,
    "OfficialRating": "XXX",
    "Genres": ["A", "B"],
    "Tags": ["C"],
    "Studios": ["Parent", "Studio"],
    "People": [{"Name": "Zoe", "Role": "", "Type": "Actor"}, {"Name": "Max", "Role": "", "Type": "Director"}],
    "ProviderIds": {"Imdb": "tt1", "Stash": "42"},
}


@pytest.fixture
def typed(start):
    """A server with an item into which a person typed everything, and a client."""

    def started(flavour, **more):
        server, made = start(flavour, **more)
        item = server.item_ids()[0]
        server.edit_by_person(item, **SCALARS, **LISTS, People=["Ann"])
        return server, made, item

    return started


def name(text):
    return DocumentEdit(texts={Property.NAME: text})


def test_everything_is_written_and_nothing_else_changes(typed, flavour):
    server, made, item = typed(flavour)
    before = server.item_json(item)
    made.write(made.document(item), EVERYTHING)
    assert server.item_json(item) == {**before, **SHOWN}


def test_nothing_is_written_by_an_empty_edit_but_the_moment(typed, flavour):
    server, made, item = typed(flavour)
    server.hide_people(item, "Ghost")
    before = server.item_json(item)
    made.write(made.document(item), DocumentEdit())
    assert server.item_json(item) == before


def test_a_bare_item_stays_bare(start, flavour):
    server, made = start(flavour)
    item = server.item_ids()[0]
    before = server.item_json(item)
    made.write(made.document(item), name("Named"))
    assert server.item_json(item) == {**before, "Name": "Named"}


def test_everything_can_be_cleared_and_put_back(typed, flavour):
    server, made, item = typed(flavour)
    before = server.item_json(item)
    texts = dict.fromkeys(
        (
            Property.SORT_NAME,
            Property.OVERVIEW,
            Property.TAGLINE,
            Property.DATE,
            Property.RATING,
            Property.OFFICIAL_RATING,
        ),
        "",
    )
    lists = dict.fromkeys((Property.GENRES, Property.TAGS, Property.STUDIOS), ())
    edit = DocumentEdit(texts=texts, lists=lists, people=(), provider_ids={"Imdb": ""}, locks=frozenset())
    made.write(made.document(item), edit)
    after = server.item_json(item)
    assert not {key for key in ("PremiereDate", "ProductionYear", "CommunityRating") if key in after}
    assert not any(
        after.get(key)
        for key in ("ForcedSortName", "Overview", "OfficialRating", *LISTS)
        if key != "ProductionLocations"
    )
    assert (after["People"], after["LockedFields"]) == ([], [])
    assert {one.kind for one in server.disasters} <= {DisasterKind.EMPTIED, DisasterKind.WIPED}  # all of it was meant
    server.disasters.clear()
    back = DocumentEdit(
        texts={
            Property.SORT_NAME: before["ForcedSortName"],
            Property.OVERVIEW: before["Overview"],
            Property.TAGLINE: before["Taglines"][0],
            Property.DATE: before["PremiereDate"][:10],
            Property.RATING: str(before["CommunityRating"]),
            Property.OFFICIAL_RATING: before["OfficialRating"],
        },
        lists={Property.GENRES: ("Drama",), Property.TAGS: ("kept",), Property.STUDIOS: ("House",)},
        people=(Person("Ann"),),
        provider_ids={"Imdb": "tt1"},
        locks=frozenset(before["LockedFields"]),
    )
    made.write(made.document(item), back)
    after = server.item_json(item)
    assert {**after, "LockedFields": set(after["LockedFields"])} == {
        **before,
        "LockedFields": set(before["LockedFields"]),
    }


def test_locks_are_those_that_the_server_knows(typed, flavour):
    server, made, item = typed(flavour)
    dialect = made.server().dialect
    wanted = dialect.locks_of(Property)
    made.write(made.document(item), DocumentEdit(locks=wanted, is_locked=True))
    assert set(server.item_json(item)["LockedFields"]) == wanted <= server.flavour.lock_words
    assert server.item_json(item)["LockData"] is True
    assert ("Tagline" in wanted) == (flavour in EMBY)
    made.write(made.document(item), name("Still locked"))
    assert server.item_json(item)["LockData"] is True


@pytest.mark.parametrize("wins", [True, False])
@pytest.mark.parametrize("obeyed", ["SortName", "ForcedSortName"])
@pytest.mark.parametrize("status", [200, 204])
@pytest.mark.parametrize("flavour", EMBY)
def test_on_emby_it_comes_out_the_same_whichever_of_two_properties_counts(typed, flavour, wins, obeyed, status):
    quirks = Quirks(tag_items_win=wins, sort_name_property=obeyed, update_status=status, settings_in_lists=wins)
    server, made, item = typed(flavour, quirks=quirks)
    before = server.item_json(item)
    made.write(made.document(item), EVERYTHING)
    assert server.item_json(item) == {**before, **SHOWN}


@pytest.mark.parametrize("flavour", EMBY)
def test_on_emby_what_came_from_a_list_is_not_sent_back(typed, flavour):
    server, made, item = typed(flavour)
    with pytest.raises(AnswerGarbled, match="without its settings"):
        made.write(made.details([item])[item], name("Never"))
    assert server.count("update") == 0


def test_names_come_back_as_they_were_written(typed, flavour):
    server, made, item = typed(flavour)
    given = (" One ", "one", "A|B", "")
    made.write(
        made.document(item), DocumentEdit(lists={Property.GENRES: given, Property.TAGS: given, Property.STUDIOS: given})
    )
    after = server.item_json(item)
    expected = ["One", "A|B"] if flavour in EMBY else ["One", "A/B"]
    assert [after[key] for key in ("Genres", "Tags", "Studios")] == [expected] * 3


def test_a_day_is_the_same_day_wherever_the_server_hangs_its_clock(typed):
    for hours in (-11, 0, 13):
        server, made, item = typed("jellyfin-12", quirks=Quirks(utc_offset_hours=hours))
        made.write(made.document(item), DocumentEdit(texts={Property.DATE: "2024-05-01"}))
        assert server.item_json(item)["PremiereDate"] == "2024-05-01T00:00:00.0000000Z"
    with pytest.raises(ValueError, match="no day"):
        made.write(made.document(item), DocumentEdit(texts={Property.DATE: "2024-5"}))


def test_a_batch_on_jellyfin_is_one_read_and_a_write_for_each(start):
    server, made = start("jellyfin-12", 100)
    made.server()
    server.journal.clear()
    for document in made.details(server.item_ids()[:100]).values():
        made.write(document, name(f"Named {document.item_id}"))
    assert server.journal.counts() == {"details": 1, "update": 100}


# Others write, too.


def test_an_edit_made_since_the_plan_is_noticed_and_kept(typed, flavour):
    server, made, item = typed(flavour)
    planned = made.document(item)
    server.edit_by_person(item, Overview="Newer words.")
    with pytest.raises(ItemChanged):
        made.write_unless_changed(item, planned.etag, name("Ours"))
    now = made.document(item)
    assert now.overview == "Newer words."
    made.write_unless_changed(item, now.etag, name("Ours"))
    after = server.item_json(item)
    assert (after["Name"], after["Overview"]) == ("Ours", "Newer words.")


def test_an_item_that_went_in_between_is_gone(typed, flavour):
    server, made, item = typed(flavour)
    document = made.document(item)
    server.delete(item)
    with pytest.raises(ItemGone):
        made.write(document, name("Too late"))


# Trouble.

IMPATIENT = {"timeouts": Timeouts(20.0, 2.0)}


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.hanging(4, does_work=True)])
def test_a_write_whose_answer_was_lost_is_looked_for_and_not_repeated(typed, flavour, fault):
    server, made, item = typed(flavour, client=IMPATIENT)
    document = made.document(item)
    server.faults.add(fault, kind="update", times=1)
    made.write(document, EVERYTHING)
    assert server.count("update") == 1
    assert server.item_json(item)["Name"] == "New name"


@pytest.mark.parametrize("fault", [faults.RESET, faults.BAD_GATEWAY, faults.LOGIN_PAGE, faults.hanging(4)])
def test_a_write_that_is_not_there_is_unknown_and_not_repeated(typed, flavour, fault):
    server, made, item = typed(flavour, client=IMPATIENT)
    document, before = made.document(item), server.item_json(item)
    server.faults.add(fault, kind="update", times=1)
    with pytest.raises(OutcomeUnknown) as error:
        made.write(document, EVERYTHING)
    assert error.value.applied is False
    assert server.count("update") == 1
    assert server.item_json(item) == before


def test_if_looking_fails_too_nobody_knows(typed, flavour):
    server, made, item = typed(flavour)
    document = made.document(item)
    server.faults.add(faults.LOST_BY_RESET, kind="update", times=1)
    server.faults.add(faults.STARTING, kind="single" if flavour in EMBY else "details")
    with pytest.raises(OutcomeUnknown) as error:
        made.write(document, EVERYTHING)
    assert error.value.applied is None


def test_an_item_that_is_gone_when_looked_for_is_gone(typed, flavour):
    server, made, item = typed(flavour)
    document = made.document(item)
    server.faults.add(faults.LOST_BY_RESET, kind="update", times=1)
    server.after("update", lambda: server.delete(item))
    with pytest.raises(ItemGone):
        made.write(document, EVERYTHING)


@pytest.mark.parametrize(("fault", "error"), [(faults.STARTING, TargetStarting), (faults.UNAUTHORIZED, AccessDenied)])
def test_what_never_began_is_told_as_it_is(typed, fault, error):
    server, made, item = typed("jellyfin-12")
    document = made.document(item)
    server.journal.clear()
    server.faults.add(fault, kind="update", times=1)
    with pytest.raises(error):
        made.write(document, EVERYTHING)
    assert server.journal.counts() == {"update": 1}


def test_a_refused_write_is_not_repeated(typed):
    server, made, item = typed("jellyfin-10.11", held=False)
    document = made.document(item)
    server.faults.add(faults.status(400), kind="update", times=1)
    with pytest.raises(ChangeRejected):
        made.write(document, EVERYTHING)
    assert server.count("update") == 1
    with pytest.raises(ChangeRejected):
        made.write(document, DocumentEdit(locks=frozenset({"SortName"})))  # a foreign word
    assert server.item_json(item)["Name"] == SCALARS["Name"]


def test_a_locked_database_leaves_half_behind_and_a_second_try_mends_it(typed):
    server, made, item = typed("jellyfin-10.11", quirks=Quirks(scan_seconds=60))
    server.start_scan()
    server.quirks.database_locked_every = 1
    with pytest.raises(OutcomeUnknown) as error:
        made.write(made.document(item), EVERYTHING)
    assert error.value.applied is None
    assert made.document(item).name == "New name"  # it is in memory, for all to see
    server.restart()
    assert server.item_json(item)["Name"] == SCALARS["Name"]  # and gone
    assert made.document(item).people[0].name == "Zoe"
    server.quirks.database_locked_every = 0
    made.write(made.document(item), EVERYTHING)
    server.restart()
    assert server.item_json(item)["Name"] == "New name"


def test_a_server_that_is_down_is_told_before_anything_is_sent(typed):
    server, made, item = typed("jellyfin-12")
    document = made.document(item)
    server.stop()
    with pytest.raises(TargetUnreachable):
        made.write(document, EVERYTHING)
    server.start()
    assert server.item_json(item)["Name"] == SCALARS["Name"]


# The law.

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12)
LIST = st.lists(NAMES, max_size=4, unique_by=str.casefold)
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "Name": NAMES,
        "ForcedSortName": NAMES,
        "OriginalTitle": NAMES,
        "Overview": NAMES,
        "CriticRating": st.integers(1, 100).map(float),
        "CommunityRating": st.integers(1, 10).map(float),
        "PremiereDate": st.dates().map(lambda day: f"{day:%Y-%m-%d}T00:00:00.0000000Z".rjust(28, "0")),
        "EndDate": st.just("2020-02-04T12:30:00.1234567Z"),
        "ProductionYear": st.integers(1900, 2100),
        "OfficialRating": NAMES,
        "CustomRating": NAMES,
        "PreferredMetadataLanguage": st.just("de"),
        "PreferredMetadataCountryCode": st.just("AT"),
        "Genres": LIST.map(lambda names: [one.replace("|", "") or "x" for one in names]),
        "Tags": LIST.map(lambda names: [one.replace("|", "") or "x" for one in names]),
        "Studios": LIST.map(lambda names: [one.replace("|", "") or "x" for one in names]),
        "Taglines": st.lists(NAMES, max_size=1),
        "ProductionLocations": LIST,
        "ProviderIds": st.dictionaries(st.sampled_from(["Imdb", "Tmdb", "Stash"]), NAMES),
        "LockData": st.booleans(),
    },
)
EDITS = st.builds(
    DocumentEdit,
    texts=st.fixed_dictionaries(
        {},
        optional={
            Property.NAME: NAMES,
            Property.SORT_NAME: NAMES,
            Property.OVERVIEW: NAMES | st.just(""),
            Property.TAGLINE: NAMES | st.just(""),
            Property.DATE: st.dates().map(str) | st.just(""),
            Property.RATING: st.integers(1, 10).map(str) | st.just(""),
            Property.OFFICIAL_RATING: NAMES | st.just(""),
        },
    ),
    lists=st.fixed_dictionaries(
        {}, optional={one: LIST.map(tuple) for one in (Property.GENRES, Property.TAGS, Property.STUDIOS)}
    ),
    people=st.none() | st.lists(NAMES, max_size=3, unique_by=str.casefold).map(lambda names: tuple(map(Person, names))),
    provider_ids=st.dictionaries(st.just("Stash"), NAMES | st.just("")),
    locks=st.none() | st.frozensets(st.sampled_from(["Name", "Overview", "Genres", "Tags", "Studios", "Cast"])),
)
ALSO = {Property.DATE: {"ProductionYear"}}


@pytest.fixture(scope="module", params=FLAVOURS)
def law(request):
    """A server and a client for many examples."""
    with SimMediaBrowser(request.param, 1) as server, held_to_documents(server):
        made = client_of(server)
        yield server, made
        made.close()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=VALUES, edit=EDITS)
def test_every_property_that_we_did_not_mean_is_as_before(law, values, edit):
    server, made = law
    item = server.add_item("/data/scenes/law.mp4")
    server.edit_by_person(item, **values, People=["Ann"])
    server.put_picture_by_person(item, "Primary", png())
    server.hide_people(item, "Ghost")
    before = server.item_json(item)
    made.write(made.document(item), edit)
    after = server.item_json(item)
    if edit.people is not None:
        server.disasters.clear()  # who sends people drops those who are not shown; nobody can help it
    meant = {str(one) for one in (*edit.texts, *edit.lists)} | {
        one for name in edit.texts for one in ALSO.get(name, ())
    }
    meant |= {"People"} if edit.people is not None else set()
    meant |= {"ProviderIds"} if edit.provider_ids else set()
    meant |= {"LockedFields"} if edit.locks is not None else set()
    kept = {key for key in before.keys() | after.keys() if key not in meant}
    different = {key for key in kept if (before.get(key) or None) != (after.get(key) or None)}
    different -= {"LockedFields"} if set(before["LockedFields"]) == set(after["LockedFields"]) else set()
    assert not different, {key: (before.get(key), after.get(key)) for key in different}
    assert [one for one in server.disasters if one.what not in meant] == []
    server.disasters.clear()
    server.delete(item)


def test_an_edit_is_a_value():
    assert asdict(DocumentEdit()) == asdict(DocumentEdit(texts={}, lists={}))
