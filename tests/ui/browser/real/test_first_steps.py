"""From nothing to a synced library, and the edits after it, with the real plugin."""

from pathlib import PurePosixPath

from playwright.sync_api import expect

PAGE = "/plugins/stash2plex"


def shown_title(stash, scene_id):
    """What Plex is to show: the title, or where there is none the name of the file."""
    scene = stash.library.scenes[scene_id]
    return scene.title or PurePosixPath(scene.files[0].path).stem


def test_from_nothing_to_a_synced_library(page, stash, plex, items, shows):
    opened = page.open()
    group = opened.get_by_role("group", name="Plex")
    group.get_by_label("Address").fill(plex.url)
    group.get_by_label("Token").fill(plex.token)
    opened.get_by_role("button", name="Save and test").click()
    opened.get_by_role("button", name="Show me ten scenes").click()
    expect(opened.locator(".s2p-row")).to_have_count(10, timeout=60_000)
    assert plex.item(items[1]).title != stash.library.scenes[1].title
    opened.get_by_role("button", name="Start syncing").click()
    expect(opened.get_by_role("article", name="Plex")).to_be_visible(timeout=60_000)
    for scene_id, item_id in items.items():
        shows(item_id, shown_title(stash, scene_id))


def test_who_typed_the_settings_into_stash_is_not_asked_to_set_up(page, connected, items):
    """No worker has read them yet, so the first status knows of no server."""
    expect(page.open().get_by_role("article", name="Plex")).to_be_visible(timeout=60_000)


def test_a_wrong_token_says_what_to_do_and_the_right_one_mends_it(page, plex, stash):
    stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": "wrong"})
    opened = page.open(f"{PAGE}/settings?group=plex")
    opened.get_by_role("button", name="Test connection").click()
    expect(opened.locator(".s2p-findings .s2p-bad").first).to_contain_text("token", timeout=60_000)
    opened.get_by_label("Plex token").fill(plex.token)
    opened.get_by_role("button", name="Save").click()
    expect(opened.get_by_text("Saved.")).to_be_visible(timeout=60_000)
    opened.get_by_role("button", name="Test connection").click()
    expect(opened.locator(".s2p-findings .s2p-bad")).to_have_count(0, timeout=60_000)
    assert stash.settings.plugins["Stash2Plex"]["plex_token"] == plex.token


def test_an_edit_in_stash_appears_and_the_tab_says_so(page, connected, items, shows):
    opened = page.open("/scenes/1")
    opened.get_by_role("tab", name="Edit").click()
    opened.get_by_label("Title").fill("Typed in the browser")
    opened.get_by_role("button", name="Save").click()
    shows(items[1], "Typed in the browser")
    opened.get_by_role("tab", name="Stash2Plex").click()
    expect(opened.get_by_role("region", name="Plex")).to_contain_text("In sync", timeout=60_000)


def test_three_of_ten_of_a_preview_are_applied_and_the_others_are_not(page, connected, stash, plex, items, shows):
    """What somebody wiped in Plex no hook tells; a preview finds it, and only what was chosen is written."""
    stash.save_scene(1, title="The first of all")
    for scene_id, item_id in items.items():
        shows(item_id, shown_title(stash, scene_id))
    wiped = dict(list(items.items())[:10])
    for item_id in wiped.values():
        plex.wipe(item_id)
    blank = {item_id: plex.item(item_id).title for item_id in wiped.values()}
    opened = page.open(f"{PAGE}/preview")
    opened.get_by_role("button", name="Preview all scenes").click()
    rows = opened.locator(".s2p-row").filter(has=opened.get_by_role("checkbox"))
    expect(rows).to_have_count(10, timeout=60_000)
    for number in (1, 3, 5):
        rows.nth(number).get_by_role("checkbox").check()
    opened.get_by_role("button", name="Apply to 3 scenes").click()
    chosen = [list(wiped)[number] for number in (1, 3, 5)]
    for scene_id in chosen:
        shows(items[scene_id], shown_title(stash, scene_id))
    others = [item_id for scene_id, item_id in wiped.items() if scene_id not in chosen]
    assert {item_id: plex.item(item_id).title for item_id in others} == {one: blank[one] for one in others}


def test_an_undo_puts_back_what_was_there(page, connected, stash, plex, items, shows):
    before = plex.item(items[2]).title
    stash.save_scene(2, title="Written and undone")
    shows(items[2], "Written and undone")
    opened = page.open("/scenes/2")
    opened.get_by_role("tab", name="Stash2Plex").click()
    opened.get_by_role("button", name="Undo for this scene").click()
    question = opened.get_by_role("dialog")
    expect(question.locator("ins", has_text=before).first).to_be_visible(timeout=60_000)
    assert plex.item(items[2]).title == "Written and undone"
    question.get_by_role("button", name="Put it back").click()
    shows(items[2], before)
