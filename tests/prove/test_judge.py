"""The judge is worth what it condemns: each thing it looks at, spoilt by hand in a world that was right."""

import sqlite3
from urllib.request import Request, urlopen

import pytest

from sim.stash.library.pictures import png
from tests.prove.judge import complaints, not_undone, verdict
from tests.prove.world import World


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with World(tmp_path_factory.mktemp("world"), scenes=20) as running:
        running.save_all()
        assert verdict(running) == []
        running.plugin.kill_workers()
        yield running


def spoil_ledger(world, statement):
    with sqlite3.connect(world.plugin.data.target("plex").ledger) as db:
        db.execute(statement)


def edited(**fields):
    return lambda world: world.plex.edit_by_person(world.keys[1], **fields)


def upload(world):
    with world.plex.world.lock:
        world.plex.world.pictures.upload(world.plex.world.library.item(int(world.keys[1])), "posters", png("another"))


def spoil_stranger(world):
    world.plex.edit_by_person(next(iter(world.strangers)), title="Trampled")


def queue_job(world):
    with sqlite3.connect(f"{world.plugin.data.queue_dir}/data.db") as db:
        db.execute(
            "INSERT INTO ack_queue_default (data, timestamp, status, key, due_at) VALUES ('', 1, 1, 'scene:1', 1)"
        )


def store_twice(world):
    """Have somebody with our rights upload to an item that has had its cover."""
    for number in range(2):
        request = Request(f"{world.plex.url}/library/metadata/{world.keys[5]}/posters", png(f"more {number}"))
        request.add_header("X-Plex-Token", world.plex.token)
        urlopen(request, timeout=10).close()


def leave_behind(world):
    world.left[world.keys[6]] = world.originals[6]


def bring_back_what_was_taken_out(world):
    first, *_ = world.stash.library.scenes[4].performer_ids
    world.taken_out[4] = {"actor": {world.stash.library.performers[first].name}}


SPOILT = {
    "a title": (edited(title="Wrong"), "title is 'Wrong'"),
    "a summary": (edited(summary=""), "summary is ''"),
    "a studio": (edited(studio="Wrong"), "studio is 'Wrong'"),
    "a date": (edited(originallyAvailableAt="1999-01-01"), "originallyAvailableAt is '1999"),
    "actors": (edited(actor=["Nobody"]), "actor is"),
    "somebody's tag": (edited(genre=[]), "genre is"),
    "a collection": (edited(collection=[]), "collection is"),
    "somebody's tagline": (edited(tagline="Wrong"), "tagline is 'Wrong'"),
    "what a person typed": (lambda world: world.typed.update({2: {"summary": ("Typed", 0.0)}}), "scene 2: summary is"),
    "what a person took out": (bring_back_what_was_taken_out, "scene 4: actor is"),
    "a poster": (upload, "poster is"),
    "a picture stored again": (store_twice, "/posters: a picture was stored 3 times"),
    "an item that a scene has left": (leave_behind, "which its scene has left"),
    "a lock": (lambda world: world.plex.lock(world.keys[1], "title", locked=False), "['title'] not locked"),
    "a stranger": (spoil_stranger, "none of ours were changed"),
    "a job": (queue_job, "1 job not done"),
    "a state": (
        lambda world: spoil_ledger(world, "UPDATE scene SET state = 'failed' WHERE scene_id = 2"),
        "scene 2: the ledger says failed",
    ),
    "an explanation": (
        lambda world: spoil_ledger(world, "UPDATE scene SET sentence = '' WHERE scene_id = 8"),
        "scene 8: is not in Plex",
    ),
    "a scene": (lambda world: spoil_ledger(world, "DELETE FROM scene WHERE scene_id = 3"), "scene 3: the ledger says"),
}


@pytest.mark.parametrize("what", SPOILT)
def test_the_judge_condemns(world, what):
    spoil, complaint = SPOILT[what]
    before = list(complaints(world))
    assert not any(complaint in one for one in before)
    spoil(world)
    assert [one for one in complaints(world) if complaint in one and one not in before]


def test_the_judge_sees_what_an_undo_left(world):
    assert any(one.startswith("scene 2:") for one in not_undone(world))


def test_every_cover_that_a_scene_has_had_may_have_been_stored(world):
    store_twice(world)
    world.stash.library.scenes[5].cover_version += 9
    assert not any("a picture was stored" in one for one in complaints(world))
