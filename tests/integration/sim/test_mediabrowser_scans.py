"""The simulated Emby and Jellyfin: scans, collections, and what users did."""

import pytest

from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.world.updating.disasters import DisasterKind
from tests.integration.sim.mediabrowser_http import EMBY, JELLYFIN, Clock, connected, png, serving

NEW = "/data/scenes/Amber Hall/2010/new.mp4"
DEFAULT = {"MetadataRefreshMode": "Default", "ImageRefreshMode": "Default"}


@pytest.fixture
def clock():
    return Clock()


def kinds(server):
    found = [disaster.kind for disaster in server.disasters]
    server.disasters.clear()
    return found


def report(api, *paths):
    return api.post("/Library/Media/Updated", {"Updates": [{"Path": path, "UpdateType": "Created"} for path in paths]})


# Scans.


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_library_refresh_finds_new_files_after_a_while(flavour, clock):
    with serving(flavour, clock=clock) as server, connected(server) as api:
        library = server.library("Scenes").item_id
        server.add_file(NEW)
        assert api.post(f"/Items/{library}/Refresh", {}, Recursive="true", **DEFAULT).status_code == 204
        folders = (
            api.json("/Library/VirtualFolders/Query")["Items"]
            if flavour in EMBY
            else api.json("/Library/VirtualFolders")
        )
        assert [one["RefreshStatus"] for one in folders if one["Name"] == "Scenes"] == ["Active"]
        assert server.find(NEW) is None
        clock.wait(0.3)
        item = server.find(NEW)
        assert "RunTimeTicks" not in api.item(item)  # listed before its first pass is over
        assert api.update(item, Name="Too early").status_code == 204
        clock.wait(0.2)
        shown = api.item(item)
        assert (shown["Name"], shown["RunTimeTicks"]) == ("new", 600_000_000)  # that pass has overwritten it


def test_a_refresh_without_a_mode_makes_items_on_jellyfin_that_nobody_looks_at(clock):
    with serving("jellyfin-12", clock=clock) as server, connected(server) as api:
        server.add_file(NEW)
        assert api.post(f"/Items/{server.library('Scenes').item_id}/Refresh").status_code == 204
        clock.wait(3600)
        assert server.item_json(server.find(NEW))["IsProbed"] is False
        assert kinds(server) == [DisasterKind.UNPROBED]
        server.start_scan()
        clock.wait(3600)
        assert server.item_json(server.find(NEW))["IsProbed"] is False  # a later scan does not take it for new
        server.quirks.mode_none_unprobed = False
        server.add_file(NEW + "2")
        api.post(f"/Items/{server.library('Scenes').item_id}/Refresh")
        clock.wait(3600)
        assert server.find(NEW + "2") is not None
        clock.wait(3600)
        assert server.item_json(server.find(NEW + "2"))["IsProbed"] is True


@pytest.mark.parametrize("flavour", EMBY)
def test_emby_looks_below_a_folder_only_if_told_to(flavour, clock):
    with serving(flavour, clock=clock) as server, connected(server) as api:
        library = server.library("Scenes").item_id
        server.add_file(NEW)
        api.post(f"/Items/{library}/Refresh", {}, **DEFAULT)
        clock.wait(10)
        assert server.find(NEW) is None
        api.post(f"/Items/{library}/Refresh", {}, Recursive="true")
        clock.wait(10)
        assert server.find(NEW) is not None
        assert api.post(f"/Items/{library}/Refresh", {}, MetadataRefreshMode="None").status_code == 400


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_folder_can_be_refreshed_alone_and_refreshes_wait_for_each_other(flavour, clock):
    with serving(flavour, clock=clock) as server, connected(server) as api:
        elsewhere = "/data/scenes/other.mp4"
        for path in (NEW, elsewhere):
            server.add_file(path)
        folder = server.find("/data/scenes/Amber Hall/2010")
        for item in (folder, server.library("Scenes").item_id):
            api.post(f"/Items/{item}/Refresh", {}, Recursive="true", **DEFAULT)
        clock.wait(0.3)
        assert (server.find(NEW) is None, server.find(elsewhere) is None) == (False, True)
        clock.wait(0.3)
        assert server.find(elsewhere) is not None


@pytest.mark.parametrize(("flavour", "delay"), [("jellyfin-12", 60), ("emby-4.9", 90)])
def test_reports_of_changes_are_acted_on_long_after_the_last_one(flavour, delay, clock):
    with serving(flavour, clock=clock) as server, connected(server) as api:
        server.add_file(NEW)
        assert report(api, NEW).status_code == 204
        clock.wait(delay - 1)
        report(api, NEW)  # and the time begins anew
        clock.wait(delay - 1)
        assert server.find(NEW) is None
        clock.wait(2)
        assert server.find(NEW) is not None


def test_a_report_that_leads_nowhere_is_a_204_too(clock):
    with serving("jellyfin-12", clock=clock, quirks=Quirks(monitor_delay_seconds=0)) as server:
        with connected(server, token=server.user("viewer").token) as anybody:
            assert report(anybody, "/elsewhere/x.mp4").status_code == 204
            server.ignore_folder("/data/scenes/Amber Hall/2010")
            server.add_file(NEW)
            assert report(anybody, NEW).status_code == 204
            assert anybody.post("/Library/Media/Updated", {}).status_code == 400
            assert anybody.post("/Library/Media/Updated", []).status_code == 400
        clock.wait(3600)
        assert server.find(NEW) is None


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_moved_file_is_a_new_item_with_nothing_of_the_old(flavour, clock):
    with serving(flavour, clock=clock) as server, connected(server) as api:
        old = server.item_ids()[0]
        server.edit_by_person(old, Name="Edited")
        api.upload(old, "Primary", png())
        server.move_file(server.item_json(old)["Path"], NEW)
        server.start_scan()
        clock.wait(1)
        new = server.find(NEW)
        assert new != old
        assert api.items(Ids=old) == []
        assert (server.item_json(new)["Name"], server.pictures(new)) == ("new", [])
        server.move_file(NEW, "/data/scenes/back.mp4")
        server.start_scan()
        clock.wait(1)
        server.move_file("/data/scenes/back.mp4", NEW)
        server.start_scan()
        clock.wait(1)
        assert (server.find(NEW) == new) == (flavour in JELLYFIN)  # the same path is the same id again


def test_a_part_that_went_leaves_the_film(clock):
    with serving("jellyfin-12", clock=clock) as server:
        item = server.add_item("/data/scenes/a-cd1.mp4", parts=["/data/scenes/a-cd2.mp4"])
        server.remove_file("/data/scenes/a-cd2.mp4")
        server.start_scan()
        clock.wait(1)
        assert server.item_json(item)["Files"] == ["/data/scenes/a-cd1.mp4"]


def test_a_scan_touches_metadata_only_where_the_file_changed_or_an_nfo_is_newer(clock):
    with serving("jellyfin-12", clock=clock) as server:
        untouched, replaced, described, *_ = server.item_ids()
        for item in (untouched, replaced, described):
            server.edit_by_person(item, lock=False, Overview="Ours")
            server.provider_says(item, Overview="Theirs")
        server.write_nfo(described, Overview="From the file")
        server.start_scan()
        clock.wait(1)
        assert server.item_json(described)["Overview"] == "Ours"  # not newer than the last save by a minute
        clock.wait(120)
        server.write_nfo(described, Overview="From the file")
        server.add_file(server.item_json(replaced)["Path"], size=5)
        server.start_scan()
        clock.wait(1)
        found = [server.item_json(item)["Overview"] for item in (untouched, replaced, described)]
        assert found == ["Ours", "Theirs", "From the file"]


def test_an_automatic_refresh_runs_the_providers_again(clock):
    with serving("jellyfin-12", clock=clock, quirks=Quirks(automatic_refresh_seconds=86_400)) as server:
        item = server.item_ids()[0]
        server.provider_says(item, Overview="Theirs")
        for expected in (None, "Theirs"):
            server.start_scan()
            clock.wait(1)
            assert server.item_json(item).get("Overview") == expected
            clock.wait(86_400)


@pytest.mark.parametrize("mode", [{"MetadataRefreshMode": "FullRefresh"}, {"ReplaceAllMetadata": "true", **DEFAULT}])
def test_a_forced_refresh_is_a_disaster(mode, clock):
    with serving("jellyfin-12", clock=clock) as server, connected(server) as api:
        item = server.item_ids()[0]
        server.edit_by_person(item, lock=False, Overview="Ours")
        server.provider_says(item, Overview="Theirs")
        api.post(f"/Items/{item}/Refresh", **mode)
        assert server.item_json(item)["Overview"] == "Theirs"
        server.edit_by_person(item, lock=False, Overview="Ours")
        api.post(f"/Items/{server.library('Scenes').item_id}/Refresh", **mode)
        clock.wait(1)
        assert server.item_json(item)["Overview"] == "Theirs"
        assert kinds(server) == [DisasterKind.FORCED_REFRESH] * 2


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_full_scan_is_a_task_that_starts_over_on_jellyfin(flavour, clock):
    with serving(flavour, clock=clock, quirks=Quirks(scan_seconds=10)) as server, connected(server) as api:

        def scan():
            return next(task for task in api.json("/ScheduledTasks") if task["Key"] == "RefreshLibrary")

        assert scan()["State"] == "Idle"
        api.post("/Library/Refresh")
        clock.wait(6)
        assert (scan()["State"], scan()["CurrentProgressPercentage"]) == ("Running", 60.0)
        api.post("/Library/Refresh")
        assert scan()["CurrentProgressPercentage"] == (60.0 if flavour in EMBY else 0.0)
        assert kinds(server) == ([] if flavour in EMBY else [DisasterKind.SCAN_CANCELLED])
        clock.wait(10)
        assert scan()["LastExecutionResult"]["Status"] == "Completed"


# Collections.


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_collections_are_made_filled_and_emptied(flavour):
    with serving(flavour) as server, connected(server) as api:
        one, two, three, *_ = server.item_ids()
        made = api.post("/Collections", Name="House", Ids=one).json()["Id"]
        assert api.post(f"/Collections/{made}/Items", Ids=f"{two},{one}").status_code == 204
        assert server.item_json(made)["Members"] == [one, two]
        assert [item["Id"] for item in api.items(ParentId=made, Recursive="true")] == [one, two]
        assert [item["Id"] for item in api.items(ParentId=made)] == ([one, two] if server.flavour.is_emby else [])
        assert api.delete(f"/Collections/{made}/Items", Ids=f"{one},{three}").status_code == 204
        assert server.item_json(made)["Members"] == [two]
        found = api.items(IncludeItemTypes="BoxSet", Recursive="true", Fields="Path")
        assert [(item["Name"], item["Id"]) for item in found] == [("House", made)]
        if flavour in EMBY:
            assert api.post(f"/Collections/{made}/Items", {"Ids": three}).status_code == 204
            assert api.post(f"/Collections/{made}/Items/Delete", Ids=three).status_code == 204
            assert server.item_json(made)["Members"] == [two]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_stranger_id_fails_the_whole_call(flavour):
    with serving(flavour) as server, connected(server) as api:
        one, two, *_ = server.item_ids()
        made = api.post("/Collections", Name="House", Ids=one).json()["Id"]
        stranger = "9999999" if flavour in EMBY else "f" * 32
        assert api.post(f"/Collections/{made}/Items", Ids=f"{two},{stranger}").status_code == 400
        assert api.post(f"/Collections/{two}/Items", Ids=one).status_code == 400
        assert api.delete(f"/Collections/{two}/Items", Ids=one).status_code == 400
        assert api.post(f"/Collections/{made}/Items", {"Ids": ""}).status_code == 400
        assert api.post("/Collections", Name="", Ids=one).status_code == 400
        assert api.post("/Collections", Name="Other", Ids="nonsense").status_code == 400
        assert server.item_json(made)["Members"] == [one]


@pytest.mark.parametrize("habit", ["emptied", "restored", "second"])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_making_a_collection_that_is_there_empties_it(flavour, habit):
    with serving(flavour, quirks=Quirks(same_name_collection=habit)) as server, connected(server) as api:
        one, two, *_ = server.item_ids()
        first = api.post("/Collections", Name="A/B", Ids=one).json()["Id"]
        second = api.post("/Collections", Name="A B", Ids=two).json()["Id"]  # the same as a file name
        members = server.item_json(second)["Members"]
        assert members == ([one, two] if habit == "restored" else [two])
        assert kinds(server) == ([DisasterKind.COLLECTION_EMPTIED] if habit == "emptied" else [])
        assert (first == second) == (flavour in JELLYFIN and habit != "second")
        assert len(api.items(IncludeItemTypes="BoxSet", Recursive="true")) == (2 if habit == "second" else 1)


def test_the_first_collection_of_a_jellyfin_is_a_library_and_a_full_scan():
    with serving("jellyfin-12") as server, connected(server) as api:
        for name in ("First", "Second"):
            api.post("/Collections", Name=name)
            assert server.library("Collections").collection_type == "boxsets"
        assert server.world.scans.full_scan_progress() is not None
        assert kinds(server) == []


@pytest.mark.parametrize("drops", [True, False])
def test_emby_has_no_empty_collections_perhaps(drops):
    with serving("emby-4.9", quirks=Quirks(drops_empty_collections=drops)) as server, connected(server) as api:
        item = server.item_ids()[0]
        assert api.post("/Collections", Name="Empty").status_code == (400 if drops else 200)
        made = api.post("/Collections", Name="Filled", Ids=item).json()["Id"]
        api.delete(f"/Collections/{made}/Items", Ids=item)
        assert (api.items(Ids=made) == []) == drops


def test_the_collections_of_an_item_can_be_asked_for_in_12_and_perhaps_in_emby():
    with serving("jellyfin-12") as server, connected(server) as api:
        item = server.item_ids()[0]
        made = api.post("/Collections", Name="House", Ids=item).json()["Id"]
        assert api.get(f"/Items/{item}/Collections").status_code == 404  # a key has no user
        found = api.json(f"/Items/{item}/Collections", userId=api.user_id)["Items"]
        assert [one["Id"] for one in found] == [made]
    with serving("jellyfin-10.11") as server, connected(server) as api:
        assert api.get(f"/Items/{server.item_ids()[0]}/Collections", userId=api.user_id).status_code == 404
    with serving("emby-4.9") as server, connected(server) as api:
        item = server.item_ids()[0]
        made = [
            api.post("/Collections", Name=name, Ids=one).json()["Id"]
            for name, one in zip("AB", server.item_ids(), strict=False)
        ]
        query = {"IncludeItemTypes": "BoxSet", "Recursive": "true", "ListItemIds": item}
        assert [one["Id"] for one in api.json(f"/Users/{api.user_id}/Items", **query)["Items"]] == made[:1]
        server.quirks.knows_list_item_ids = False
        assert len(api.json(f"/Users/{api.user_id}/Items", **query)["Items"]) == 2  # not understood: all of them


def test_an_item_that_goes_leaves_its_collections(clock):
    with serving("jellyfin-12", clock=clock) as server, connected(server) as api:
        one, two, *_ = server.item_ids()
        made = api.post("/Collections", Name="House", Ids=f"{one},{two}").json()["Id"]
        server.delete(one)
        assert server.item_json(made)["Members"] == [two]


# What users did.


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_user_data_is_changed_in_part_on_jellyfin_and_reset_on_emby(flavour):
    with serving(flavour) as server, connected(server) as api:
        item, user = server.item_ids()[0], server.user("admin")
        server.watch(item, Played=True, PlayCount=3)
        if flavour in EMBY:
            api.post(f"/Users/{user.id}/Items/{item}/UserData", {"Rating": 8.0})
        else:
            api.post(f"/UserItems/{item}/UserData", {"Rating": 8.0}, userId=user.id)
        data = api.items(Ids=item, UserId=user.id)[0]["UserData"]
        assert (data["Rating"], data["PlayCount"]) == (8.0, 3)
        assert data["Played"] == (flavour in JELLYFIN)


def test_emby_may_leave_omitted_booleans_alone():
    with serving("emby-4.9", quirks=Quirks(resets_omitted_booleans=False)) as server, connected(server) as api:
        item = server.item_ids()[0]
        server.watch(item, Played=True)
        api.post(f"/Users/{api.user_id}/Items/{item}/UserData", {"Rating": 8.0})
        assert server.watch(item).played


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_played_and_unplayed(flavour):
    with serving(flavour) as server, connected(server) as api:
        item, user = server.item_ids()[0], api.user_id
        place = f"/Users/{user}/PlayedItems/{item}" if flavour in EMBY else f"/UserPlayedItems/{item}"
        query = {} if flavour in EMBY else {"userId": user}
        api.post(place, datePlayed="2024-05-01T00:00:00.0000000Z", **query)
        data = api.items(Ids=item, UserId=user)[0]["UserData"]
        assert (data["Played"], data["PlayCount"], data["LastPlayedDate"][:4]) == (True, 1, "2024")
        server.watch(item, PlaybackPositionTicks=5, Played=True)
        api.delete(place, **query)
        data = api.items(Ids=item, UserId=user)[0]["UserData"]
        assert (data["Played"], data["PlayCount"], data["PlaybackPositionTicks"]) == (False, 0, 0)
        assert "LastPlayedDate" not in data


def test_user_data_needs_a_user():
    with serving("jellyfin-12") as server, connected(server) as api:
        item = server.item_ids()[0]
        assert api.post(f"/UserItems/{item}/UserData", {"Rating": 8.0}).status_code == 404
        assert api.post(f"/UserItems/{item}/UserData", [], userId=api.user_id).status_code == 400
        assert api.get("/Items", UserId="f" * 32).status_code == 404
        assert api.get(f"/Users/{api.user_id}").json()["Name"] == "admin"
        assert api.get(f"/Users/{'f' * 32}").status_code == 404
        with connected(server, token=server.user("viewer").token) as viewer:
            assert viewer.get("/Items", UserId=api.user_id).status_code == 403
