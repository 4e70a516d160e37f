"""Preview: what would change, and applying all of it or a part."""

from playwright.sync_api import expect

from tests.ui.support.plugin_answers import preview, task_row
from tests.ui.support.waiting import settle

PREVIEW = "/plugins/stash2plex/preview"
NEVER = {**preview(0), "ran_at": None, "counts": dict.fromkeys(preview(0)["counts"], 0), "last_run": None}
RUNNING = {**NEVER, "is_running": True, "last_run": task_row("preview", ended_at=None, sentence=None)}


def test_changes_are_shown_field_by_field_and_what_is_kept_with_its_reason(open_tab, size):
    page = open_tab(size).open(PREVIEW)
    first = page.locator(".s2p-row").first
    expect(first).to_contain_text("clip-0001")
    expect(first.locator("ins", has_text="Blue Harbour")).to_be_visible()
    expect(first.locator("del", has_text="Old")).to_be_visible()
    expect(first).to_contain_text("My own words")
    expect(first).to_contain_text("Stash has: Harbour Films. Somebody changed it in Plex by hand.")
    expect(page.get_by_text("10 would change")).to_be_visible()


def test_what_would_change_stands_before_what_would_not(tab, plugin):
    made = preview(3)
    waits = {
        **made["scenes"][0],
        "scene_id": 77,
        "title": "Missing",
        "changes": [],
        "kept": [],
        "sentence": "Not found.",
    }
    plugin.answers["preview_result"] = {**made, "scenes": [waits, *made["scenes"]]}
    page = tab.open(PREVIEW)
    expect(page.locator(".s2p-row").first).to_contain_text("3 fields would change.")
    expect(page.locator(".s2p-row").last).to_contain_text("Not found.")


def test_three_of_ten_are_applied(open_tab, size, plugin):
    page = open_tab(size).open(PREVIEW)
    expect(page.get_by_role("button", name="Apply selected")).to_be_disabled()
    for number in (0, 2, 5):
        page.locator(".s2p-row input").nth(number).check()
    page.get_by_role("button", name="Apply to 3 scenes").click()
    expect(page.get_by_text("3 scenes queued.")).to_be_visible()
    assert plugin.asked("sync_scenes") == [{"ids": [1, 3, 6], "target": "plex"}]
    expect(page.get_by_role("button", name="Apply selected")).to_be_disabled()


def test_the_whole_page_is_selected_and_left_again(tab):
    page = tab.open(PREVIEW)
    page.get_by_label("Select all on this page").check()
    expect(page.get_by_role("button", name="Apply to 10 scenes")).to_be_enabled()
    page.get_by_label("Select all on this page").uncheck()
    expect(page.get_by_role("button", name="Apply selected")).to_be_disabled()


def test_everything_is_applied_after_a_question(open_tab, size, plugin):
    page = open_tab(size).open(PREVIEW)
    page.get_by_role("button", name="Apply everything").click()
    expect(page.get_by_role("dialog")).to_contain_text("Write all these changes to your servers?")
    page.get_by_role("dialog").get_by_role("button", name="Apply everything").click()
    expect(page.get_by_text("Started. You can watch it")).to_be_visible()
    assert plugin.tasks == [{"mode": "all"}]


def test_a_preview_is_made_and_appears_when_it_is_done(tab, plugin):
    plugin.answers["preview_result"] = NEVER
    page = tab.open(PREVIEW)
    expect(page.get_by_text("No preview was made yet.")).to_be_visible()

    page.get_by_role("button", name="Preview all scenes").click()
    expect(page.get_by_text("The preview waits in Stash's task queue.")).to_be_visible()
    plugin.answers["preview_result"] = RUNNING
    expect(page.get_by_text("The preview is running.")).to_be_visible()
    assert plugin.tasks == [{"mode": "preview"}]
    plugin.answers["preview_result"] = preview()
    expect(page.locator(".s2p-row")).to_have_count(10)
    expect(page.get_by_role("button", name="Preview again")).to_be_enabled()
    settle(page)
    asked = len(plugin.asked("preview_result"))
    page.wait_for_timeout(2500)
    assert len(plugin.asked("preview_result")) == asked


def test_nothing_to_change_is_good_news(tab, plugin):
    plugin.answers["preview_result"] = preview(0)
    page = tab.open(PREVIEW)
    expect(page.get_by_text("a sync would change nothing")).to_be_visible()


def test_a_result_appears_although_each_answer_takes_longer_than_the_page_waits(tab, plugin):
    plugin.answers["preview_result"] = NEVER
    plugin.seconds["preview_result"] = 2.4
    page = tab.open(PREVIEW)
    expect(page.get_by_text("No preview was made yet.")).to_be_visible()
    plugin.on_task = lambda _: plugin.answers.update(preview_result=RUNNING)
    page.get_by_role("button", name="Preview all scenes").click()
    expect(page.get_by_text("The preview is running.")).to_be_visible()
    plugin.answers["preview_result"] = preview()
    expect(page.locator(".s2p-row")).to_have_count(10)
    assert plugin.abandoned == []


def test_a_preview_that_failed_says_why_and_is_asked_for_no_more(open_tab, size, plugin):
    plugin.answers["preview_result"] = preview()
    page = open_tab(size).open(PREVIEW)
    failed = task_row("preview", began_at="2030-01-01T00:00:00+00:00", ok=False, sentence="Plex refuses the token.")
    plugin.on_task = lambda _: plugin.answers.update(preview_result={**preview(), "last_run": failed})
    page.get_by_role("button", name="Preview again").click()
    expect(page.get_by_role("alert")).to_have_text("The last preview failed: Plex refuses the token.")
    expect(page.locator(".s2p-row")).to_have_count(10)
    expect(page.get_by_role("button", name="Preview again")).to_be_enabled()
    settle(page)
    asked = len(plugin.asked("preview_result"))
    page.wait_for_timeout(5000)
    assert len(plugin.asked("preview_result")) == asked
