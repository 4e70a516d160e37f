"""The world changes in the middle: Stash, its sessions, clocks, settings, libraries, and our own code."""

import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sim.stash.faults import Fault as StashFault
from tests.prove.world import World, in_background


def test_stash_is_gone_and_comes_back(world, prove):
    world.bulk(details="Before it went")
    world.wait(lambda: world.plex.count("edit") >= 5)
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
    world.wait(lambda: world.plex.count("edit") >= 5)
    world.stash.restart(with_new_session_key=True)  # every cookie is worthless now
    time.sleep(3)
    world.stash.generate_api_key()
    world.save_new_title(world.ids[0])
    prove(world, undo=True)


def test_the_api_key_changes(world, prove):
    world.stash.set_credentials("me")
    world.stash.generate_api_key()
    world.save_all()
    world.wait(lambda: world.plex.count("edit") >= 5)
    world.stash.generate_api_key()
    for scene_id in world.ids[:5]:
        world.save_new_title(scene_id)
    prove(world, undo=True)


CLOCK = "        return time.time()"


@pytest.mark.parametrize(
    "seconds", [-86_400, -3600, 3600, 86_400 * 400], ids=["a day back", "an hour back", "an hour on", "a year on"]
)
def test_the_clock_is_set(tmp_path, prove, seconds):
    offset = tmp_path / "clock-offset"
    with World(tmp_path, scenes=30) as world:
        read = f"float(open({str(offset)!r}).read()) if __import__('os').path.exists({str(offset)!r}) else 0.0"
        world.plugin.change_constant("worker/clock.py", CLOCK, f"{CLOCK} + ({read})")
        world.save_all()
        world.plex.stop()
        for scene_id in world.ids[:5]:
            world.save_new_title(scene_id)
        time.sleep(2)
        offset.write_text(str(seconds))
        time.sleep(2)
        world.plex.start()
        world.save_new_title(world.ids[0])
        prove(world, undo=True)


def test_a_library_is_gone_for_a_while(tmp_path, prove):
    """With plex_library naming it, nothing can be found and nothing may be written; its sentence says what to mend."""
    with World(tmp_path, settings={"plex_library": "Scenes"}) as world:
        world.save_all()
        world.wait(lambda: world.plex.count("edit") >= 5)
        sections = world.plex.world.library.sections
        section = world.plex.section("Scenes")
        with world.plex.world.lock:
            del sections[section.id]
        world.plugin.kill_workers()
        for scene_id in world.ids[:5]:
            world.save_new_title(scene_id)
        world.wait(lambda: "Scenes" in str(world.wake().document), 20)
        said = str(world.wake().document)
        with world.plex.world.lock:
            sections[section.id] = section
        assert "Scenes" in said
        prove(world, undo=True)


def test_every_item_of_a_library_is_deleted_in_plex_and_made_anew(world, prove):
    world.save_all()
    world.wait(lambda: world.plex.count("edit") >= 10)
    for scene_id, key in list(world.keys.items()):
        world.keys[scene_id] = world.plex.rebuild(key)
    world.let_people_edit()
    world.ask({"mode": "clear_match_cache"})
    world.ask({"mode": "all"})
    prove(world, undo=True)


def test_settings_are_changed_in_the_middle(world, prove):
    world.save_all()
    world.wait(lambda: world.plex.count("edit") >= 5)
    values = {"plex_url": world.plex.url, "plex_token": world.plex.token, "reconcile_interval": 0}
    world.stash.configure_plugin("Stash2Plex", {**values, "plex_token": "wrong"})
    time.sleep(4)
    world.stash.configure_plugin("Stash2Plex", {**values, "enabled": False})
    world.save_new_title(world.ids[0])
    time.sleep(4)
    world.stash.configure_plugin("Stash2Plex", values)
    prove(world, undo=True)


def test_the_plugin_is_updated_in_the_middle(tmp_path, prove):
    with World(tmp_path, scenes=60) as world:
        world.bulk(details="By the old one")
        world.wait(lambda: world.plex.count("edit") >= 5)
        pid = world.plugin.wait_for_worker()
        version = world.plugin.plugin_dir / "runtime" / "version.py"
        version.write_text(version.read_text().replace('VERSION = "', 'VERSION = "9.'))
        assert world.wait(lambda: pid not in world.plugin.worker_pids())
        for scene_id in world.ids[:5]:
            world.save_new_title(scene_id)
        prove(world, undo=True)
        assert world.ask({"mode": "status"}).output["worker"]["version"].startswith("9.")


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


def test_a_library_is_deleted_for_good(world, prove):
    """Its scenes are in Plex no longer: each is explained, and nothing is written anywhere else."""
    world.save_all()
    world.wait(lambda: world.plex.count("edit") >= 10)
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
