"""Killed at any moment, the worker leaves nothing undone, nothing half known and nothing doubled."""

import random

import pytest

from sim.plex import faults
from tests.prove.moments import PLEX_MOMENTS
from tests.prove.world import World, in_background

ROUNDS = 3


@pytest.mark.parametrize("moment", PLEX_MOMENTS)
def test_killed(tmp_path, prove, moment):
    flag = tmp_path / "kill-now"
    with World(tmp_path, scenes=20) as world:
        world.plugin.kill_at(*PLEX_MOMENTS[moment], flag)
        for _ in range(ROUNDS):
            flag.touch()
            for scene_id in world.ids:
                world.new_cover(scene_id)
            world.until(lambda: not flag.exists())  # the moment to kill at has come
            world.wake()
        prove(world, undo=True)


KILLS = 30


def test_killed_at_random_instructions(tmp_path, prove):
    chance = random.Random(11)
    with World(tmp_path, scenes=100) as world:
        world.plex.faults.add(faults.slow(0.02), method="PUT")  # so that most kills meet a batch half written
        world.plex.faults.add(faults.slow(0.02), method="POST")
        kills = 0
        while kills < KILLS:
            world.bulk(details=f"Killed {kills} times")
            for scene_id in chance.sample(world.ids, 3):
                world.new_cover(scene_id)
            world.wait(world.plugin.worker_pids, 30)
            world.wait(lambda: False, chance.uniform(0.0, 1.5))
            kills += len(world.plugin.worker_pids())
            world.plugin.kill_workers()
        world.plex.faults.clear()
        prove(world, undo=True)


def test_killed_inside_a_picture_upload_that_arrived(world, prove):
    """Plex has the picture, nobody got the answer, and then we die: it is looked for before it is sent again."""
    world.plex.faults.add(faults.LOST_BY_HANG, times=1, method="POST", path="*/posters")
    world.save_new_title(1)
    world.until(
        lambda: any(entry.path.endswith("/posters") and entry.method == "POST" for entry in world.plex.requests)
    )
    world.plugin.kill_workers()
    prove(world)
    sent = [
        entry for entry in world.plex.requests if entry.method == "POST" and f"/{world.keys[1]}/posters" in entry.path
    ]
    assert len(sent) == 1


def test_two_hundred_hooks_at_once_during_a_drain(tmp_path, prove):
    with World(tmp_path, scenes=200) as world:
        drain = in_background(lambda: world.bulk(details="Drained"))
        world.until(world.writes)
        world.save_all(at_once=20)
        drain.join(60)
        prove(world)
