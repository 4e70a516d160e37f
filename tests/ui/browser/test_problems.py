"""Problems: scenes by state, each with the button that mends it."""

import pytest
from playwright.sync_api import expect

from tests.ui.support.plugin_answers import SceneStates, row, said, scenes_by_state, status, target

PROBLEMS = "/plugins/stash2plex/problems"


def first_row(page):
    return page.locator(".s2p-row").first


def test_the_list_begins_with_the_state_that_has_scenes(open_tab, size, plugin):
    page = open_tab(size).open(PROBLEMS)
    expect(first_row(page)).to_contain_text("3 items in Plex have this file name")
    assert plugin.asked("scenes") == [{"state": "ambiguous", "limit": 50}]


def test_an_ambiguous_scene_is_settled_by_choosing_a_candidate(open_tab, size, plugin):
    page = open_tab(size).open(PROBLEMS)
    first_row(page).get_by_role("button", name="Choose item").click()
    choice = first_row(page).get_by_role("region", name="Which item is it?")
    expect(choice.get_by_role("listitem")).to_have_count(3)
    expect(choice).to_contain_text("In use now: Same file name.")
    choice.get_by_role("button", name="Use this one: Candidate 2").click()
    expect(page.get_by_role("status").filter(has_text="Scene 1 is item 702 from now on.")).to_be_visible()
    assert plugin.asked("map_scene") == [{"scene_id": 1, "item_id": "702", "target": "plex"}]


def test_an_item_can_be_searched_for(open_tab, size, plugin):
    page = open_tab(size).open(f"{PROBLEMS}?state=waiting")
    first_row(page).get_by_role("button", name="Choose item").click()
    first_row(page).get_by_role("searchbox").fill("harbour")
    first_row(page).get_by_role("button", name="Search").click()
    first_row(page).get_by_role("button", name="Use this one: Harbour, uncut").click()
    expect(page.get_by_text("from now on.")).to_be_visible()
    assert plugin.asked("search_items") == [{"query": "harbour", "target": "plex", "limit": 20}]
    assert plugin.asked("map_scene")[0]["item_id"] == "812"


def test_a_refused_choice_says_why_and_stays_open(tab, plugin):
    plugin.answers["map_scene"] = {"ok": False, "sentence": "Item 702 belongs to scene 9."}
    page = tab.open(PROBLEMS)
    first_row(page).get_by_role("button", name="Choose item").click()
    page.get_by_role("button", name="Use this one: Candidate 2").click()
    expect(page.get_by_role("alert")).to_have_text("Item 702 belongs to scene 9.")
    expect(page.get_by_role("button", name="Use this one: Candidate 1")).to_be_visible()


@pytest.mark.parametrize(
    ("state", "button", "mode", "args"),
    [
        ("waiting", "Try again", "sync_scenes", {"ids": [1]}),
        ("waiting", "Scan folder", "scan_scene", {"scene_id": 1}),
        ("waiting", "Ignore", "ignore_scene", {"scene_id": 1, "ignore": True}),
        ("failed", "Try again", "retry", {"scene_ids": [1]}),
        ("refused", "Try again", "sync_scenes", {"ids": [1]}),
        ("undone", "Sync again", "sync_scenes", {"ids": [1]}),
        ("ignored", "Stop ignoring", "ignore_scene", {"scene_id": 1, "ignore": False}),
        ("skipped", "Ignore", "ignore_scene", {"scene_id": 1, "ignore": True}),
    ],
)
def test_every_button_of_a_row_asks_for_what_it_says(open_tab, size, plugin, state, button, mode, args):
    scenes = SceneStates(**{state: 2})
    plugin.answers["scenes"] = scenes.listed
    plugin.answers["status"] = status(targets=[target("Plex", scenes=scenes_by_state(**{state: 2}))])
    page = open_tab(size).open(f"{PROBLEMS}?state={state}")
    expect(page.locator(".s2p-row")).to_have_count(2)
    scenes.take([1])
    first_row(page).get_by_role("button", name=button).click()
    expect(page.locator(".s2p-row")).to_have_count(1)
    assert plugin.asked(mode) == [{"target": "plex", **args}]


def test_a_choice_can_be_taken_back(tab, plugin):
    plugin.answers["scenes"] = {"scenes": [row(1, "waiting", pinned_to="702")], "next": None, "total": 1}
    page = tab.open(f"{PROBLEMS}?state=waiting")
    page.get_by_role("button", name="Undo my choice").click()
    expect(page.get_by_text("Your choice is forgotten.")).to_be_visible()
    assert plugin.asked("unmap_scene") == [{"scene_id": 1, "target": "plex"}]


def test_a_selection_is_tried_again_and_ignored(open_tab, size, plugin):
    page = open_tab(size).open(f"{PROBLEMS}?state=waiting")
    for number in (0, 1):
        page.locator(".s2p-row input").nth(number).check()
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.locator(".s2p-selection").get_by_role("button", name="Try again").click()
    expect(page.get_by_text("2 scenes queued.")).to_be_visible()
    page.get_by_label("Select all on this page").check()
    page.locator(".s2p-selection").get_by_role("button", name="Ignore").click()
    expect(page.get_by_text("Left out from now on.")).to_be_visible()
    assert plugin.asked("sync_scenes") == [{"target": "plex", "ids": [1, 2]}]
    assert plugin.asked("ignore_scene") == [{"target": "plex", "ids": list(range(1, 15)), "ignore": True}]


def test_everything_given_up_is_tried_again_or_forgotten_after_a_question(tab, plugin):
    page = tab.open(f"{PROBLEMS}?state=failed")
    page.get_by_role("button", name="Try all again").click()
    expect(page.get_by_text("2 jobs are tried again.")).to_be_visible()
    page.get_by_role("button", name="Forget all").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert plugin.asked("discard") == []
    page.get_by_role("button", name="Forget all").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget all").click()
    expect(page.get_by_text("2 jobs forgotten.")).to_be_visible()
    assert plugin.asked("retry") == plugin.asked("discard") == [{"all": True}]


def test_one_server_alone_can_be_looked_at(tab, plugin):
    page = tab.open(PROBLEMS)
    expect(page.locator(".s2p-row")).to_have_count(6)
    page.get_by_role("button", name="Jellyfin").click()
    expect(page.get_by_text("No scene is in this state.")).to_be_visible()
    assert plugin.asked("scenes")[-1]["target"] == "jellyfin"


def test_ten_thousand_problems_come_a_page_at_a_time(open_tab, size, plugin):
    plugin.answers["scenes"] = SceneStates(waiting=10_000).listed
    many = target("Plex", scenes=scenes_by_state(waiting=10_000))
    plugin.answers["status"] = status(targets=[many])
    page = open_tab(size).open(PROBLEMS)
    expect(page.get_by_text("50 of 10,000")).to_be_visible()
    expect(page.locator(".s2p-row")).to_have_count(50)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Page 2")).to_be_visible()
    expect(page.get_by_text("clip-0051.mp4").first).to_be_visible()
    expect(page.locator(".s2p-row")).to_have_count(50)
    page.get_by_role("button", name="Previous").click()
    expect(page.get_by_text("clip-0001.mp4").first).to_be_visible()
    assert [call.get("after") for call in plugin.asked("scenes")] == [None, "50", None]


def test_a_scene_that_was_never_synced_has_the_title_that_stash_has(tab, plugin, stash, front):
    stash.library.scenes[2].title = ""
    rows = [row(1, "waiting", title=None), row(2, "waiting", title=None), row(99, "waiting", title=None)]
    plugin.answers["scenes"] = {"scenes": rows, "next": None, "total": 3}
    page = tab.open(f"{PROBLEMS}?state=waiting")
    expect(page.get_by_role("link", name=stash.library.scenes[1].title, exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=stash.library.scenes[2].files[0].path.rpartition("/")[2])).to_be_visible()
    expect(page.get_by_role("link", name="Scene 99")).to_be_visible()
    assert len(front.asked("Stash2PlexTitles")) == 1


def test_an_error_says_its_sentence_and_the_list_comes_back(tab, plugin):
    plugin.errors["scenes"] = "The ledger is being repaired. Try again in a minute."
    page = tab.open(PROBLEMS)
    expect(page.get_by_role("alert")).to_contain_text("The ledger is being repaired.")
    del plugin.errors["scenes"]
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(page.locator(".s2p-row")).to_have_count(6)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_list_follows_what_the_status_counts_and_is_not_exchanged_under_the_hands(tab, plugin):
    scenes = SceneStates(waiting=1)
    plugin.answers["scenes"] = scenes.listed
    plugin.answers["status"] = status(targets=[target("Plex", scenes=scenes_by_state(waiting=1))])
    page = tab.open(PROBLEMS)
    expect(page.locator(".s2p-row")).to_have_count(1)
    plugin.answers["scenes"] = SceneStates(waiting=3, ambiguous=2).listed
    plugin.answers["status"] = status(targets=[target("Plex", scenes=scenes_by_state(waiting=3, ambiguous=2))])
    expect(page.locator(".s2p-row")).to_have_count(3)
    expect(page.get_by_role("button", name="Not found yet")).to_have_attribute("aria-pressed", "true")


def test_a_selection_that_did_not_work_says_so(open_tab, size, plugin):
    plugin.answers["sync_scenes"] = said("Plex does not know these scenes.", ok=False)
    page = open_tab(size).open(f"{PROBLEMS}?state=waiting")
    page.locator(".s2p-row input").first.check()
    page.locator(".s2p-selection").get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_text("Plex does not know these scenes.")
