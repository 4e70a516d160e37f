"""Publishing as people have it: the service in a process of its own, beside simulated servers that see the library."""

import pytest

from sim.mediabrowser import faults
from sim.mediabrowser.controls.real_folder import RealFolder
from sim.mediabrowser.server import SimMediaBrowser
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from sim.wordpress.server import SimWordPress, make_jpeg
from tests.support.intake.process import IntakeInstallation
from tests.support.plugin.plugin import InstalledPlugin, wait_until

LOOKS = "0.5,1,2,4"


@pytest.fixture
def site():
    with SimWordPress() as running:
        for number in range(1, 6):
            running.add_pictured(f"SONE-76{number}", actress=["Ruri Saijo"], title=f"Title {number}")
        yield running


@pytest.fixture
def servers():
    with SimMediaBrowser("emby-4.9", 3) as emby, SimMediaBrowser("jellyfin-12", 3) as jellyfin:
        yield emby, jellyfin


@pytest.fixture
def intake(tmp_path, site, servers):
    emby, jellyfin = servers
    made = IntakeInstallation(
        tmp_path,
        site,
        EMBY_BASE_URL=emby.url,
        EMBY_API_KEY=emby.api_key,
        STASH2PLEX_JELLYFIN_URL=jellyfin.url,
        STASH2PLEX_JELLYFIN_API_KEY=jellyfin.api_key,
        STASH2PLEX_JELLYFIN_PATH_MAP=f"{tmp_path / 'library'}=>/media",
        EMBY_SCAN_RETRY_DELAYS=LOOKS,
    )
    RealFolder(emby, str(made.library))
    RealFolder(jellyfin, str(made.library), "/media")
    yield made
    made.kill()


def titles(server):
    return sorted(server.item_json(item)["Name"] for item in server.item_ids("Intake"))


def test_files_end_on_both_servers_with_their_pictures(intake, servers):
    for number in (1, 2, 3):
        intake.drop(f"SONE-76{number}.mp4")
    intake.start()
    intake.wait_for_counts(completed=3)
    rows = intake.ask("list")
    assert {row["step"] for row in rows} == {"pictured"}
    assert all(row["emby_item_id"] for row in rows)
    for server in servers:
        assert titles(server) == ["SONE-761 Title 1", "SONE-762 Title 2", "SONE-763 Title 3"]
        for item in server.item_ids("Intake"):
            assert server.pictures(item, "Primary") == [make_jpeg(1200)]
    checks = {check["name"]: check for check in intake.ask("doctor")["checks"]}
    assert checks["server emby"]["ok"]
    assert checks["server jellyfin"]["ok"]


def test_a_server_that_is_down_holds_up_no_other_and_no_key_is_told(intake, servers):
    emby, jellyfin = servers
    emby.stop()
    jellyfin.faults.add(faults.LOST_BY_RESET, kind="update", times=1)
    intake.drop("SONE-761.mp4")
    intake.start()
    intake.wait_for(lambda: titles(jellyfin) == ["SONE-761 Title 1"])
    intake.wait_for(lambda: intake.ask("list")[0]["error_kind"] == "server_away")
    row = intake.ask("list")[0]
    assert (row["status"], row["retry_count"]) == ("moved", 0)
    told = " ".join(intake.ask("explain", str(row["id"]))["sentences"])
    assert "Emby does not answer" in told
    emby.start()
    intake.wait_for_counts(completed=1)
    assert titles(emby) == ["SONE-761 Title 1"]
    assert emby.api_key not in intake.log() + told


def test_a_key_that_is_missing_is_named_with_everything_else(intake):
    intake.environment["EMBY_API_KEY"] = ""
    intake.environment["STASH2PLEX_ITEM_TITLE"] = "{colour}"
    said = intake.run("run").stderr.decode()
    assert "EMBY_BASE_URL is set and EMBY_API_KEY is not" in said
    assert "STASH2PLEX_ITEM_TITLE" in said


def test_a_key_that_cannot_be_sent_is_a_setting_to_mend(intake):
    intake.environment["EMBY_API_KEY"] = "not a key"
    done = intake.run("run")
    assert (done.returncode, b"bug" in done.stderr, b"API key" in done.stderr) == (1, False, True)
    assert b"not a key" not in done.stderr


def test_with_stash_as_hub_a_file_reaches_plex_by_itself(tmp_path, site):
    """The service describes the file in Stash and nothing else; the plugin's hook and its worker do the rest."""
    plugin = InstalledPlugin(tmp_path / "stash")
    library = tmp_path / "intake" / "library"
    target = library / "Ruri Saijo" / "Ruri Saijo - [No Sub] SONE-761 Title 1.mp4"
    with SimPlex(items=3) as plex, SimStash(scenes=3, config_dir=plugin.config_dir) as stash:
        stash.settings.stashes = (str(library),)
        stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})
        stash.install_plugin(plugin.plugin_dir, python=plugin.python)
        item = plex.add_item(f"/data/scenes/{target.relative_to(library)}", 6, 60_000)
        intake = IntakeInstallation(
            tmp_path / "intake",
            site,
            STASH2PLEX_STASH_URL=stash.url,
            STASH2PLEX_STASH_HUB="on",
            EMBY_SCAN_RETRY_DELAYS=LOOKS,
        )
        try:
            intake.drop("SONE-761.mp4")
            intake.start()
            intake.wait_for_counts(completed=1)
            wait_until(lambda: plex.item(item).title == "Title 1", 30)
            wait_until(lambda: plex.item(item).poster.startswith("upload://"), 30)
            assert list(plex.item(item).actors) == ["Ruri Saijo"]
            scene = stash.library.scenes[int(intake.ask("list")[0]["emby_item_id"])]
            assert (scene.path, scene.code) == (str(target), "SONE-761")
        finally:
            intake.kill()
            plugin.kill_workers()
