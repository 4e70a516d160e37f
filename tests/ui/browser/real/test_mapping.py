"""A scene whose file the server has under another name: found in the list of problems, and mapped by hand."""

from playwright.sync_api import expect

PAGE = "/plugins/stash2plex"


def test_an_unmatched_scene_is_mapped_by_hand(page, connected, stash, plex, items, shows):
    """The page is open before the worker has found out anything: the list fills by itself."""
    opened = page.open(f"{PAGE}/problems?state=waiting")
    expect(opened.get_by_text("No scene is in this state.")).to_be_visible()
    scene_id = list(stash.library.scenes)[-1]
    wanted = plex.add_item("/elsewhere/an-old-name.mp4", 7_654_321, 90_000)
    stash.save_scene(scene_id, title="Mapped by hand")
    row = opened.locator(".s2p-row").first
    expect(row.get_by_role("link", name="Mapped by hand")).to_be_visible(timeout=60_000)
    row.get_by_role("button", name="Choose item").click()
    row.get_by_role("searchbox").fill("old name")
    row.get_by_role("button", name="Search").click()
    row.get_by_role("button", name="Use this one: an-old-name").click()
    shows(wanted, "Mapped by hand")
    expect(opened.get_by_text("from now on; it is queued.")).to_be_visible()
    expect(opened.locator(".s2p-row")).to_have_count(0, timeout=60_000)


def test_the_refresh_button_asks_for_the_list_again(page, connected, stash, items, front):
    opened = page.open(f"{PAGE}/problems?state=waiting")
    expect(opened.get_by_role("group", name="State")).to_be_visible()
    asked = front.modes().count("scenes")
    with opened.expect_request(lambda request: '"scenes"' in (request.post_data or "")):
        opened.get_by_role("button", name="Refresh").click()
    assert front.modes().count("scenes") > asked
