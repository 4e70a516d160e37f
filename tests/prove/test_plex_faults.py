"""Whatever Plex does, and whenever: afterwards all is right, nothing is given up, and Plex was not stormed."""

import time

import pytest

from sim.plex import faults
from sim.plex.server import MACHINE_IDENTIFIER
from tests.prove.world import World

OUTAGE_SECONDS = 4.0
MOST_REQUESTS = 60  # in four seconds with a probe a second: strikes, reads that are repeated, probes

FAULTS = {
    "refused": lambda plex: plex.stop(),
    "503 maintenance": lambda plex: plex.faults.add(faults.MAINTENANCE),
    "502 bad gateway": lambda plex: plex.faults.add(faults.BAD_GATEWAY),
    "500": lambda plex: plex.faults.add(faults.SERVER_ERROR),
    "429": lambda plex: plex.faults.add(faults.TOO_MANY),
    "hanging": lambda plex: plex.faults.add(faults.HANG),
    "reset": lambda plex: plex.faults.add(faults.RESET),
    "answers lost": lambda plex: plex.faults.add(faults.LOST_BY_RESET),
    "cut XML": lambda plex: plex.faults.add(faults.CUT_XML),
    "a login page": lambda plex: plex.faults.add(faults.LOGIN_PAGE),
    "401": lambda plex: plex.faults.add(faults.UNAUTHORIZED),
    "403": lambda plex: plex.faults.add(faults.FORBIDDEN),
}


def heal(plex):
    plex.faults.clear()
    plex.start()


def behave_otherwise(quirks):
    """Servers differ, and nobody has measured all of it: every other fault strikes one with the other habits."""
    quirks.tag_mode, quirks.tag_case = "replace", "exact"
    quirks.upload_selects, quirks.upload_locks, quirks.mixed_details = "first", True, "404"
    quirks.honours_sort_id, quirks.knows_file_filter = False, False
    quirks.demands_paging, quirks.compresses = True, False


def before_the_first_edit(world, fault):
    fault(world.plex)
    world.save_all()


def in_the_middle_of_the_drain(world, fault):
    world.plex.after("edit", lambda: fault(world.plex), nth=10)
    world.bulk(details="In the middle")
    world.until(lambda: world.plex.count("edit") >= 10)


def when_pictures_are_on_their_way(world, fault):
    world.plex.after("upload", lambda: fault(world.plex), nth=2)
    for scene_id in world.ids:
        world.new_cover(scene_id)
    world.until(lambda: world.plex.count("upload") >= 2)


def with_an_edit_during_it(world, fault):
    world.save_all()
    fault(world.plex)
    for scene_id in world.ids[:5]:
        world.save_new_title(scene_id)
    time.sleep(1)
    for scene_id in world.ids[:5]:
        world.save_new_title(scene_id)


MOMENTS = (before_the_first_edit, in_the_middle_of_the_drain, when_pictures_are_on_their_way, with_an_edit_during_it)


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__.replace("_", " "))
@pytest.mark.parametrize("fault", FAULTS)
def test_plex(tmp_path, prove, fault, moment):
    with World(tmp_path, scenes=25) as world:
        if list(FAULTS).index(fault) % 2:
            behave_otherwise(world.plex.quirks)
        moment(world, FAULTS[fault])
        time.sleep(1)
        start = len(world.plex.requests)
        time.sleep(OUTAGE_SECONDS)
        asked = len(world.plex.requests) - start
        heal(world.plex)
        prove(world, undo=True)
        assert asked <= MOST_REQUESTS


def test_another_server_at_the_same_address_is_never_written_to(world, prove):
    world.save_all()
    world.until(lambda: world.plex.count("edit") >= 5)
    world.plex.become_another_server()
    time.sleep(0.5)
    world.plugin.kill_workers()  # one in the middle of a batch may finish the request it is making
    world.plex.drop_connections()
    before = len(world.writes())
    for scene_id in world.ids:
        world.save_new_title(scene_id)
    time.sleep(OUTAGE_SECONDS)
    assert len(world.writes()) == before
    assert "another Plex server" in world.wake().output["sentence"]
    world.plex.become_another_server(MACHINE_IDENTIFIER)
    prove(world)
