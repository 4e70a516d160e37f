"""The world changes in the middle: Stash, its sessions, clocks, settings, libraries, and our own code."""

import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sim.stash.faults import Fault as StashFault
from tests.prove.judge import complaints, verdict
from tests.prove.world import LOOK_SECONDS, QUICKER, World, in_background


def test_stash_is_gone_and_comes_back(world, prove):
    world.bulk(details="Before it went")
    world.until(lambda: world.plex.count("edit") >= 5)
    world.stash.go_away()
    time.sleep(4)
    world.stash.come_back()
    for scene_id in world.ids[:5]:
        world.save_new_title(scene_id)
    prove(world, undo=True)


def test_stash_refuses_its_own_database(world, prove):
    world.save_all()
    world.stash.fail_with(StashFault.DATABASE_LOCKED, times=8)
    prove(world)


def test_the_cookie_expires_and_a_key_is_generated(world, prove):
    world.stash.set_credentials("me")
    world.save_all()
    world.until(lambda: world.plex.count("edit") >= 5)
    world.stash.restart(with_new_session_key=True)  # every cookie is worthless now
    time.sleep(3)
    world.stash.generate_api_key()
    world.save_new_title(world.ids[0])
    prove(world, undo=True)


def test_the_api_key_changes(world, prove):
    world.stash.set_credentials("me")
    world.stash.generate_api_key()
    world.save_all()
    world.until(lambda: world.plex.count("edit") >= 5)
    world.stash.generate_api_key()
    for scene_id in world.ids[:5]:
        world.save_new_title(scene_id)
    prove(world, undo=True)


@pytest.mark.parametrize(
    "seconds", [-86_400, -3600, 3600, 86_400 * 400], ids=["a day back", "an hour back", "an hour on", "a year on"]
)
def test_the_clock_is_set(tmp_path, prove, seconds):
    offset = tmp_path / "clock-offset"
    with World(tmp_path, scenes=30) as world:
        double = "tests.support.plugin.moved_clock:MovedClock"
        world.plugin.replace("runtime.clock.SystemClock", double, offset_file=str(offset))
        world.save_all()
        world.plex.stop()
        for scene_id in world.ids[:5]:
            world.save_new_title(scene_id)
        time.sleep(2)
        fresh = tmp_path / "fresh-offset"
        fresh.write_text(str(seconds))
        fresh.rename(offset)  # never read half written
        time.sleep(2)
        world.plex.start()
        world.save_new_title(world.ids[0])
        prove(world, undo=True)


def test_a_library_is_gone_for_a_while(tmp_path, prove):
    """With plex_library naming it, nothing can be found and nothing may be written; its sentence says what to mend."""
    with World(tmp_path, settings={"plex_library": "Scenes"}) as world:
        world.save_all()
        world.until(lambda: world.plex.count("edit") >= 5)
        with world.plex.without_section("Scenes"):
            world.plugin.kill_workers()
            for scene_id in world.ids[:5]:
                world.save_new_title(scene_id)
            world.until(lambda: "Scenes" in str(world.wake().document))
        prove(world, undo=True)


def test_every_item_of_a_library_is_deleted_in_plex_and_made_anew(world, prove):
    world.save_all()
    world.until(lambda: world.plex.count("edit") >= 10)
    for scene_id, key in list(world.keys.items()):
        world.keys[scene_id] = world.plex.rebuild(key)
    world.let_people_edit()
    world.ask({"mode": "clear_match_cache"})
    world.ask({"mode": "all"})
    prove(world, undo=True)


def test_settings_are_changed_in_the_middle(world, prove):
    world.save_all()
    world.until(lambda: world.plex.count("edit") >= 5)
    values = {"plex_url": world.plex.url, "plex_token": world.plex.token, "reconcile_interval": 0}
    world.stash.configure_plugin("Stash2Plex", {**values, "plex_token": "wrong"})
    world.until(lambda: world.save_new_title(world.ids[0]) or any(one.status == 401 for one in world.plex.requests))
    world.stash.configure_plugin("Stash2Plex", {**values, "enabled": False})
    world.save_new_title(world.ids[0])
    world.until(lambda: "enabled" in str(world.wake().document))
    world.stash.configure_plugin("Stash2Plex", {**values, "enabled": True})
    prove(world, undo=True)


def test_a_settings_page_that_was_open_before_wipes_what_others_wrote(world, prove):
    """Stash's page sends its old copy back whole; the page is true after a look, and nothing stops."""
    page = world.stash.open_settings_page()
    world.save_all()
    stored = world.stash.settings.plugins
    assert world.wait(lambda: stored["Stash2Plex"].get("sync_tags") is True, 20)
    world.stash.open_settings_page().change("Stash2Plex", "max_retries", 7)
    time.sleep(2 * LOOK_SECONDS + 2)  # the worker has seen it
    page.change("Stash2Plex", "debug_logging", True)
    assert world.wait(lambda: stored["Stash2Plex"].get("sync_tags") is True, 10)
    shown = world.stash.open_settings_page()
    assert (shown.shows("Stash2Plex", "max_retries"), shown.shows("Stash2Plex", "debug_logging")) == (5, True)
    assert shown.shows("Stash2Plex", "plex_token") == world.plex.token
    world.save_new_title(world.ids[0])
    prove(world, undo=True)


def test_the_plugin_is_updated_in_the_middle(tmp_path, prove):
    with World(tmp_path, scenes=60) as world:
        world.bulk(details="By the old one")
        world.until(lambda: world.plex.count("edit") >= 5)
        pid = world.plugin.wait_for_worker()
        world.plugin.install_version("9.9.9")
        assert world.wait(lambda: pid not in world.plugin.worker_pids())
        for scene_id in world.ids[:5]:
            world.save_new_title(scene_id)
        prove(world, undo=True)
        assert world.ask({"mode": "status"}).output["worker"]["version"] == "9.9.9"


def test_the_plugin_is_removed_and_installed_again(tmp_path, prove):
    with World(tmp_path, scenes=30) as world:
        world.save_all()
        kept = tmp_path / "kept"
        shutil.move(world.plugin.plugin_dir, kept)
        time.sleep(3)
        shutil.move(kept, world.plugin.plugin_dir)
        world.save_new_title(world.ids[0])
        prove(world, undo=True)


def test_everything_is_edited_again_and_again_while_it_drains(tmp_path, prove):
    with World(tmp_path, scenes=40) as world:
        first = in_background(world.save_all)
        world.save_all(at_once=4)
        first.join(120)
        prove(world, undo=True)


def test_performers_are_renamed_and_tags_merged_while_plex_is_down(world, prove):
    world.save_all()
    world.plex.stop()
    world.stash.graphql('mutation { performerUpdate(input: { id: "1", name: "A new name" }) { id } }')
    world.stash.graphql('mutation { tagUpdate(input: { id: "1", name: "A new tag" }) { id } }')
    time.sleep(2)
    world.plex.start()
    prove(world, undo=True)


SOON_SECONDS = 20.0


@pytest.fixture
def unhurried(tmp_path):
    """A world that is right already, whose worker looks as often as it does for people."""
    with World(tmp_path, scenes=20, quicker={}) as world:
        world.save_all()
        assert verdict(world) == []
        yield world


def short_jobs(world):
    """Auto-tag, a cover set from the current frame, a renamed folder found by a scan: none of them calls a hook."""
    events, library = world.stash.events, world.stash.library
    for scene_id in world.ids[:3]:
        new = next(one for one in library.tags if one not in library.scenes[scene_id].tag_ids)
        world.run_job(lambda scene_id=scene_id, new=new: events.auto_tag(scene_id, (new,)))
    time.sleep(1)  # covers are told apart by the second
    world.stash.graphql(f'mutation {{ sceneGenerateScreenshot(id: "{world.ids[4]}") }}')


def merged_performers(world):
    popular = max(
        world.stash.library.performers, key=lambda one: len(world.stash.library.scenes_with("performer", one))
    )
    other = next(one for one in world.stash.library.performers if one != popular)
    world.stash.graphql(
        f'mutation {{ performerMerge(input: {{ source: ["{popular}"], destination: "{other}" }}) {{ id }} }}'
    )


def merged_scenes(world):
    into, of = world.ids[0], world.lacking[0]
    values = f'values: {{ id: "{into}", title: "Both in one" }}'
    world.stash.graphql(
        f'mutation {{ sceneMerge(input: {{ source: ["{of}"], destination: "{into}", {values} }}) {{ id }} }}'
    )


def edited_while_switched_off(world):
    for is_on in ("false", "true"):
        world.stash.graphql(f"mutation {{ setPluginsEnabled(enabledMap: {{ Stash2Plex: {is_on} }}) }}")
        if is_on == "false":
            world.wait(lambda: "disabled in Stash" in world.plugin.log(), 20)
            world.save_new_title(world.ids[0])


def edited_while_switched_off_for_a_moment(world):
    for is_on in ("false", "true"):
        world.stash.graphql(f"mutation {{ setPluginsEnabled(enabledMap: {{ Stash2Plex: {is_on} }}) }}")
        if is_on == "false":
            world.save_new_title(world.ids[0])


@pytest.mark.parametrize(
    "change",
    [short_jobs, merged_performers, merged_scenes, edited_while_switched_off, edited_while_switched_off_for_a_moment],
    ids=lambda change: change.__name__.replace("_", " "),
)
def test_what_no_hook_tells_is_in_plex_within_twenty_seconds(unhurried, prove, change):
    change(unhurried)
    assert unhurried.wait(lambda: not complaints(unhurried), SOON_SECONDS), list(complaints(unhurried))
    prove(unhurried, undo=True)


def files_go(world, new_owners):
    """Rename files on the disk so that each scene's file lies where another's lay; Plex has noticed, no hook is called.

    `new_owners` says by scene whose place its file took.
    """
    library, plex = world.stash.library, world.plex.world
    with library.lock, plex.lock:
        paths = {one: library.scenes[one].path for one in new_owners}
        before = {one: (world.keys[one], world.originals[one]) for one in new_owners}
        for scene_id, place in new_owners.items():
            scene = library.scenes[scene_id]
            (file,) = scene.files
            file.path = paths[place]
            key, original = before[place]
            (part,) = plex.library.items[int(key)].parts
            part.size, part.duration = file.size, int(file.duration * 1000)
            world.keys[scene_id], world.originals[scene_id] = key, original
            world.former[key] += library.scenes[place].cover_version


def swapped(world):
    one, other, *_ = world.ids
    files_go(world, {one: other, other: one})


def renumbered(world):
    files_go(world, dict(zip(world.ids[:6], (*world.ids[1:6], world.ids[0]), strict=True)))


@pytest.mark.parametrize("change", [swapped, renumbered], ids=lambda change: change.__name__)
@pytest.mark.parametrize("found_by", ["a job", "saves"])
def test_files_are_swapped(world, prove, change, found_by):
    """The items go with the files: each shows the scene whose file it holds now, and an undo leaves what was there."""
    world.save_all()
    assert verdict(world) == []
    if found_by == "a job":
        world.run_job(lambda: change(world), "Scanning...")
    else:
        change(world)
        for scene_id in world.ids[:6]:
            world.save_new_title(scene_id)
    prove(world, undo=True)


LEFT_SOON = {"sync.scenes.left_items.LEFT_SECONDS": 2.0}


@pytest.mark.parametrize("how", ["mapped elsewhere", "its file went"])
def test_an_item_that_a_scene_has_left_shows_what_was_there_before_us(tmp_path, prove, how):
    with World(tmp_path, scenes=20, quicker=QUICKER | LEFT_SOON) as world:
        world.save_all()
        assert verdict(world) == []
        for scene_id in world.ids[:3]:
            move_elsewhere(world, scene_id, by_hand=how == "mapped elsewhere")
        prove(world, undo=True)


def move_elsewhere(world, scene_id, *, by_hand):
    """Have the scene be another item's from now on, because a person said so or because it has another file."""
    left, path = world.keys[scene_id], f"/data/clips/another place/{scene_id}.mp4"
    key = world.plex.add_item(world.target_path(path), 77_000 + scene_id, 61_000)
    world.left[left] = world.originals[scene_id]
    world.keys[scene_id], world.originals[scene_id] = key, world.plex.item(key)
    if by_hand:
        world.ask({"mode": "map_scene", "scene_id": scene_id, "item_id": key})
        return
    with world.stash.library.lock:
        scene = world.stash.library.scenes[scene_id]
        scene.files = (world.stash.library.new_file(path, 77_000 + scene_id),)
    world.save_new_title(scene_id)


def test_a_library_is_deleted_for_good(world, prove):
    """Its scenes are in Plex no longer: each is explained, and nothing is written anywhere else."""
    world.save_all()
    world.until(lambda: world.plex.count("edit") >= 10)
    for key in world.keys.values():
        world.plex.delete(key)
    world.keys = {}
    world.ask({"mode": "all"})
    prove(world)


TASKS = ("all", "recent", "reconcile", "process_queue", "preview", "health_check", "retry_failed", "clear_match_cache")


def test_every_task_runs_at_once_during_a_drain(tmp_path, prove):
    with World(tmp_path, scenes=60) as world:
        drain = in_background(lambda: world.bulk(details="Drained"))
        with ThreadPoolExecutor(len(TASKS)) as pool:
            told = list(pool.map(lambda mode: world.ask({"mode": mode}), TASKS))
        drain.join(60)
        assert [one.document for one in told if "a bug of ours" in str(one.document)] == []
        prove(world, undo=True)


def test_hooks_are_killed_as_stash_kills_them(tmp_path, prove):
    """Closing the browser tab kills the hooks of a Save wherever they are; what they did not queue, a sweep finds."""
    chance = random.Random(5)
    with World(tmp_path, scenes=40) as world:
        world.save_new_title(world.ids[0])
        for scene_id in world.ids:
            with world.stash.library.lock:
                scene = world.stash.library.scenes[scene_id]
                scene.title = f"Killed {scene_id}"
                world.stash.library.touch(scene)
            hook = world.start_hook(scene_id)
            time.sleep(chance.uniform(0.0, 0.04))
            hook.kill()
            hook.communicate()
        world.ask({"mode": "reconcile"})
        prove(world, undo=True)
