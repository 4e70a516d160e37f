"""Killed at any moment, the worker leaves on Emby and Jellyfin nothing undone, nothing half known, nothing doubled."""

import os
import random

import pytest

from sim.mediabrowser import faults
from tests.prove.targets.judge import verdict
from tests.prove.targets.world import TargetWorld
from tests.prove.test_kills import KILL_ONCE
from tests.prove.test_kills import MOMENTS as PLEX_MOMENTS

OWN_MOMENTS = {
    "between the read and the write": ("mediabrowser/target.py", "            self._send(change, now)"),
    "between the write and its collections": ("mediabrowser/target.py", "        for edit in change.tags:"),
    "between the look at a poster and its upload": (
        "mediabrowser/pictures/gallery.py",
        "        self._upload(item_id, kind, content)",
    ),
    "after a backdrop came, before the old one goes": (
        "mediabrowser/pictures/gallery.py",
        "                self._glances.pop(item_id, None)",
    ),
}
MOMENTS = {name: place for name, place in PLEX_MOMENTS.items() if "selected" not in name} | OWN_MOMENTS


def instrument(world, moment, flag):
    """Have the worker kill itself at this line, once for each time that the flag is set."""
    file, line = MOMENTS[moment]
    path = world.plugin.plugin_dir / file
    before, found, after = path.read_text().partition(f"{line}\n")
    assert found, moment
    indent = line[: len(line) - len(line.lstrip())]
    path.write_text(before + KILL_ONCE.format(indent=indent, flag=flag, line=line) + after)


def test_killed_at_every_moment(tmp_path, flavour, prove):
    """All moments in one world, one after the other."""
    with TargetWorld(tmp_path, flavour) as world:
        for number, moment in enumerate(MOMENTS):
            instrument(world, moment, str(tmp_path / f"kill-{number}"))
        world.save_all()
        assert verdict(world) == []
        for number, moment in enumerate(MOMENTS):
            flag = tmp_path / f"kill-{number}"
            flag.touch()
            for scene_id in world.ids[:5]:
                world.new_cover(scene_id)
            assert world.wait(lambda flag=flag: not os.path.exists(flag)), moment
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
