"""The simulated Emby and Jellyfin: who is let in, where it answers, how it starts, how it is steered."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from sim.mediabrowser import faults
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.server import LibraryRuined, SimMediaBrowser
from tests.integration.sim.mediabrowser_http import BEFORE_12, EMBY, JELLYFIN, Clock, connected, serving
from tests.support.openapi import Contract, extract, restricted, whole_documents

LEGACY = {
    "X-Emby-Token": {"X-Emby-Token": "{key}"},
    "X-MediaBrowser-Token": {"X-MediaBrowser-Token": "{key}"},
    "X-Emby-Authorization": {"X-Emby-Authorization": 'MediaBrowser Token="{key}"'},
    "scheme Emby": {"Authorization": 'Emby Token="{key}"'},
}


def status(server, headers=None, query=""):
    known = {name: value.format(key=server.api_key) for name, value in (headers or {}).items()}
    return requests.get(f"{server.url}/System/Info{query}", headers=known, timeout=20).status_code


# Who is let in.


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_who_the_server_is_can_be_asked_without_a_key(flavour):
    with serving(flavour) as server:
        public = requests.get(f"{server.url}/System/Info/Public", timeout=20).json()
        assert public["Id"] == server.server_id
        assert public["Version"] == server.flavour.version
        assert public.get("ProductName") == (None if server.flavour.is_emby else "Jellyfin Server")
        assert status(server) == 401


@pytest.mark.parametrize("flavour", JELLYFIN)
def test_the_authorization_header_works_on_every_jellyfin(flavour):
    with serving(flavour) as server:
        assert status(server, {"Authorization": 'MediaBrowser Token="{key}"'}) == 200
        assert status(server, {"Authorization": 'MediaBrowser Client="a%20b", Token="{key}", Device="x"'}) == 200
        assert status(server, query=f"?ApiKey={server.api_key}") == 200
        assert server.requests[-1].token_in_url


@pytest.mark.parametrize("form", LEGACY)
def test_old_forms_of_a_token_are_a_bare_401_on_jellyfin_12(form):
    for flavour in BEFORE_12:
        with serving(flavour) as server:
            assert status(server, LEGACY[form]) == 200
            assert status(server, query=f"?api_key={server.api_key}") == 200
    with serving("jellyfin-12") as server:
        assert status(server, LEGACY[form]) == 401
        refused = requests.get(f"{server.url}/System/Info?api_key={server.api_key}", timeout=20)
        assert (refused.status_code, refused.content) == (401, b"")  # a revoked key looks the same


def test_jellyfin_10_11_can_have_the_old_forms_switched_off():
    with serving("jellyfin-10.11", quirks=Quirks(legacy_auth=False)) as server:
        assert status(server, LEGACY["X-Emby-Token"]) == 401


@pytest.mark.parametrize("refuses", [True, False])
def test_two_forms_at_once_are_refused_or_not(refuses):
    both = {"Authorization": 'MediaBrowser Token="{key}"', "X-Emby-Token": "{key}"}
    with serving("jellyfin-10.11", quirks=Quirks(refuses_two_tokens=refuses)) as server:
        assert status(server, both) == (401 if refuses else 200)


@pytest.mark.parametrize("takes", [True, False])
@pytest.mark.parametrize("flavour", EMBY)
def test_emby_takes_its_own_header_and_perhaps_the_other(flavour, takes):
    with serving(flavour, quirks=Quirks(takes_authorization_header=takes)) as server:
        assert status(server, LEGACY["X-Emby-Token"]) == 200
        assert status(server, query=f"?api_key={server.api_key}") == 200
        assert status(server, query=f"?ApiKey={server.api_key}") == 401
        assert status(server, LEGACY["scheme Emby"]) == (200 if takes else 401)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_key_is_an_administrator_without_a_user(flavour):
    with serving(flavour) as server, connected(server) as api:
        item = server.item_ids()[0]
        assert api.get("/ScheduledTasks").status_code == 200
        assert api.get("/Users/Me").status_code == (500 if server.flavour.is_emby else 400)
        assert api.get(f"/Items/{item}").status_code == 404
        if server.flavour.is_jellyfin:
            assert api.json(f"/Items/{item}", userId=server.user("admin").id)["Id"] == item


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_user_without_rights_may_read_and_change_nothing(flavour):
    with serving(flavour) as server, connected(server, token=server.user("viewer").token) as viewer:
        item = server.item_ids()[0]
        assert viewer.get("/System/Info").status_code == 200
        assert viewer.json("/Users/Me")["Policy"]["IsAdministrator"] is False
        for path in (f"/Items/{item}", f"/Items/{item}/Images/Primary", f"/Items/{item}/Refresh", "/Library/Refresh"):
            assert viewer.post(path, {}).status_code == 403
        libraries = "/Library/VirtualFolders/Query" if server.flavour.is_emby else "/Library/VirtualFolders"
        assert viewer.get(libraries).status_code == 403


def test_emby_may_say_401_to_such_a_user_or_let_the_user_edit():
    quirks = Quirks(refusal_of_users=401)
    with serving("emby-4.9", quirks=quirks) as server, connected(server, token=server.user("viewer").token) as viewer:
        item = server.item_ids()[0]
        assert viewer.post(f"/Items/{item}", {}).status_code == 401
        quirks.users_may_edit = True
        assert viewer.update(item, Name="Mine").status_code == 204


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_what_a_user_may_not_see_is_not_there(flavour):
    with serving(flavour) as server, connected(server, token=server.user("viewer").token) as viewer:
        first, *others = server.item_ids()
        server.hide(first)
        listed = viewer.items(
            Recursive="true", IncludeItemTypes="Video,Movie", ParentId=server.library("Scenes").item_id
        )
        assert sorted(item["Id"] for item in listed) == sorted(others)
        assert viewer.get(f"/Items/{first}/Images").status_code == 404
        assert viewer.items(Ids=first) == []


def test_a_user_gets_a_token_by_name():
    with serving("jellyfin-12") as server, connected(server) as api:
        answer = api.post("/Users/AuthenticateByName", {"Username": "viewer", "Pw": ""}).json()
        assert answer["AccessToken"] == server.user("viewer").token
        assert api.post("/Users/AuthenticateByName", {"Username": "nobody"}).status_code == 401


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_users_are_listed_in_the_dialect(flavour):
    with serving(flavour) as server, connected(server) as api:
        if server.flavour.is_emby:
            assert [user["Name"] for user in api.json("/Users/Query")["Items"]] == ["admin", "viewer"]
            assert api.get("/Users").status_code == 404
            server.quirks.plain_routes = True
        assert [user["Name"] for user in api.json("/Users")] == ["admin", "viewer"]


# Where it answers.


def test_the_old_prefixes_are_gone_in_jellyfin_12():
    for flavour in FLAVOURS:
        with serving(flavour) as server, connected(server) as api:
            expected = 404 if flavour == "jellyfin-12" else 200
            assert api.get("/emby/System/Info").status_code == expected
            assert api.get("/mediabrowser/System/Info").status_code == expected
            assert api.get("/system/INFO").status_code == 200  # any case will do


def test_without_its_base_address_a_jellyfin_sends_everybody_to_its_web_page():
    with serving("jellyfin-12", quirks=Quirks(base_url="/jellyfin")) as server, connected(server) as api:
        assert api.get("/System/Info").status_code == 200
        lost = requests.get(server.url.removesuffix("/jellyfin") + "/System/Info", timeout=20, allow_redirects=False)
        assert (lost.status_code, lost.headers["Location"]) == (302, "/jellyfin/web/")
        page = requests.get(server.url.removesuffix("/jellyfin") + "/System/Info", timeout=20)
        assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html")  # whoever follows gets a page


def test_a_request_line_has_eight_kilobytes_and_a_body_thirty_million():
    with serving("jellyfin-12") as server, connected(server) as api:
        assert api.get("/Items", Ids=",".join(["a" * 32] * 230)).status_code == 200
        assert api.get("/Items", Ids=",".join(["a" * 32] * 260)).status_code == 414
        server.quirks.max_body_bytes = 100
        assert api.upload(server.item_ids()[0], "Primary", b"x" * 100).status_code == 413


# How it starts.


@pytest.mark.parametrize("camel_case", [True, False])
@pytest.mark.parametrize("flavour", ["jellyfin-10.11", "jellyfin-12"])
def test_while_a_newer_jellyfin_starts_only_its_name_is_told(flavour, camel_case):
    quirks = Quirks(startup_camel_case=camel_case)
    with SimMediaBrowser(flavour, 0, quirks=quirks) as server, connected(server) as api:  # no document has this
        server.set_phase("starting")
        public = api.json("/System/Info/Public")
        assert public["id" if camel_case else "Id"] == server.server_id
        assert public["startupWizardCompleted" if camel_case else "StartupWizardCompleted"] is False
        assert api.get("/health").text == "Degraded"
        refused = api.get("/System/Info")
        assert (refused.status_code, refused.headers["Content-Type"]) == (503, "text/html")
        assert int(refused.headers["Retry-After"]) == 5
        server.set_phase("running")
        assert api.json("/System/Info/Public")["StartupWizardCompleted"] is True
        assert api.get("/health").text == "Healthy"


def test_the_server_that_answers_during_the_start_knows_no_base_address():
    with serving("jellyfin-12", quirks=Quirks(base_url="/jellyfin")) as server, connected(server) as api:
        server.set_phase("starting")
        assert api.get("/System/Info/Public").status_code == 503


def test_while_an_older_jellyfin_starts_only_a_ping_gets_through():
    with serving("jellyfin-10.10") as server, connected(server) as api:
        server.set_phase("starting")
        assert api.get("/System/Info/Public").status_code == 503
        assert api.get("/System/Ping").status_code == 200


@pytest.mark.parametrize("flavour", EMBY)
def test_an_emby_says_503_while_it_starts_and_while_it_stops(flavour):
    with serving(flavour) as server, connected(server) as api:
        server.set_phase("starting")
        assert api.get("/System/Info/Public").status_code == 503
        server.set_phase("stopping")
        assert api.get("/System/Info").text == "Server shutting down"
        server.set_phase("running")
        assert ("IsInMaintenanceMode" in api.json("/System/Info")) == (flavour == "emby-4.9")


def test_an_upgrade_keeps_the_items_and_changes_the_habits():
    clock = Clock()
    with serving("jellyfin-10.11", clock=clock) as server, connected(server) as api:
        item = server.item_ids()[0]
        before = server.item_json(item)
        server.upgrade("jellyfin-12", starting_seconds=3600)
        assert api.get("/System/Info").status_code == 503
        clock.wait(3600)
        assert status(server, LEGACY["X-Emby-Token"]) == 401
        assert api.json("/System/Info")["Version"].startswith("12.")
        assert server.item_json(item) == before


def test_early_versions_of_10_11_lose_the_locks_at_a_restart():
    for version, kept in (("10.11.3", []), ("10.11.4", ["Name"])):
        with serving("jellyfin-10.11", version=version) as server:
            item = server.item_ids()[0]
            server.edit_by_person(item, Name="Kept")
            server.restart()
            assert server.item_json(item)["LockedFields"] == kept
            assert server.item_json(item)["Name"] == "Kept"


# Libraries.


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_libraries_come_with_their_folders_and_options(flavour):
    with serving(flavour) as server, connected(server) as api:
        server.add_library("Noisy", ["/data/noisy"], SaveLocalMetadata=True, MetadataSavers=["Nfo"])
        if server.flavour.is_emby:
            assert api.get("/Library/VirtualFolders").status_code == 404
            found = api.json("/Library/VirtualFolders/Query")["Items"]
        else:
            found = api.json("/Library/VirtualFolders")
        libraries = {library["Name"]: library for library in found}
        assert libraries["Scenes"]["Locations"] == ["/data/scenes", "/data/archive"]
        assert libraries["Scenes"]["CollectionType"] == "homevideos"
        assert "CollectionType" not in libraries["Clips"]  # mixed
        assert libraries["Noisy"]["LibraryOptions"]["MetadataSavers"] == ["Nfo"]
        assert libraries["Movies"]["ItemId"] == server.library("Movies").item_id
        server.quirks.plain_routes = True
        assert api.get("/Library/VirtualFolders").status_code == 200


# What goes wrong.


def test_faults_strike_by_kind_and_let_the_first_ones_pass():
    with serving("jellyfin-10.11") as server, connected(server) as api:
        server.faults.add(faults.DATABASE_LOCKED, kind="details", times=1, skip=1)
        assert [api.get("/Items", Ids="a" * 32).status_code for _ in range(3)] == [200, 500, 200]
        assert api.get("/Items").status_code == 200
        assert server.count("details") == 3


@pytest.mark.parametrize("fault", [faults.LOST_BY_RESET, faults.hanging(0.1, does_work=True)])
def test_an_answer_can_get_lost_after_the_work_is_done(fault):
    with serving("jellyfin-12") as server, connected(server) as api:
        item = server.item_ids()[0]
        server.faults.add(fault, kind="update", times=1)
        with pytest.raises(requests.ConnectionError):
            api.update(item, Name="Done")
        assert server.item_json(item)["Name"] == "Done"


def test_a_page_or_half_an_answer_can_come_instead():
    with serving("jellyfin-12") as server, connected(server) as api:
        server.faults.add(faults.LOGIN_PAGE, kind="info", times=1)
        assert api.get("/System/Info").headers["Content-Type"] == "text/html"
        server.faults.add(faults.CUT_JSON, kind="info", times=1)
        with pytest.raises(ValueError, match=r"."):
            api.get("/System/Info").json()


def test_a_mistake_of_the_simulated_server_fails_the_test():
    with pytest.raises(ExceptionGroup), SimMediaBrowser("jellyfin-12", 1) as server, connected(server) as api:
        server.world.store = None
        api.get("/Items", Recursive="true")


def test_a_disaster_fails_the_test_unless_it_was_meant():
    ruined = pytest.raises(LibraryRuined, match="item deleted")
    with ruined, SimMediaBrowser("jellyfin-12", 1) as server, connected(server) as api:
        assert api.delete(f"/Items/{server.item_ids()[0]}").status_code == 204
    with SimMediaBrowser("jellyfin-12", 1) as server, connected(server) as api:
        api.delete("/Items", Ids=server.item_ids()[0])
        assert server.item_ids() == []
        server.disasters.clear()


# From outside.


def test_it_runs_as_a_program_and_is_steered_from_outside():
    command = [sys.executable, "-m", "sim.mediabrowser", "--flavour", "emby-4.9", "--items", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as program:
        try:
            where = json.loads(program.stdout.readline())
            headers = {"X-Emby-Token": where["apiKey"]}
            url = where["url"]
            items = requests.get(
                f"{url}/Items?Recursive=true&IncludeItemTypes=Video", headers=headers, timeout=20
            ).json()
            item = items["Items"][0]["Id"]
            edit = {"id": item, "values": json.dumps({"Name": "Edited"})}
            assert requests.post(f"{url}/sim/edit", params=edit, timeout=20).status_code == 200
            shown = requests.get(f"{url}/sim/item", params={"id": item}, timeout=20).json()
            assert (shown["Name"], shown["LockedFields"]) == ("Edited", ["Name"])
            assert (
                requests.post(f"{url}/sim/faults", params={"fault": "520", "times": 1}, timeout=20).status_code == 200
            )
            assert requests.get(f"{url}/Items", headers=headers, timeout=20).status_code == 520
            assert (
                requests.post(f"{url}/sim/quirks", params={"ties": '"stable"'}, timeout=20).json()["ties"] == "stable"
            )
            assert requests.post(f"{url}/sim/quirks", params={"nonsense": "1"}, timeout=20).status_code == 400
            requests.post(f"{url}/sim/file", params={"path": "/data/clips/new.mp4"}, timeout=20)
            requests.post(
                f"{url}/sim/move", params={"path": "/data/clips/clip 1.mp4", "to": "/data/clips/2.mp4"}, timeout=20
            )
            requests.post(f"{url}/sim/scan", timeout=20)
            assert requests.post(f"{url}/sim/restart", timeout=20).status_code == 200
            assert requests.get(f"{url}/sim/requests", timeout=20).json()["counts"] == {"list": 2}
            assert requests.get(f"{url}/sim/nothing", timeout=20).status_code == 404
            assert requests.get(f"{url}/sim/item", params={"path": "/nowhere"}, timeout=20).status_code == 404
        finally:
            os.kill(program.pid, signal.SIGTERM)
        assert program.wait(5) == 0


# The documents.


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_the_extract_says_what_the_whole_document_says(flavour):
    """Where the whole documents are not, the extract is compared with itself."""
    kept = extract()[flavour]
    assert restricted(whole_documents().get(flavour, kept), kept) == kept
    assert kept["operations"]
    assert set(kept["types"]["MetadataFields" if flavour in EMBY else "MetadataField"]) == FLAVOURS[flavour].lock_words
    assert set(kept["types"]["PersonType" if flavour in EMBY else "PersonKind"]) == FLAVOURS[flavour].person_types


def test_a_document_tells_what_is_wrong():
    contract = Contract(extract()["jellyfin-12"])
    item = "a" * 32

    def request(method, path, query="", body=None):
        return contract.faults_of_request(
            method, path, query, "application/json", json.dumps(body).encode() if body else b""
        )

    assert request("GET", "/Items", f"Ids={item}&Fields=Settings,Path&Limit=5") == []
    assert request("GET", "/Nothing") == ["GET /Nothing: no such operation"]
    assert request("GET", "/Items", "Path=/x") == ["GET /Items: no parameter Path"]
    assert len(request("GET", "/Items", "Ids=x&Fields=TagItems&Limit=many&Recursive=yes")) == 4
    assert request(
        "POST", f"/Items/{item}", body={"LockedFields": ["SortName"], "Nonsense": 1, "ProductionYear": "x"}
    ) == [
        "POST /Items/{}.Nonsense: BaseItemDto has no such property",
        "POST /Items/{}.LockedFields[]: 'SortName' is no MetadataField",
        "POST /Items/{}.ProductionYear: 'x' is no integer",
    ]
    assert request("POST", f"/Collections/{item}/Items") == ["POST /Collections/{}/Items: ids is missing"]
    answer = contract.faults_of_answer("GET", "/System/Info/Public", 200, "application/json", b'{"Version": 12}')
    assert answer == ["GET /System/Info/Public.Version: 12 is no string"]
    assert contract.faults_of_answer("GET", "/System/Info/Public", 201, "application/json", b"{}") != []
