"""Settings for a page: described, saved, refused; libraries; what a preview and a scan leave; scenes left out."""

import pytest

from ledger.states import SceneState
from model.user_error import UserError
from runtime.state_file import read_state
from stash.client import StashClient
from sync_queue.session import read_session


def rows(answer):
    return {row["key"]: {**row, "group": group["id"]} for group in answer["groups"] for row in group["settings"]}


def in_stash(counter):
    client = StashClient(read_session(counter.shop.queue._connection))
    try:
        return dict(client.plugin_state().settings)
    finally:
        client.close()


# Settings


def test_every_setting_is_described_and_no_secret_is_told(counter):
    from validation.config import KEYS

    answer = counter.ask("settings_schema")
    found = rows(answer)
    assert set(found) == set(KEYS)
    assert found["plex_url"] == {
        "key": "plex_url",
        "title": "Plex address",
        "description": found["plex_url"]["description"],
        "type": "text",
        "default": "",
        "allowed": None,
        "value": counter.shop.plex.url,
        "is_set": True,
        "source": "stash",
        "problem": None,
        "needs_restart": False,
        "group": "plex",
    }
    token = found["plex_token"]
    assert (token["type"], token["value"], token["is_set"], token["group"]) == ("secret", None, True, "plex")
    assert counter.shop.plex.token not in str(answer)
    tags = found["max_tags"]
    assert (tags["type"], tags["allowed"], tags["source"]) == ("number", {"min": 1, "max": 500}, "default")
    assert (found["strict_matching"]["type"], found["path_map"]["type"]) == ("boolean", "path_map")
    assert (answer["problems"], answer["warnings"]) == ([], [])


def test_what_is_wrong_stands_beside_its_setting(counter):
    counter.shop.stash.configure_plugin("Stash2Plex", {"plex_url": "nonsense", "max_tags": 9000})
    answer = counter.ask("settings_schema")
    found = rows(answer)
    assert "must be an address" in found["plex_url"]["problem"]
    assert "allowed is a whole number from 1 to 500" in found["max_tags"]["problem"]
    assert {one["key"] for one in answer["problems"]} >= {"plex_url", "plex_token", "max_tags"}


def test_settings_are_saved_beside_those_that_are_there(counter):
    before = in_stash(counter)
    answer = counter.ask("save_settings", values={"max_tags": 50, "reconcile_interval": 0.5, "enabled": False})
    assert (answer["ok"], answer["saved"], answer["problems"]) == (
        True,
        ["max_tags", "reconcile_interval", "enabled"],
        [],
    )
    assert in_stash(counter) == {**before, "max_tags": 50, "reconcile_interval": "0.5", "enabled": False}
    status = counter.ask("status")
    assert (status["is_enabled"], status["is_set_up"]) == (False, True)
    assert status["targets"][0]["url"] == counter.shop.plex.url
    assert counter.ask("save_settings", values={"max_tags": None, "enabled": True})["ok"]
    assert "max_tags" not in in_stash(counter)


@pytest.mark.parametrize(
    ("values", "key", "sentence"),
    [
        ({"max_tags": 0}, "max_tags", "allowed is a whole number from 1 to 500"),
        ({"max_tags": "many"}, "max_tags", "allowed is a whole number from 1 to 500"),
        ({"strict_matching": "perhaps"}, "strict_matching", "allowed is on or off"),
        ({"plex_url": "plex"}, "plex_url", "must be an address"),
        ({"path_map": "nonsense"}, "path_map", "must read /stash/prefix"),
        ({"plex_token": "a-secret-word"}, "plex_token", "is a secret"),
        ({"colour": "red"}, None, "'colour' is no setting"),
    ],
)
def test_what_cannot_be_saved_is_said_and_nothing_is(counter, values, key, sentence):
    before = in_stash(counter)
    answer = counter.ask("save_settings", values={"sync_tags": False, **values})
    assert (answer["ok"], answer["saved"]) == (False, [])
    assert (answer["problems"][0]["key"], sentence in answer["problems"][0]["sentence"]) == (key, True)
    assert "a-secret-word" not in str(answer)
    assert in_stash(counter) == before


def test_an_address_can_be_saved_before_its_token_is_there(counter):
    counter.shop.stash.configure_plugin("Stash2Plex", {})
    assert counter.ask("save_settings", values={"plex_url": counter.shop.plex.url, "enabled": False})["ok"]
    assert in_stash(counter)["plex_url"] == counter.shop.plex.url


def test_a_stash_that_is_away_is_said(counter):
    counter.shop.stash.go_away()
    for mode, args in (("settings_schema", {}), ("save_settings", {"values": {"max_tags": 5}})):
        with pytest.raises(UserError, match="Stash does not answer"):
            counter.ask(mode, **args)


# Libraries and folders


def test_libraries_are_listed_with_those_that_are_chosen(counter):
    answer = counter.ask("libraries")
    chosen = {one["title"]: one["is_chosen"] for one in answer["libraries"]}
    assert (answer["ok"], chosen["Scenes"], all(chosen.values())) == (True, True, False)
    assert all(one["locations"] and one["target"] == "plex" for one in answer["libraries"])
    counter.configure(plex_library="Nowhere")
    answer = counter.ask("libraries")
    assert (answer["ok"], "Nowhere" in answer["sentence"], bool(answer["libraries"])) == (False, True, True)
    counter.shop.plex.stop()
    answer = counter.ask("libraries")
    assert (answer["ok"], answer["libraries"]) == (False, [])


def test_the_folder_of_a_scene_is_scanned(counter):
    counter.shop.forget_requests()
    assert counter.ask("scan_scene", scene_id=1)["ok"] is True
    assert [one for one in counter.shop.plex.requests if "/refresh" in one.path]
    counter.configure(path_map="/data=>/elsewhere")
    assert counter.ask("scan_scene", scene_id=1)["ok"] is False
    with pytest.raises(UserError, match="Stash has no scene 777"):
        counter.ask("scan_scene", scene_id=777)


# What a preview of all leaves


def test_a_preview_leaves_its_rows_for_a_page(counter):
    counter.shop.sync(1)
    done = counter.ask("preview")
    first = counter.ask("preview_result", limit=5)
    rest = counter.ask("preview_result", limit=50, after=first["next"])
    rows = [*first["scenes"], *rest["scenes"]]
    assert (len(first["scenes"]), rest["next"], first["is_running"]) == (5, None, False)
    assert first["counts"] == done["counts"]
    assert first["counts"]["right"] == 1
    assert [row["scene_id"] for row in rows] == [*range(2, 13)]
    plan = counter.preview(2)
    assert (rows[0]["verdict"], rows[0]["changes"]) == ("would change", plan["changes"])
    assert rows[0]["title"] == counter.shop.stash.library.scenes[2].title
    with pytest.raises(UserError, match="after must be"):
        counter.ask("preview_result", after="999999")


def test_a_preview_that_fails_says_so_beside_what_the_one_before_left(counter):
    counter.ask("preview", limit=3)
    counter.shop.stash.stop()
    with pytest.raises(UserError):
        counter.ask("preview")
    answer = counter.ask("preview_result")
    assert (len(answer["scenes"]), answer["is_running"], answer["last_run"]["ok"]) == (3, False, False)
    assert "Stash" in answer["last_run"]["sentence"]


def test_a_preview_of_the_first_scenes_writes_nothing_and_works_while_syncing_is_off(counter):
    counter.configure(enabled=False)
    counter.shop.forget_requests()
    assert sum(counter.ask("preview", limit=3)["counts"].values()) == 3
    assert len(counter.ask("preview_result")["scenes"]) == 3
    assert counter.shop.writes() == []
    assert counter.ask("last_task")["tasks"][0]["mode"] == "preview"


# Left out by hand


def test_a_scene_that_is_left_out_is_not_written_by_any_sync(counter):
    shop, key = counter.shop, counter.shop.key(1)
    shop.sync(1)
    before = shop.plex.item(key)
    counter.ask("ignore_scene", scene_id=1)
    shop.edit(1, title="Edited meanwhile")
    shop.sync(1)
    shop.sync_all()
    shop.sweep_and_work()
    assert shop.plex.item(key) == before
    assert shop.record(1).state is SceneState.IGNORED
    story = counter.explain(1)
    assert (story["state"], story["is_ignored"], story["plan"]["verdict"]) == ("ignored", True, "skipped")
    counter.ask("ignore_scene", scene_id=1, ignore=False)
    shop.work()
    assert shop.item(1).title == "Edited meanwhile"


def test_a_sweep_does_not_queue_a_scene_that_is_left_out(counter):
    counter.shop.sync_all()
    counter.ask("ignore_scene", ids=[1, 2])
    counter.shop.edit(1, title="Edited meanwhile")
    counter.shop.edit(3, title="Edited meanwhile")
    assert counter.shop.sweep() == {"scene:3"}


def test_an_undo_takes_back_what_was_written_for_a_scene_that_is_left_out_and_it_stays_out(counter):
    shop, key = counter.shop, counter.shop.key(1)
    before = shop.plex.item(key).title
    shop.sync(1)
    shop.work()
    counter.ask("ignore_scene", scene_id=1)
    counter.ask("undo", scene_id=1)
    assert shop.plex.item(key).title == before
    assert shop.record(1).state is SceneState.IGNORED


def test_the_targets_that_are_on_are_known_without_asking(counter):
    counter.ask("save_settings", values={"enabled": True})
    assert read_state(counter.folder.targets_state)["targets"]["plex"] == {"is_on": True, "url": counter.shop.plex.url}
