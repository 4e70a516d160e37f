"""Killed at any moment, the worker leaves on Emby and Jellyfin nothing undone, nothing half known, nothing doubled."""

import random

import pytest

from sim.mediabrowser import faults
from tests.prove.moments import MEDIA_BROWSER_MOMENTS
from tests.prove.targets.judge import verdict
from tests.prove.targets.world import TargetWorld


def test_killed_at_every_moment(tmp_path, flavour, prove):
    """All moments in one world, one after the other."""
    with TargetWorld(tmp_path, flavour) as world:
        flags = {moment: tmp_path / f"kill-{number}" for number, moment in enumerate(MEDIA_BROWSER_MOMENTS)}
        for moment, flag in flags.items():
            world.plugin.kill_at(*MEDIA_BROWSER_MOMENTS[moment], flag)
        world.save_all()
        assert verdict(world) == []
        for moment, flag in flags.items():
            flag.touch()
            for scene_id in world.ids[:5]:
                world.new_cover(scene_id)
            assert world.wait(lambda flag=flag: not flag.exists()), moment
            world.wake()
        prove(world)


KILLS = 8


def test_killed_at_random_instructions(tmp_path, flavour, prove):
    chance = random.Random(17)
    with TargetWorld(tmp_path, flavour) as world:
        for method in ("POST", "DELETE"):
            world.server.faults.add(faults.slow(0.02), method=method)  # so that most kills meet a batch half written
        kills = 0
        while kills < KILLS:
            world.bulk(details=f"Killed {kills} times")
            for scene_id in chance.sample(world.ids, 2):
                world.new_cover(scene_id)
            world.wait(world.plugin.worker_pids, 30)
            world.wait(lambda: False, chance.uniform(0.0, 1.5))
            kills += len(world.plugin.worker_pids())
            world.plugin.kill_workers()
        world.server.faults.clear()
        prove(world)


@pytest.mark.parametrize("kind", ["Primary", "Backdrop"])
def test_killed_inside_an_upload_that_arrived(tmp_path, flavour, prove, kind):
    """The server has the picture, nobody got the answer, and then we die: it is looked for before it is sent again."""
    with TargetWorld(tmp_path, flavour, scenes=5) as world:
        path = f"/Items/*/Images/{kind}"
        world.server.faults.add(faults.LOST_BY_HANG, times=1, method="POST", path=path)
        world.save_new_title(1)
        world.until(lambda: any(call.kind == "upload" and call.path.endswith(kind) for call in world.server.requests))
        world.plugin.kill_workers()
        prove(world)
