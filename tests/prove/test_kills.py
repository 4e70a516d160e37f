"""Killed at any moment, the worker leaves nothing undone, nothing half known and nothing doubled."""

import os
import random

import pytest

from sim.plex import faults
from tests.prove.world import World, in_background

KILL_ONCE = """\
{indent}import os as _os
{indent}if _os.path.exists({flag!r}):
{indent}    _os.remove({flag!r})
{indent}    _os.kill(_os.getpid(), 9)
{line}
"""

MOMENTS = {
    "before the intent": ("sync/scenes/writer.py", "            self._ledger.unfinished.announce(writing)"),
    "between the intent and the first PUT": (
        "sync/scenes/writer.py",
        "                tried.append(self._write_scene(one, written, config))",
    ),
    "between the last PUT and the ledger": (
        "sync/scenes/writer.py",
        "            self._remember(written, [item.sync for one in unsent for item in one.all])",
    ),
    "before what was written is read back": ("sync/scenes/pipeline.py", "        self._read_back.learn(details)"),
    "between the ledger's commit and the job's completion": (
        "worker/processor.py",
        "            self._queue.complete(done)",
    ),
    "between claiming and asking Stash": (
        "sync/scenes/work.py",
        '        scene_jobs = [job for job in jobs if job.kind == "scene"]',
    ),
    "after the upload, before it is selected": ("sync/pictures/batch.py", "        if not picture.selected:"),
}


ROUNDS = 3


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed(tmp_path, prove, moment):
    flag = str(tmp_path / "kill-now")
    file, line = MOMENTS[moment]
    with World(tmp_path, scenes=20) as world:
        indent = line[: len(line) - len(line.lstrip())]
        world.plugin.change_constant(file, line + "\n", KILL_ONCE.format(indent=indent, flag=flag, line=line))
        for _ in range(ROUNDS):
            with open(flag, "w", encoding="utf-8"):
                pass
            for scene_id in world.ids:
                world.new_cover(scene_id)
            world.until(lambda: not os.path.exists(flag))  # the moment to kill at has come
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
