"""Settings: each field says what is wrong with it, nothing typed is lost, secrets take Stash's own way."""

import pytest
from playwright.sync_api import expect

from tests.ui.support.plugin_answers import LIBRARIES, TEST_BAD, said, setting, settings_schema
from tests.ui.support.waiting import settle

SETTINGS = "/plugins/stash2plex/settings"


def field(page, key):
    return page.locator(f"[data-setting={key}]")


def test_groups_defaults_and_where_a_value_comes_from(open_tab, size):
    page = open_tab(size).open(SETTINGS)
    expect(page.get_by_label("Plex address")).to_have_value("http://192.168.1.10:32400")
    page.get_by_role("button", name="General").click()
    expect(field(page, "max_tags")).to_contain_text("Default: 100.")
    expect(field(page, "read_timeout")).to_contain_text("Default: 30. From stash2plex.json.")
    expect(page.get_by_label("Enabled")).to_be_checked()
    assert "group=general" in page.url


def test_what_is_changed_is_saved_and_nothing_else(open_tab, size, plugin):
    page = open_tab(size).open(f"{SETTINGS}?group=general")
    page.get_by_text("Only organized").click()
    page.get_by_label("Max tags").fill("250")
    page.get_by_label("Tags as").select_option("both")
    expect(page.get_by_text("3 changes are not saved")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert plugin.asked("save_settings") == [{"values": {"only_organized": True, "max_tags": 250, "tags_as": "both"}}]
    expect(page.get_by_role("button", name="Save")).to_have_count(0)


@pytest.mark.parametrize(
    ("group", "label", "typed", "key", "sentence"),
    [
        ("general", "Max tags", "many", "max_tags", "A number is needed."),
        ("general", "Max tags", "900", "max_tags", "Between 1 and 500."),
        ("plex", "Plex address", "192.168.1.10:32400", "plex_url", "An address starts with http:// or https://."),
        ("plex", "Plex address", "http://my plex", "plex_url", "There are spaces in the middle."),
    ],
)
def test_a_wrong_value_is_named_beside_its_field_before_it_is_saved(tab, plugin, group, label, typed, key, sentence):
    page = tab.open(f"{SETTINGS}?group={group}")
    page.get_by_label(label).fill(typed)
    expect(field(page, key)).to_contain_text(sentence)
    expect(page.get_by_label(label)).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("1 field needs another look.")).to_be_visible()
    settle(page)
    assert plugin.asked("save_settings") == []
    expect(page.get_by_label(label)).to_have_value(typed)


def test_what_the_plugin_dislikes_is_named_beside_the_field_and_kept(open_tab, size, plugin):
    sentence = "No server is there: port 1 refuses."
    plugin.answers["save_settings"] = said(
        "1 of 2 saved.", ok=False, saved=["plex_library"], problems=[{"key": "plex_url", "sentence": sentence}]
    )
    page = open_tab(size).open(SETTINGS)
    page.get_by_label("Plex address").fill("http://10.0.0.1:1")
    page.get_by_label("Plex libraries").fill("Films")
    page.get_by_role("button", name="Save").click()
    expect(field(page, "plex_url")).to_contain_text(sentence)
    expect(page.get_by_label("Plex address")).to_have_value("http://10.0.0.1:1")
    expect(page.get_by_text("1 change is not saved")).to_be_visible()
    page.get_by_label("Plex address").fill("http://10.0.0.2:1")
    expect(field(page, "plex_url")).not_to_contain_text(sentence)


def test_a_problem_that_is_already_there_stands_beside_its_field(tab, plugin):
    schema = settings_schema()
    schema["groups"][3]["settings"][3]["problem"] = "max_tags: 0 is too few."
    schema["problems"] = [{"key": None, "sentence": "stash2plex.json cannot be read."}]
    plugin.answers["settings_schema"] = schema
    page = tab.open(SETTINGS)
    expect(page.get_by_text("stash2plex.json cannot be read.")).to_be_visible()
    page.get_by_role("button", name="General").click()
    expect(field(page, "max_tags")).to_contain_text("max_tags: 0 is too few.")


def test_an_error_while_saving_loses_nothing(tab, plugin):
    plugin.errors["save_settings"] = "The disk is full."
    page = tab.open(SETTINGS)
    page.get_by_label("Plex address").fill("http://10.0.0.1:32400")
    page.get_by_label("Plex token").fill("typed-token")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("The disk is full.")
    expect(page.get_by_label("Plex address")).to_have_value("http://10.0.0.1:32400")
    expect(page.get_by_label("Plex token")).to_have_value("typed-token")


def test_what_was_typed_outlives_other_parts_and_a_reload(tab):
    page = tab.open(SETTINGS)
    page.get_by_label("Plex address").fill("http://10.0.0.1:32400")
    page.get_by_label("Plex token").fill("typed-token")
    page.get_by_role("link", name="History", exact=True).click()
    page.get_by_role("link", name="Settings").last.click()
    expect(page.get_by_label("Plex address")).to_have_value("http://10.0.0.1:32400")
    expect(page.get_by_label("Plex token")).to_have_value("typed-token")
    page.reload()
    expect(page.get_by_label("Plex address")).to_have_value("http://10.0.0.1:32400")
    expect(page.get_by_label("Plex token")).to_have_value("")
    expect(page.get_by_text("What you had typed is back.")).to_be_visible()
    assert "typed-token" not in page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})")


def test_changes_can_be_discarded(tab):
    page = tab.open(SETTINGS)
    page.get_by_label("Plex address").fill("http://10.0.0.1:32400")
    page.get_by_role("button", name="Discard changes").click()
    expect(page.get_by_label("Plex address")).to_have_value("http://192.168.1.10:32400")
    page.get_by_label("Plex address").fill("http://x")
    page.get_by_label("Plex address").fill("http://192.168.1.10:32400")
    expect(page.get_by_role("button", name="Save")).to_have_count(0)


def test_a_secret_goes_to_stash_merged_with_a_fresh_copy_and_through_no_operation(open_tab, size, plugin, front, stash):
    page = open_tab(size).open(SETTINGS)
    expect(page.get_by_label("Plex token")).to_have_value("")
    stash.configure_plugin("Stash2Plex", {"plex_token": "a-token", "max_tags": 7, "from_another_tab": "kept"})
    page.get_by_label("Plex token").fill("a-brand-new-token")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert stash.settings.plugins["Stash2Plex"] == {
        "plex_token": "a-brand-new-token",
        "max_tags": 7,
        "from_another_tab": "kept",
    }
    assert "a-brand-new-token" not in str(plugin.calls)
    assert "a-brand-new-token" not in str([one.answer for one in front.asked()])
    expect(page.get_by_label("Plex token")).to_have_value("")


def test_a_secret_is_removed_only_on_purpose(tab, stash):
    page = tab.open(SETTINGS)
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Will be removed when you save.")).to_be_visible()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert stash.settings.plugins["Stash2Plex"]["plex_token"] == ""


def test_the_connection_is_tested_line_by_line(open_tab, size, plugin):
    plugin.answers["test_connection"] = TEST_BAD
    page = open_tab(size).open(SETTINGS)
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("Plex refuses the token. Get a new one and save it.")).to_be_visible()
    expect(page.get_by_text("Plex answers.")).to_be_visible()
    assert plugin.asked("test_connection") == [{"target": "plex"}]


def test_libraries_are_chosen_by_name(open_tab, size, plugin):
    page = open_tab(size).open(SETTINGS)
    page.get_by_role("button", name="Choose by name").click()
    page.get_by_label("Films /media/films").check()
    page.get_by_label("Clips /media/clips").check()
    expect(page.get_by_label("Plex libraries")).to_have_value("Films, Clips")
    page.get_by_label("Films /media/films").uncheck()
    expect(page.get_by_label("Plex libraries")).to_have_value("Clips")
    assert plugin.asked("libraries") == [{"target": "plex"}]


def test_a_server_that_gives_no_libraries_says_why(tab, plugin):
    plugin.answers["libraries"] = {**LIBRARIES, "ok": False, "sentence": "Plex is down since 9:00.", "libraries": []}
    page = tab.open(SETTINGS)
    page.get_by_role("button", name="Choose by name").click()
    expect(page.get_by_text("Plex is down since 9:00.")).to_be_visible()


def test_the_path_map_shows_rules_coverage_misfits_and_a_proposal_that_can_be_used(open_tab, size, plugin):
    page = open_tab(size).open(SETTINGS)
    page.get_by_role("button", name="Check the files").click()
    part = field(page, "path_map")
    expect(part).to_contain_text("9,812 of 9,940 files found")
    expect(part).to_contain_text("Found out by comparing files")
    expect(part).to_contain_text("/data/elsewhere/a.mp4")
    expect(part).to_contain_text("looked for as /media/films/b.mp4")
    part.get_by_role("button", name="Use this proposal").click()
    expect(part.get_by_label("Folder as Stash sees it")).to_have_count(2)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    rules = "/data/clips=>/media/films; /data/more=>/media/more"
    assert plugin.asked("save_settings") == [{"values": {"path_map": rules}}]


def test_the_marks_of_the_path_map_do_not_scramble_what_is_typed(open_tab, size, plugin):
    page = open_tab(size).open(SETTINGS)
    part = field(page, "path_map")
    part.get_by_role("button", name="Add a rule").click()
    part.get_by_label("Folder as Stash sees it").press_sequentially("/a;b=>c")
    expect(part.get_by_label("Folder as Stash sees it")).to_have_count(1)
    expect(part.get_by_label("Folder as Stash sees it")).to_have_value("/a;b=>c")
    expect(part).to_contain_text("A folder with ; or => in its name cannot be in a rule.")
    page.reload()
    expect(part.get_by_label("Folder as Stash sees it")).to_have_value("/a;b=>c")
    part.get_by_label("Folder as Stash sees it").fill("/a")
    part.get_by_label("Folder as the server sees it").fill("/b")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert plugin.asked("save_settings") == [{"values": {"path_map": "/a=>/b"}}]


def test_enter_saves(open_tab, size, plugin):
    page = open_tab(size).open(SETTINGS)
    page.get_by_label("Plex address").fill("http://10.0.0.1:32400")
    page.get_by_label("Plex address").press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert plugin.asked("save_settings") == [{"values": {"plex_url": "http://10.0.0.1:32400"}}]


def test_many_switches_stand_in_two_columns_where_there_is_room(open_tab, size, plugin):
    schema = settings_schema()
    switches = [setting(f"sync_{number}", f"Switch {number}", "boolean") for number in range(8)]
    schema["groups"].append({"id": "written", "title": "What is written", "settings": switches})
    plugin.answers["settings_schema"] = schema
    page = open_tab(size).open(f"{SETTINGS}?group=written")
    first, second = (field(page, f"sync_{number}").bounding_box() for number in range(2))
    assert (first["y"] == second["y"]) == (size == "wide")


def test_rules_are_typed_and_half_a_rule_is_named(tab):
    page = tab.open(SETTINGS)
    part = field(page, "path_map")
    part.get_by_role("button", name="Add a rule").click()
    part.get_by_label("Folder as Stash sees it").fill("/data")
    expect(part).to_contain_text("Each rule needs a folder on both sides.")
    part.get_by_label("Folder as the server sees it").press_sequentially("/my media")
    expect(part).not_to_contain_text("Each rule needs")
    expect(part.get_by_label("Folder as the server sees it")).to_have_value("/my media")
    part.get_by_role("button", name="Remove rule 1").click()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
