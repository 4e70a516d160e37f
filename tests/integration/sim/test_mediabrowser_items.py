"""The simulated Emby and Jellyfin: what lists hold, and what they do with what they do not understand."""

import pytest

from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.seed import Shape
from sim.mediabrowser.world.moments import text_of, ticks_of
from sim.mediabrowser.world.updating.disasters import DisasterKind
from tests.integration.sim.mediabrowser_http import (
    BEFORE_12,
    EMBY,
    JELLYFIN,
    LISTS,
    SCALARS,
    Clock,
    connected,
    png,
    serving,
)

WALK = {"Recursive": "true", "IncludeItemTypes": "Movie,Video,Episode,MusicVideo"}
PLAIN = {"CollapseBoxSetItems": "false", "GroupItemsIntoCollections": "false"}


def since(clock: Clock) -> str:
    return text_of(ticks_of(clock.now))


def ids(items) -> list[str]:
    return [item["Id"] for item in items]


# Ids.


def test_jellyfins_ids_are_made_of_the_path_and_embys_are_numbers():
    with serving("jellyfin-12") as one, serving("jellyfin-10.11") as other, serving("emby-4.9") as emby:
        assert one.item_ids() == other.item_ids()
        assert all(len(item) == 32 for item in one.item_ids())
        assert all(item.isdigit() for item in emby.item_ids())


def test_jellyfin_reads_ids_with_dashes_and_writes_them_without():
    with serving("jellyfin-12") as server, connected(server) as api:
        item = server.item_ids()[0]
        dashed = f"{item[:8]}-{item[8:12]}-{item[12:16]}-{item[16:20]}-{item[20:]}"
        assert ids(api.items(Ids=dashed)) == [item]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_details_come_in_the_order_asked_and_missing_ids_are_absent(flavour):
    with serving(flavour) as server, connected(server) as api:
        first, second, *_ = server.item_ids()
        missing = "9999999" if flavour in EMBY else "f" * 32
        assert ids(api.items(Ids=f"{second},{missing},nonsense,{first}")) == [second, first]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_ids_that_are_none_are_dropped_and_the_whole_library_comes(flavour):
    with serving(flavour) as server, connected(server) as api:
        everything = api.json("/Items", **WALK, **PLAIN)["TotalRecordCount"]
        assert api.json("/Items", Ids="not-an-id", **WALK, **PLAIN)["TotalRecordCount"] == everything > 5
        if flavour in EMBY:
            server.quirks.drops_bad_ids = False
            assert api.items(Ids="not-an-id", **WALK) == []


def test_a_path_is_a_filter_on_emby_and_nothing_at_all_on_jellyfin():
    for flavour in ("emby-4.9", "jellyfin-12"):
        with serving(flavour) as server, connected(server) as api:
            item = server.item_ids()[0]
            found = api.items(**WALK, **PLAIN, Path=server.item_json(item)["Path"], Fields="Path")
            assert (ids(found) == [item]) == (flavour == "emby-4.9")
            assert len(found) == (1 if flavour == "emby-4.9" else 22)


def test_whoever_writes_on_what_such_an_answer_held_is_noticed():
    with serving("jellyfin-12") as server, connected(server) as api:
        stranger = api.items(**WALK, **PLAIN, Path="/data/scenes/wanted.mp4")[0]["Id"]
        api.post(f"/Items/{stranger}", {"Name": "Wrong", "AspectRatio": "16:9"})
        assert DisasterKind.STRANGER_WRITTEN in {one.kind for one in server.disasters}
        server.disasters.clear()
        server.disasters.clear()
        stranger = api.items(**WALK, **PLAIN, Path="/data/scenes/wanted.mp4")[2]["Id"]
        api.upload(stranger, "Primary", png())
        api.post("/Collections", Name="House", Ids=stranger)
        assert [one.kind for one in server.disasters] == [DisasterKind.STRANGER_WRITTEN] * 2
        server.disasters.clear()
        known = api.item(api.items(**WALK, **PLAIN, Path="/data/scenes/wanted.mp4")[1]["Id"])  # looked at, then written
        api.post(f"/Items/{known['Id']}", known)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_unknown_parameters_fields_and_types_are_ignored(flavour):
    with serving(flavour) as server, connected(server) as api:
        expected = api.json("/Items", **WALK, **PLAIN)["TotalRecordCount"]
        assert api.json("/Items", **WALK, **PLAIN, Nonsense="1", Fields="Nonsense")["TotalRecordCount"] == expected
        kinds = {item["Type"] for item in api.items(Recursive="true", IncludeItemTypes="Nonsense")}
        assert {"Folder", "Series", "Video", "Movie"} <= kinds
        assert {item["Type"] for item in api.items()} == {"CollectionFolder"}  # not recursive: the libraries


@pytest.mark.parametrize("unknown", ["everything", "nothing"])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_parent_that_is_not_there_is_no_filter_or_nothing(flavour, unknown):
    with serving(flavour, quirks=Quirks(unknown_parent=unknown)) as server, connected(server) as api:
        parent = "777777" if flavour in EMBY else "f" * 32
        found = api.items(**WALK, **PLAIN, ParentId=parent)
        assert bool(found) == (unknown == "everything")
        assert api.get("/Items", ParentId="x y").status_code == (200 if flavour in EMBY else 400)
        if flavour in JELLYFIN:
            assert api.get("/Items", Limit="many").headers["Content-Type"].startswith("application/problem+json")


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_library_or_a_folder_can_be_the_parent(flavour):
    with serving(flavour) as server, connected(server) as api:
        library = server.library("Scenes").item_id
        assert sorted(ids(api.items(**WALK, ParentId=library))) == sorted(server.item_ids())
        folder = api.items(Recursive="true", IncludeItemTypes="Folder", ParentId=library, Fields="Path")[0]
        below = api.items(**WALK, ParentId=folder["Id"], Fields="Path")
        assert below
        assert all(item["Path"].startswith(folder["Path"] + "/") for item in below)
        assert {item["Type"] for item in api.items(ParentId=library)} == {"Folder"}


# Pages.


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_two_keys_make_pages_that_join(flavour):
    with serving(flavour, 50) as server, connected(server) as api:
        query = {**WALK, "SortBy": "DateCreated,SortName", "ParentId": server.library("Scenes").item_id}
        pages = [api.json("/Items", **query, StartIndex=start, Limit=7) for start in range(0, 50, 7)]
        assert [len(page["Items"]) for page in pages] == [7] * 7 + [1]
        assert [page.get("StartIndex") for page in pages[:2]] == ([None] * 2 if flavour in EMBY else [0, 7])
        assert sorted(one for page in pages for one in ids(page["Items"])) == sorted(server.item_ids())
        assert ids(pages[0]["Items"]) == server.item_ids()[:-8:-1]  # seeded backwards in time


def test_what_sorts_alike_stands_elsewhere_on_every_page():
    with serving("jellyfin-12", 40) as server, connected(server) as api:
        query = {**WALK, "ParentId": server.library("Scenes").item_id, "SortBy": "ProductionYear"}
        seen = [one for start in range(0, 40, 10) for one in ids(api.items(**query, StartIndex=start, Limit=10))]
        assert len(set(seen)) < 40 == len(seen)
        server.quirks.ties = "stable"
        seen = [one for start in range(0, 40, 10) for one in ids(api.items(**query, StartIndex=start, Limit=10))]
        assert len(set(seen)) == 40


def test_the_order_can_be_turned_round_for_each_key():
    with serving("jellyfin-12", 9) as server, connected(server) as api:
        query = {**WALK, "ParentId": server.library("Scenes").item_id, "SortBy": "DateCreated,SortName"}
        assert ids(api.items(**query, SortOrder="Descending")) == server.item_ids()
        assert ids(api.items(**query, SortOrder="Ascending")) == server.item_ids()[::-1]


# What is shown.


@pytest.mark.parametrize("flavour", JELLYFIN)
def test_jellyfin_shows_locks_and_forced_sort_name_only_with_settings(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        server.edit_by_person(item, **SCALARS, **LISTS, LockData=True)
        bare = api.item(item, "")
        assert not bare.keys() & {"LockData", "LockedFields", "ForcedSortName", "PreferredMetadataLanguage", "Overview"}
        assert not bare.keys() & {"Genres", "Tags", "Studios", "People", "ProviderIds", "Taglines", "Path", "Etag"}
        assert (bare["PremiereDate"], bare["CommunityRating"]) == (SCALARS["PremiereDate"], 8.5)
        whole = api.item(item)
        assert {name: whole[name] for name in SCALARS} == SCALARS
        assert whole["LockData"] is True
        assert whole["Genres"] == [pair["Name"] for pair in whole["GenreItems"]] == ["Drama"]
        assert [pair["Name"] for pair in whole["Studios"]] == ["House"]
        assert whole["SortName"] == "sort me"  # computed, not what was typed


def test_jellyfin_computes_the_sort_name_and_hides_a_rating_of_nothing():
    with serving("jellyfin-12") as server, connected(server) as api:
        item = server.item_ids()[0]
        server.edit_by_person(item, Name="The Part 7", CommunityRating=0)
        shown = api.item(item)
        assert shown["SortName"] == "part 0000000007"
        assert "CommunityRating" not in shown
        assert "ForcedSortName" not in shown


@pytest.mark.parametrize("flavour", EMBY)
def test_emby_shows_locks_on_the_single_item_and_perhaps_in_lists(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        server.edit_by_person(item, **SCALARS, **LISTS)
        assert not api.item(item).keys() & {"LockData", "LockedFields", "ForcedSortName"}
        single = api.whole(item)
        assert {name: single[name] for name in SCALARS} == SCALARS
        assert "Name" in single["LockedFields"]
        assert single["SortName"] == "Sort me"
        user = api.user_id
        assert "Overview" not in api.json(f"/Users/{user}/Items/{item}", ExcludeFields="Overview,MediaSources")
        server.quirks.settings_in_lists = True
        assert api.item(item)["LockedFields"] == single["LockedFields"]


@pytest.mark.parametrize("flavour", EMBY)
def test_emby_shows_tags_as_pairs_with_numbers_and_dates_only_by_name(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        server.edit_by_person(item, Tags=["one"], Genres=["two"], ProductionYear=1999)
        shown = api.item(item)
        assert [(pair["Name"], type(pair["Id"])) for pair in shown["TagItems"]] == [("one", int)]
        assert "Tags" not in shown
        assert shown["Genres"] == ["two"]
        assert "ProductionYear" not in shown
        assert api.item(item, "ProductionYear")["ProductionYear"] == 1999
        assert "TagItems" not in api.item(item, "TagItems")
        server.quirks.tag_items_is_a_field = True
        server.quirks.tags_beside_tag_items = "filled"
        server.quirks.sends_unasked = True
        assert api.item(item, "TagItems")["Tags"] == ["one"]
        assert api.item(item, "")["ProductionYear"] == 1999
        server.quirks.tags_beside_tag_items = "empty"
        assert api.item(item, "Tags")["Tags"] == []


@pytest.mark.parametrize("flavour", JELLYFIN)
def test_people_without_an_entity_are_kept_and_not_shown(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        server.edit_by_person(item, People=["Ann", ("Bo", "Guest", "Director")])
        server.hide_people(item, "Ghost")
        shown = api.item(item)["People"]
        assert [(one["Name"], one["Role"], one["Type"]) for one in shown] == [
            ("Ann", "", "Actor"),
            ("Bo", "Guest", "Director"),
        ]
        assert [one["Name"] for one in server.item_json(item)["People"]] == ["Ann", "Bo", "Ghost"]
        persons = api.json("/Persons", SearchTerm="an")["Items"]
        assert [(one["Name"], one["Id"]) for one in persons] == [("Ann", shown[0]["Id"])]


@pytest.mark.parametrize("blind", [True, False])
def test_newer_embys_find_no_person_for_a_user(blind):
    with serving("emby-4.9", quirks=Quirks(users_see_no_persons=blind)) as server, connected(server) as api:
        item = server.item_ids()[0]
        server.edit_by_person(item, People=["Ann"])
        person = api.item(item)["People"][0]["Id"]
        assert ids(api.items(Ids=person)) == [person]
        assert bool(api.items(Ids=person, UserId=api.user_id)) != blind
        assert bool(api.json("/Persons", UserId=api.user_id)["Items"]) != blind


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_the_etag_moves_with_every_save_and_with_pictures(flavour):
    with serving(flavour, clock=Clock()) as server, connected(server) as api:
        item = server.item_ids()[0]
        tags = [api.item(item, "Etag")["Etag"]]
        for act in (
            lambda: server.edit_by_person(item, Name="Name"),
            lambda: server.put_picture_by_person(item, "Primary", b"x"),
            lambda: server.edit_by_person(item, Name="Name"),
        ):
            act()
            tags.append(api.item(item, "Etag")["Etag"])
        assert len(set(tags)) == 4


# Files.


def test_media_sources_follow_links_and_paths_do_not():
    with serving("jellyfin-12", quirks=Quirks(path_substitution=("/data", "//nas/data"))) as server:
        item = server.add_item("/data/scenes/link.mp4", link_to="/mnt/disk7/real.mp4")
        with connected(server) as api:
            shown = api.item(item, "Path,MediaSources")
        assert shown["Path"] == "//nas/data/scenes/link.mp4"
        assert shown["MediaSources"][0]["Path"] == "/mnt/disk7/real.mp4"
        assert shown["MediaSources"][0]["Id"] == item


def test_size_is_in_the_media_sources_of_jellyfin_and_on_the_item_of_emby():
    with serving("jellyfin-12") as server, connected(server) as api:
        assert "Size" not in api.item(server.item_ids()[0], "Size,Path")
        assert api.item(server.item_ids()[0], "MediaSources")["MediaSources"][0]["Size"] == 200_000_000
    with serving("emby-4.9") as server, connected(server) as api:
        item = server.item_ids()[0]
        shown = api.item(item, "Size,FileName,MediaSources,DateModified")
        assert (shown["Size"], shown["MediaSources"][0]["Id"]) == (200_000_000, f"mediasource_{item}")
        assert shown["FileName"].endswith(".mp4")


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_another_version_is_an_item_of_its_own_or_hidden(flavour):
    """With a key 10.10 and 10.11 list it, with a user they do not; 12 never does; Emby is not known to."""
    with serving(flavour) as server, connected(server) as api:
        item = server.add_item("/data/scenes/film.mp4")
        version = server.add_version(item, "/data/scenes/film - 4k.mkv")
        listed = ids(api.items(**WALK, **PLAIN))
        assert (version in listed) == (flavour in BEFORE_12)
        assert version not in ids(api.items(**WALK, **PLAIN, UserId=api.user_id))
        assert (version in ids(api.items(Ids=version))) == (flavour != "jellyfin-12")
        shown = api.item(item, "MediaSources,MediaSourceCount")
        assert len(shown["MediaSources"]) == 2
        assert shown.get("MediaSourceCount") == (None if flavour in EMBY else 2)
        server.quirks.ids_reach_versions = server.quirks.lists_versions = True
        assert version in ids(api.items(Ids=version))
        server.delete(item)
        assert version in ids(api.items(**WALK, **PLAIN))  # it is a film of its own now


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_parts_of_a_film_are_one_item_and_extras_are_listed(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.add_item("/data/scenes/film-cd1.mp4", parts=["/data/scenes/film-cd2.mp4"])
        disc = server.add_item("/data/scenes/disc", video_type="Dvd")
        extra = server.add_item("/data/scenes/film-trailer.mp4", extra_type="Trailer")
        shown = {one["Id"]: one for one in api.items(**WALK, **PLAIN, Fields="Path")}
        assert (shown[item]["PartCount"], shown[item]["Path"]) == (2, "/data/scenes/film-cd1.mp4")
        assert shown[extra]["ExtraType"] == "Trailer"
        assert shown[disc].get("VideoType") == (None if flavour in EMBY else "Dvd")
        parts = api.json(f"/Videos/{item}/AdditionalParts", Fields="Path")["Items"]
        assert [part["Path"] for part in parts] == ["/data/scenes/film-cd2.mp4"]
        assert server.find("/data/scenes/film-cd2.mp4") == item


def test_a_seeded_library_has_all_of_it():
    with serving("jellyfin-10.11", 30, shape=Shape(two_versions=10, two_parts=7, extra=9, link=11)) as server:
        with connected(server) as api:
            found = api.items(**WALK, **PLAIN, Fields="Path,MediaSources", ParentId=server.library("Scenes").item_id)
        assert len(found) == 30 + 3 + 3
        assert sum("ExtraType" in item for item in found) == 3
        assert sum(item.get("PartCount") == 2 for item in found) == 4
        assert sum(item["MediaSources"][0]["Path"] != item["Path"] for item in found) == 2


# What changed.


def test_the_filter_for_changes_works_on_jellyfin_since_10_11():
    for flavour in ("jellyfin-10.11", "jellyfin-12"):
        clock = Clock()
        with serving(flavour, clock=clock) as server, connected(server) as api:
            clock.wait(60)
            moment = since(clock)
            server.edit_by_person(server.item_ids()[1], Name="New")
            assert ids(api.items(**WALK, **PLAIN, MinDateLastSaved=moment)) == [server.item_ids()[1]]


def test_without_saying_that_films_must_not_collapse_the_filter_is_lost():
    clock = Clock()
    with serving("jellyfin-10.11", clock=clock) as server, connected(server) as api:
        clock.wait(60)
        assert api.items(**WALK, **PLAIN, MinDateLastSaved=since(clock)) == []
        assert len(api.items(**WALK, MinDateLastSaved=since(clock))) > 10
        assert api.items(Recursive="true", IncludeItemTypes="Video", MinDateLastSaved=since(clock)) == []


@pytest.mark.parametrize("habit", ["nothing", "error"])
def test_before_10_11_the_filter_is_broken_unless_the_other_one_is_used(habit):
    clock = Clock()
    with serving("jellyfin-10.10", clock=clock, quirks=Quirks(min_date_last_saved=habit)) as server:
        clock.wait(60)
        moment = since(clock)
        item = server.item_ids()[1]
        server.edit_by_person(item, Name="New")
        with connected(server) as api:
            broken = api.get("/Items", **WALK, **PLAIN, MinDateLastSaved=moment)
            assert broken.status_code == (500 if habit == "error" else 200)
            assert habit == "error" or broken.json()["Items"] == []
            assert ids(api.items(**WALK, **PLAIN, MinDateLastSavedForUser=moment)) == [item]


@pytest.mark.parametrize("inclusive", [True, False])
def test_embys_filters_differ_and_the_very_moment_may_not_count(inclusive):
    clock = Clock()
    with serving("emby-4.9", clock=clock, quirks=Quirks(delta_is_inclusive=inclusive)) as server:
        clock.wait(60)
        moment = since(clock)
        edited, played, *_ = server.item_ids()
        server.edit_by_person(edited, Name="New")
        server.watch(played, Played=True)
        with connected(server) as api:
            assert ids(api.items(**WALK, **PLAIN, MinDateLastSaved=moment)) == ([edited] if inclusive else [])
            for_user = api.items(**WALK, **PLAIN, MinDateLastSavedForUser=moment, UserId=api.user_id)
            assert sorted(ids(for_user)) == sorted([edited, played])


@pytest.mark.parametrize("flavour", ["jellyfin-10.11", "jellyfin-12"])
def test_films_hide_behind_their_collection_where_a_user_asks(flavour):
    with serving(flavour) as server, connected(server) as api:
        films = server.item_ids("Movies")
        api.post("/Collections", Name="Set", Ids=",".join(films[:2]))
        assert len(api.items(Recursive="true", IncludeItemTypes="Movie", UserId=api.user_id)) == len(films) - 2
        plain = api.items(Recursive="true", IncludeItemTypes="Movie", UserId=api.user_id, CollapseBoxSetItems="false")
        assert len(plain) == len(films)
        server.quirks.groups_into_collections = False
        assert len(api.items(Recursive="true", IncludeItemTypes="Movie", UserId=api.user_id)) == len(films)


# Finding.


def test_emby_finds_by_provider_id_and_jellyfin_does_not():
    for flavour in ("emby-4.9", "jellyfin-12"):
        with serving(flavour) as server, connected(server) as api:
            item = server.item_ids()[2]
            server.edit_by_person(item, ProviderIds={"Stash": "42"})
            found = api.items(**WALK, **PLAIN, AnyProviderIdEquals="stash.42")
            assert (ids(found) == [item]) == (flavour == "emby-4.9")


def test_a_search_is_fuzzy():
    with serving("jellyfin-12") as server, connected(server) as api:
        server.edit_by_person(server.item_ids()[0], Name="Lantern Light")
        assert ids(api.items(**WALK, SearchTerm="tern li")) == [server.item_ids()[0]]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_what_a_user_did_can_be_asked_for(flavour):
    with serving(flavour) as server, connected(server) as api:
        played, liked, stopped, *_ = server.item_ids()
        server.watch(played, Played=True, PlayCount=2, LastPlayedDate="2024-05-01T00:00:00.0000000Z")
        server.watch(liked, IsFavorite=True)
        server.watch(stopped, PlaybackPositionTicks=10)
        mine = {**WALK, "UserId": api.user_id, "ParentId": server.library("Scenes").item_id}
        assert ids(api.items(**mine, IsPlayed="true")) == [played]
        assert ids(api.items(**mine, Filters="IsPlayed")) == [played]
        assert ids(api.items(**mine, IsFavorite="true")) == [liked]
        assert ids(api.items(**mine, Filters="IsResumable")) == [stopped]
        assert ids(api.items(**mine, SortBy="DatePlayed", SortOrder="Descending"))[0] == played
        assert api.items(**mine, IsPlayed="true")[0]["UserData"]["PlayCount"] == 2
        assert "UserData" not in api.item(played)
        server.quirks.key_sees_user_data = False
        assert ("UserData" in api.items(**mine)[0]) == (flavour in EMBY)
