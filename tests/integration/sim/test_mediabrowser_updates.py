"""The simulated Emby and Jellyfin: what an update wipes, refuses, half does, and changes on the way."""

from contextlib import ExitStack

import pytest

from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.world.updating.disasters import DisasterKind
from tests.integration.sim.mediabrowser_http import (
    BEFORE_12,
    EMBY,
    EVERYTHING,
    JELLYFIN,
    LISTS,
    SCALARS,
    connected,
    serving,
)

EMPTY = {"Tags": [], "Genres": [], "ProviderIds": {}}
WIPED = {*SCALARS} - {"Name"}


@pytest.fixture
def typed():
    """A server of a flavour, with an item into which a person typed everything."""
    with ExitStack() as stack:

        def start(flavour, **more):
            server = stack.enter_context(serving(flavour, **more))
            item = server.item_ids()[0]
            server.edit_by_person(item, **SCALARS, **LISTS, People=["Ann"], LockData=True)
            return server, stack.enter_context(connected(server)), item

        yield start


def kinds(server):
    found = [disaster.kind for disaster in server.disasters]
    server.disasters.clear()
    return found


def wiped(server):
    found = {disaster.what for disaster in server.disasters if disaster.kind is DisasterKind.WIPED}
    server.disasters.clear()
    return found


# What is wiped.


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_what_is_read_whole_and_sent_whole_changes_nothing(typed, flavour):
    server, api, item = typed(flavour)
    before = server.item_json(item)
    assert api.update(item).status_code == 204
    assert server.item_json(item) == before


@pytest.mark.parametrize("flavour", JELLYFIN)
def test_a_partial_update_of_jellyfin_wipes_and_unlocks(typed, flavour):
    server, api, item = typed(flavour)
    assert api.post(f"/Items/{item}", {"Name": "Only this", **EMPTY}).status_code == 204
    after = server.item_json(item)
    assert not after.keys() & WIPED
    assert after["LockData"] is False
    assert [after[name] for name in ("Studios", "Taglines", "ProductionLocations")] == [
        ["House"],
        ["A line."],
        ["Oslo"],
    ]
    assert after["People"]
    assert after["LockedFields"]
    assert DisasterKind.UNLOCKED in {disaster.kind for disaster in server.disasters}
    assert wiped(server) == {*WIPED, "AspectRatio"}


@pytest.mark.parametrize("flavour", EMBY)
def test_a_partial_update_of_emby_wipes_lists_too(typed, flavour):
    server, api, item = typed(flavour)
    assert api.post(f"/Items/{item}", {"Name": "Only this", "ProviderIds": {"Imdb": "tt1"}}).status_code == 204
    after = server.item_json(item)
    assert (after["Tags"], after["Genres"], after["Studios"]) == ([], [], ["House"])
    assert wiped(server) == {*WIPED, "Tags", "Genres", "People"}


def test_a_null_clears_and_is_a_disaster_all_the_same(typed):
    server, api, item = typed("jellyfin-12")
    assert api.update(item, PremiereDate=None, ProductionYear=None).status_code == 204
    assert not server.item_json(item).keys() & {"PremiereDate", "ProductionYear"}
    assert set(kinds(server)) == {DisasterKind.NULL_SENT, DisasterKind.EMPTIED}


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_what_a_client_wrote_itself_it_may_clear(typed, flavour):
    server, api, item = typed(flavour)
    assert api.update(item, Overview="Ours", Tags=["ours"], TagItems=[{"Name": "ours"}]).status_code == 204
    body = {name: value for name, value in api.whole(item).items() if name != "Overview"}
    assert api.post(f"/Items/{item}", {**body, "Tags": [], "TagItems": []}).status_code == 204
    after = server.item_json(item)
    assert (after.get("Overview"), after["Tags"]) == (None, [])
    assert server.disasters == []
    server.edit_by_person(item, Overview="Hers", Tags=["hers"])
    body = {name: value for name, value in api.whole(item).items() if name != "Overview"}
    assert api.post(f"/Items/{item}", {**body, "Tags": [], "TagItems": []}).status_code == 204
    assert set(kinds(server)) == {DisasterKind.WIPED, DisasterKind.EMPTIED}


def test_read_with_too_few_fields_and_sent_back_an_item_loses_the_rest(typed):
    server, api, item = typed("jellyfin-12")
    assert api.post(f"/Items/{item}", api.item(item, "Overview,Genres,Tags,ProviderIds")).status_code == 204
    assert wiped(server) == {
        "ForcedSortName",
        "OriginalTitle",
        "CustomRating",
        "PreferredMetadataLanguage",
        "PreferredMetadataCountryCode",
    }


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_lists_replace_and_an_empty_one_clears(typed, flavour):
    server, api, item = typed(flavour)
    lists = {"Studios": [{"Name": "New"}], "Genres": ["A", "B"], "GenreItems": [{"Name": "A"}, {"Name": "B"}]}
    lists |= {"Tags": [], "TagItems": [], "Taglines": ["One", "two"], "People": []}
    assert api.update(item, **lists).status_code == 204
    after = server.item_json(item)
    assert (after["Studios"], after["Genres"], after["Tags"]) == (["New"], ["A", "B"], [])
    assert (after["Taglines"], after["People"]) == (["One"], [])  # there is only one tagline
    assert set(kinds(server)) == {DisasterKind.EMPTIED}


# What fails, and what is left of it.


@pytest.mark.parametrize("missing", ["Tags", "ProviderIds", "Genres"])
@pytest.mark.parametrize("flavour", BEFORE_12)
def test_a_null_list_is_a_400_that_half_happened(typed, flavour, missing):
    server, api, item = typed(flavour)
    body = {**api.whole(item), "Name": "Half", "People": [{"Name": "Zoe", "Type": "Actor"}], missing: None}
    refused = api.post(f"/Items/{item}", body)
    assert (refused.status_code, refused.text) == (400, "Error processing request.")
    assert api.item(item, "People")["People"][0]["Name"] == "Zoe"  # people are written first, and to the disk
    assert api.item(item, "")["Name"] == "Half"  # the rest is in memory, for all to see
    assert api.get("/Items", Ids=item, Fields="Genres").status_code == (500 if missing == "Genres" else 200)
    server.restart()
    after = server.item_json(item)
    assert (after["Name"], after["People"][0]["Name"], after["Genres"]) == (SCALARS["Name"], "Zoe", ["Drama"])
    assert DisasterKind.NULL_SENT in kinds(server)


@pytest.mark.parametrize("flavour", BEFORE_12)
def test_the_next_save_keeps_what_was_only_in_memory(typed, flavour):
    server, api, item = typed(flavour)
    assert api.update(item, Name="Half", Tags=None).status_code == 400
    server.put_picture_by_person(item, "Primary", b"x")
    server.restart()
    assert server.item_json(item)["Name"] == "Half"
    assert kinds(server) == [DisasterKind.NULL_SENT]


def test_jellyfin_12_keeps_lists_that_are_not_sent(typed):
    server, api, item = typed("jellyfin-12")
    assert api.update(item, Tags=None, Genres=None, ProviderIds=None).status_code == 204
    after = server.item_json(item)
    assert (after["Tags"], after["Genres"], after["ProviderIds"]) == (["kept"], ["Drama"], {"Imdb": "tt1"})
    assert set(kinds(server)) == {DisasterKind.NULL_SENT}


@pytest.mark.parametrize("flavour", EMBY)
def test_emby_tells_the_exception_of_missing_provider_ids(typed, flavour):
    server, api, item = typed(flavour)
    body = {name: value for name, value in api.whole(item).items() if name != "ProviderIds"}
    refused = api.post(f"/Items/{item}", {**body, "Name": "Half"})
    assert (refused.status_code, refused.text) == (400, "Value cannot be null. (Parameter 'source')")
    assert server.item_json(item)["Name"] == "Half"


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_foreign_word_fails_the_whole_update_and_nothing_happens(typed, flavour):
    server, api, item = typed(flavour)
    before = server.item_json(item)
    foreign = "SortName" if flavour in JELLYFIN else "PremiereDate"
    for wrong in (
        {"LockedFields": [foreign]},
        {"People": [{"Name": "A", "Type": "Hero"}]},
        {"PremiereDate": "2024"},
        {"ProductionYear": "soon"},
        {"Video3DFormat": "Sideways"},
        {"LockData": "yes"},
        {"Genres": "Drama"},
        {"Studios": ["House"]},
        {"ProviderIds": []},
        {"Name": 7},
    ):
        assert api.update(item, **wrong).status_code == 400, wrong
    assert api.send("POST", f"/Items/{item}", data="{", headers={"Content-Type": "application/json"}).status_code == 400
    assert api.send("POST", f"/Items/{item}", data="{}").status_code == 415
    assert api.post(f"/Items/{item}", []).status_code == 400
    assert server.item_json(item) == before


def test_locks_differ_by_server_and_version():
    words = {name: flavour.lock_words for name, flavour in FLAVOURS.items()}
    assert words["jellyfin-10.10"] == words["jellyfin-12"] < words["emby-4.8"] < words["emby-4.9"]
    assert "Tagline" in words["emby-4.8"]
    assert words["emby-4.9"] - words["emby-4.8"] == {"Composers", "Artists", "AlbumArtists"}
    assert not any("PremiereDate" in known for known in words.values())


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_an_item_that_is_not_there_is_a_404(flavour):
    with serving(flavour) as server, connected(server) as api:
        missing = "9999999" if flavour in EMBY else "f" * 32
        assert api.post(f"/Items/{missing}", {}).status_code == 404
        assert api.post("/Items/nonsense", {}).status_code == (404 if flavour in EMBY else 400)


def test_under_a_scan_the_database_is_locked_and_the_update_half_done(typed):
    server, api, item = typed("jellyfin-10.11", quirks=Quirks(database_locked_every=1, scan_seconds=60))
    assert api.update(item, Name="Free").status_code == 204
    server.start_scan()
    assert api.update(item, Name="Half").status_code == 500
    server.restart()
    assert server.item_json(item)["Name"] == "Free"


# What is changed on the way.


def test_a_bar_splits_a_name_on_jellyfin(typed):
    for flavour in ("jellyfin-10.11", "jellyfin-12", "emby-4.9"):
        server, api, item = typed(flavour)
        lists = {"Genres": ["A|B"], "GenreItems": [{"Name": "A|B"}], "Studios": [{"Name": "C|D"}]}
        assert api.update(item, **lists).status_code == 204
        after = server.item_json(item)
        expected = (["A|B"], ["C|D"]) if flavour in EMBY else (["A", "B"], ["C", "D"])
        assert (after["Genres"], after["Studios"]) == expected


def test_jellyfin_12_trims_and_drops_what_differs_only_in_case(typed):
    for flavour in ("jellyfin-10.11", "jellyfin-12"):
        server, api, item = typed(flavour)
        given = [" One ", "one", "Two"]
        assert api.update(item, Tags=given, Genres=given, Studios=[{"Name": name} for name in given]).status_code == 204
        after = server.item_json(item)
        expected = ["One", "Two"] if flavour == "jellyfin-12" else given
        assert [after[name] for name in ("Tags", "Genres", "Studios")] == [expected] * 3


def test_of_two_roles_10_11_keeps_one_and_12_both(typed):
    people = [{"Name": "Ann", "Role": role, "Type": "Actor"} for role in ("Mother", " Daughter ")]
    for flavour, roles in (("jellyfin-10.11", ["Mother"]), ("jellyfin-12", ["Mother", "Daughter"])):
        server, api, item = typed(flavour)
        assert api.update(item, People=people).status_code == 204
        assert [one["Role"] for one in server.item_json(item)["People"]] == roles


def test_a_person_without_a_type_is_unknown_and_ids_count_for_nothing(typed):
    server, api, item = typed("jellyfin-12")
    assert api.update(item, People=[{"Name": "New", "Type": ""}], Studios=[{"Name": "S", "Id": "0" * 32}]).ok
    shown = api.item(item)
    assert (shown["People"][0]["Type"], shown["Studios"][0]["Id"] != "0" * 32) == ("Unknown", True)
    assert api.json("/Persons", SearchTerm="New")["TotalRecordCount"] == 1
    assert server.item_json(item)["Studios"] == ["S"]


def test_people_who_were_not_shown_are_lost_by_sending_the_ones_who_were(typed):
    server, api, item = typed("jellyfin-12")
    server.hide_people(item, "Ghost")
    assert api.update(item).status_code == 204
    assert kinds(server) == [DisasterKind.PEOPLE_LOST]
    server.hide_people(item, "Ghost")
    body = {name: value for name, value in api.whole(item).items() if name != "People"}
    assert api.post(f"/Items/{item}", body).status_code == 204  # left out, people are kept
    assert [one["Name"] for one in server.item_json(item)["People"]] == ["Ann", "Ghost"]


@pytest.mark.parametrize(
    ("hours", "given", "stored"),
    [
        (0, "2024-05-01", "2024-05-01T00:00:00.0000000Z"),
        (0, "2024-05-01T00:00:00.0000000Z", "2024-05-01T00:00:00.0000000Z"),
        (0, "2024-05-01T00:00:00+02:00", "2024-04-30T22:00:00.0000000Z"),
        (2, "2024-05-01T00:00:00+02:00", "2024-05-01T00:00:00.0000000Z"),
        (-5, "2024-05-01T00:00:00Z", "2024-05-01T00:00:00.0000000Z"),
        (-5, "2024-05-01T01:00:00-05:00", "2024-05-01T01:00:00.0000000Z"),
    ],
)
def test_an_offset_becomes_the_servers_local_time(typed, hours, given, stored):
    server, api, item = typed("jellyfin-12", quirks=Quirks(utc_offset_hours=hours))
    assert api.update(item, PremiereDate=given).status_code == 204
    assert server.item_json(item)["PremiereDate"] == stored
    assert server.item_json(item)["ProductionYear"] == 2020  # nothing is derived


def test_numbers_may_be_texts_and_on_emby_empty_ones(typed):
    server, api, item = typed("jellyfin-12")
    assert api.update(item, CommunityRating="7.5", ProductionYear="1999").status_code == 204
    assert (server.item_json(item)["CommunityRating"], server.item_json(item)["ProductionYear"]) == (7.5, 1999)
    assert api.update(item, CommunityRating="").status_code == 400
    server, api, item = typed("emby-4.9")
    assert api.update(item, CommunityRating="").status_code == 204
    assert "CommunityRating" not in server.item_json(item)
    assert kinds(server) == [DisasterKind.EMPTIED]


@pytest.mark.parametrize("wins", [True, False])
@pytest.mark.parametrize("flavour", EMBY)
def test_on_emby_the_pairs_win_over_the_names_or_not(typed, flavour, wins):
    server, api, item = typed(flavour, quirks=Quirks(tag_items_win=wins))
    assert api.update(item, Tags=["new"], Genres=["new"]).status_code == 204  # TagItems are still the old ones
    assert server.item_json(item)["Tags"] == (["kept"] if wins else ["new"])
    assert server.item_json(item)["Genres"] == (["Drama"] if wins else ["new"])


@pytest.mark.parametrize("obeyed", ["SortName", "ForcedSortName"])
def test_emby_obeys_one_of_two_sort_names(typed, obeyed):
    server, api, item = typed("emby-4.9", quirks=Quirks(sort_name_property=obeyed, update_status=200))
    values = {"SortName": "by SortName", "ForcedSortName": "by ForcedSortName"}
    assert api.update(item, **values).status_code == 200
    assert server.item_json(item)["ForcedSortName"] == f"by {obeyed}"


@pytest.mark.parametrize("works", [True, False])
def test_emby_may_change_tags_alone(typed, works):
    server, api, item = typed("emby-4.9", quirks=Quirks(tags_add_works=works))
    before = server.item_json(item)
    assert api.post(f"/Items/{item}/Tags/Add", {"Tags": [{"Name": "more"}]}).status_code == (204 if works else 400)
    assert server.item_json(item) == {**before, "Tags": ["kept", "more"] if works else ["kept"]}
    if works:
        api.post(f"/Items/{item}/Tags/Delete", {"Tags": [{"Name": "more"}]})
        assert server.item_json(item) == before


def test_a_reset_throws_everything_away(typed):
    server, api, item = typed("emby-4.9")
    assert api.post("/Items/Metadata/Reset", ItemIds=item).status_code == 204
    assert server.item_json(item)["Genres"] == []
    assert kinds(server) == [DisasterKind.METADATA_RESET]


# Others.


def test_an_edit_made_between_read_and_write_is_trampled(typed):
    server, api, item = typed("jellyfin-12")
    read = api.whole(item)
    server.edit_by_person(item, Overview="Newer words.")
    assert api.post(f"/Items/{item}", read).status_code == 204
    assert [(one.kind, one.what) for one in server.disasters] == [(DisasterKind.EDIT_TRAMPLED, "Overview")]
    server.disasters.clear()
    server.edit_by_person(item, Overview="Newest words.")
    assert api.update(item, Name="Mine").status_code == 204  # read again: nothing is lost
    assert server.item_json(item)["Overview"] == "Newest words."


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_lock_on_a_folder_goes_to_everything_below(flavour):
    with serving(flavour) as server, connected(server) as api:
        library = server.library("Scenes").item_id
        folder = api.items(Recursive="true", IncludeItemTypes="Folder", ParentId=library)[0]["Id"]
        assert api.update(folder, LockData=True).status_code == 204
        assert any(server.item_json(item)["LockData"] for item in server.item_ids())
        assert kinds(server) == [DisasterKind.PUSHED_DOWN]


def test_tags_of_a_series_go_to_its_episodes():
    with serving("jellyfin-12") as server, connected(server) as api:
        series = api.items(Recursive="true", IncludeItemTypes="Series")[0]["Id"]
        assert api.update(series, Tags=["down"]).status_code == 204
        assert sum(server.item_json(one)["Tags"] == ["down"] for one in server.item_ids("Shows")) == 3
        assert kinds(server) == [DisasterKind.PUSHED_DOWN]


# What comes later.


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_providers_overwrite_what_is_not_locked(typed, flavour):
    server, api, item = typed(flavour)
    assert api.update(item, LockData=False, LockedFields=["Name"]).status_code == 204
    server.provider_says(item, Name="Theirs", Overview="Theirs", CommunityRating=1.0, LockedFields=["Genres"])
    server.refresh(item)
    after = server.item_json(item)
    assert (after["Name"], after["Overview"], after["CommunityRating"]) == (SCALARS["Name"], "Theirs", 1.0)
    assert after["LockedFields"] == ["Name", "Genres"]  # locks are added, never taken
    assert after["Genres"] == ["Drama"]


def test_lock_data_keeps_all_providers_out(typed):
    server, _, item = typed("jellyfin-12")
    before = server.item_json(item)
    server.provider_says(item, PremiereDate="1999-01-01T00:00:00.0000000Z", Overview="Theirs")
    server.refresh(item, replaces_all=True)
    assert server.item_json(item) == before


def test_replacing_all_metadata_clears_what_is_not_locked(typed):
    server, api, item = typed("jellyfin-12")
    api.update(item, LockData=False, LockedFields=["Tags"])
    server.refresh(item, replaces_all=True)
    after = server.item_json(item)
    assert (after["Tags"], after["Genres"], after.get("Overview")) == (["kept"], [], None)


def test_savers_write_files_beside_the_videos():
    with serving("jellyfin-12") as server, connected(server) as api:
        server.add_library("Saved", ["/data/saved"], MetadataSavers=["Nfo"])
        item = server.add_item("/data/saved/one.mp4", library="Saved")
        api.update(item, Name="Written")
        assert server.nfo_files["/data/saved/one.nfo"].values["Name"] == "Written"
        assert len(server.nfo_files) == 1


def test_everything_is_every_field_that_an_update_needs(typed):
    server, api, item = typed("jellyfin-12")
    shown = api.items(Ids=item, Fields=EVERYTHING)[0]
    assert set(SCALARS) | set(LISTS) | {"LockData", "LockedFields"} <= shown.keys()
    assert server.disasters == []
