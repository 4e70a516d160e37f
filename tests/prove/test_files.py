"""Whatever becomes of our files, one by one: it is noticed, said, and made good from what Stash and Plex hold."""

import os
import shutil

import pytest

from tests.prove.world import World
from tests.support.machine.small_disk import fill, remount, small_disk

NONSENSE = (b"", b"{", b"\xff\xfe\x00", b"[[[[", b'{"state": 7, "opened_at": "soon"}', b'{"opened_at": 1e300}')
STATE_FILES = (
    "circuit_breaker.json",
    "recovery_state.json",
    "stats.json",
    "device.json",
    "worker.json",
    "privacy.json",
)


# Without the ledger nobody knows whose a locked value is that differs from Stash's. Told to, we keep it.
STASH_RULES = {"preserve_plex_edits": False}


def damage(path):
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        for place in range(0, size, 4096):
            file.seek(place)
            file.write(os.urandom(min(512, size - place)))


@pytest.mark.parametrize("while_alive", [True, False], ids=["under the worker", "between two workers"])
@pytest.mark.parametrize("what", ["queue", "ledger"])
def test_a_damaged_database(tmp_path, prove, what, while_alive):
    with World(tmp_path, settings=STASH_RULES) as world:
        world.save_all()
        world.until(lambda: world.plex.count("edit") >= 10)
        if not while_alive:
            world.plugin.kill_workers()
        damage(
            world.plugin.data.target("plex").ledger if what == "ledger" else f"{world.plugin.data.queue_dir}/data.db"
        )
        for scene_id in world.ids[:3]:
            world.save_new_title(scene_id)
        world.ask({"mode": "reconcile"})  # which the worker does by itself every hour: what it has in memory is sound
        prove(world)


@pytest.mark.parametrize("what", ["queue", "ledger.db", "everything"])
def test_deleted_under_the_worker(tmp_path, prove, what):
    with World(tmp_path, settings=STASH_RULES) as world:
        world.save_all()
        world.until(lambda: world.plex.count("edit") >= 10)
        if what == "everything":
            shutil.rmtree(world.plugin.data.root)
        elif what == "queue":
            shutil.rmtree(world.plugin.data.queue_dir)
        else:
            for suffix in ("", "-wal", "-shm"):
                if os.path.exists(world.plugin.data.target("plex").ledger + suffix):
                    os.remove(world.plugin.data.target("plex").ledger + suffix)
        for scene_id in world.ids[:3]:
            world.save_new_title(scene_id)
        prove(world)


@pytest.mark.parametrize("name", STATE_FILES)
def test_nonsense_in_a_state_file(world, prove, name):
    for text in NONSENSE:
        world.save_new_title(world.ids[0])
        world.plugin.kill_workers()
        with open(os.path.join(world.plugin.data.root, name), "wb") as file:
            file.write(text)
        world.save_new_title(world.ids[1])
    prove(world)


def test_nonsense_in_the_settings_file_is_named_and_waited_out(world, prove):
    world.save_new_title(world.ids[0])
    with open(world.plugin.data.settings_file, "w", encoding="utf-8") as file:
        file.write('{"max_tags": "many",')
    world.until(lambda: "stash2plex.json" in str(world.wake().document))
    world.save_all()
    os.remove(world.plugin.data.settings_file)
    prove(world, undo=True)


@pytest.mark.mounts
def test_a_full_disk(tmp_path, prove):
    with small_disk(tmp_path / "stash2plex") as disk, World(tmp_path, scenes=40) as world:
        assert world.plugin.data.root == str(disk)
        world.save_new_title(world.ids[0])
        world.until(lambda: world.plex.count("edit") >= 1)
        ballast = fill(disk)
        for scene_id in world.ids[:10]:
            world.save_new_title(scene_id)  # the Save itself never fails
        world.wait(lambda: False, 3)
        ballast.unlink()
        for scene_id in world.ids[10:20]:
            world.save_new_title(scene_id)
        prove(world)


@pytest.mark.mounts
def test_a_folder_that_is_read_only_for_a_while(tmp_path, prove):
    with small_disk(tmp_path / "stash2plex", size="64m") as disk, World(tmp_path, scenes=40) as world:
        world.save_new_title(world.ids[0])
        world.until(lambda: world.plex.count("edit") >= 1)
        world.plugin.kill_workers()
        world.until(lambda: remount(disk, "ro"))  # the threads of the dead let go one by one
        for scene_id in world.ids[:5]:
            world.save_new_title(scene_id)
        said = world.wake()
        assert "read-only" in str(said.document) or "cannot be written" in str(said.document)
        assert remount(disk, "rw")
        prove(world)
