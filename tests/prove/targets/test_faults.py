"""Whatever Emby or Jellyfin does, and whenever: afterwards all is right, and everything can be undone."""

import time

import pytest

from sim.mediabrowser import faults
from sim.mediabrowser.web.exchange import Refused
from tests.prove.targets.judge import verdict
from tests.prove.targets.world import TargetWorld

OUTAGE_SECONDS = 2.0
MOST_REQUESTS = 100  # in two seconds with a probe a second: strikes, reads that are repeated
MOST_A_SCENE = (
    40  # of a server that does the work and loses its answers: each is looked for, and who it is is asked anew
)


class LockedDatabase:
    """Every update ends in a 500, with its people saved and the rest in memory only."""

    def acquire(self):
        raise Refused(500, text="SQLite Error 5: 'database is locked'.")


def lock_database(server):
    server.free_database = server.world.updater._write_lock
    server.world.updater._write_lock = LockedDatabase()


def unlock_database(server):
    """The server is restarted, as people do: what it had in memory only is gone."""
    server.world.updater._write_lock = server.free_database
    server.restart()


FAULTS = {
    "refused": lambda server: server.stop(),
    "starting": lambda server: server.set_phase("starting"),
    "hanging": lambda server: server.faults.add(faults.HANG),
    "401": lambda server: server.faults.add(faults.UNAUTHORIZED),
    "a page with 200": lambda server: server.faults.add(faults.LOGIN_PAGE),
    "500, half done": lock_database,
    "answers to writes lost": lambda server: server.faults.add(faults.LOST_BY_RESET, method="POST"),
}


def heal(server, fault):
    server.faults.clear()
    server.set_phase("running")
    server.start()
    if fault is lock_database:
        unlock_database(server)


def before_the_first_edit(world, strike):
    strike()
    world.save_all()


def in_the_middle_of_the_drain(world, strike):
    world.server.after("update", strike, nth=4)
    world.bulk(details="In the middle")
    world.until(lambda: not world.server.journal._plans)


def when_pictures_are_on_their_way(world, strike):
    world.server.after("upload", strike, nth=2)
    for scene_id in world.ids[:4]:
        world.new_cover(scene_id)
    world.until(lambda: not world.server.journal._plans)


def with_edits_during_it(world, strike):
    strike()
    for scene_id in world.ids[:3] * 2:
        world.save_new_title(scene_id)


MOMENTS = (before_the_first_edit, in_the_middle_of_the_drain, when_pictures_are_on_their_way, with_edits_during_it)


@pytest.mark.parametrize("fault", FAULTS)
def test_the_server(tmp_path, flavour, prove, fault):
    """All moments in one world, one after the other; each ends before the judge, the last one with an undo of all."""
    strike = FAULTS[fault]
    with TargetWorld(tmp_path, flavour) as world:
        for moment in MOMENTS:
            moment(world, lambda: strike(world.server))
            start = len(world.server.requests)
            time.sleep(OUTAGE_SECONDS)
            asked = len(world.server.requests) - start
            heal(world.server, strike)
            assert verdict(world) == [], moment.__name__
            is_at_work = fault == "answers to writes lost"
            assert asked <= (MOST_A_SCENE * len(world.ids) if is_at_work else MOST_REQUESTS)
        prove(world)
