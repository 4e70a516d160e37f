"""People work in Plex meanwhile, and Plex stores things in its own way: what is theirs stays, what is ours arrives."""

import random
import time

import pytest

from tests.prove.judge import _is_in_the_gap, not_undone, verdict
from tests.prove.world import World, in_background

HABITS = {
    "cut": {"text_limit": 40},
    "quotes": {"quotes": "curly"},
    "emoji": {"keeps_emoji": False},
    "accents": {"unicode_form": "NFD"},
    "ratings": {"rating_step": 0.5},
    "everything": {
        "text_limit": 40,
        "quotes": "curly",
        "keeps_emoji": False,
        "unicode_form": "NFD",
        "rating_step": 0.5,
    },
}


def test_what_a_person_types_while_a_batch_is_under_way_stays(tmp_path, prove):
    chance = random.Random(13)
    with World(tmp_path, scenes=40) as world:
        world.save_all()
        assert verdict(world) == []
        world.slow_down(0.4)
        world.bulk(details="Written slowly")
        world.until(lambda: world.plex.count("edit") > 0)
        for scene_id in chance.sample(world.ids, 20):
            world.type_in_plex(scene_id, summary=f"Typed into {scene_id}", studio="Typed, too")
            time.sleep(chance.uniform(0.0, 0.6))
        world.save_all()  # and Stash changes all of it again
        world.ask({"mode": "all"})
        typed = [(one, name, at) for one, fields in world.typed.items() for name, (_, at) in fields.items()]
        assert sum(not _is_in_the_gap(world, *one) for one in typed) >= len(typed) // 2
        prove(world)


def test_what_a_person_types_afterwards_stays_also_in_an_undo(world, prove):
    world.save_all()
    assert verdict(world) == []
    for scene_id in world.ids[::2]:
        world.type_in_plex(scene_id, summary=f"Typed into {scene_id}")
    world.save_all()
    world.ask({"mode": "all"})
    prove(world, undo=True)


def ours_of(world, scene_id):
    """Give by list the names on an item that were not there before us."""
    now, before = world.plex.item(world.keys[scene_id]), world.originals[scene_id]
    return {kind: [one for one in names if one not in before.tags.get(kind, ())] for kind, names in now.tags.items()}


@pytest.mark.parametrize("tag_mode", ["add", "replace"])
def test_what_a_person_takes_out_of_a_list_stays_out(tmp_path, prove, tag_mode):
    with World(tmp_path, tag_mode=tag_mode) as world:
        world.save_all()
        assert verdict(world) == []
        for scene_id in world.ids[::2]:
            for kind, names in ours_of(world, scene_id).items():
                if names:
                    world.take_out(scene_id, kind, names[0])
        world.save_all()
        world.plugin.kill_workers()
        world.save_all()
        world.ask({"mode": "all"})
        prove(world, undo=True)


def test_a_name_that_a_person_took_out_comes_again_when_stash_has_it_anew(world, prove):
    world.save_all()
    assert verdict(world) == []
    scene = next(one for one in world.scenes_in_plex() if one.tag_ids)
    name = world.stash.library.tags[scene.tag_ids[0]].name
    tags = list(map(str, scene.tag_ids))
    world.take_out(scene.id, "genre", name)
    world.save_new_title(scene.id)
    assert verdict(world) == []
    world.save(scene.id, tag_ids=tags[1:])
    assert verdict(world) == []
    del world.taken_out[scene.id]
    world.save(scene.id, tag_ids=tags)
    prove(world, undo=True)


def make_strange(library):
    """Give everything that Stash can name the letters that some servers do not keep."""
    for shelf in (library.tags, library.performers, library.studios):
        for one in shelf.values():
            one.name = f"{one.id} 🎬 it's “{one.name}”, é, and so on and on and on"


def save_strangely(world, scene_id):
    number = world.edits
    world.save(
        scene_id,
        title=f"{number} 🎉 Ça, it's {scene_id}: " + "é" * 40,
        details=f"“{number}” 🎬 " + "long, " * 40,
        rating100=number * 7 % 100 + 1,
    )


@pytest.mark.parametrize("habit", HABITS)
def test_a_plex_that_stores_values_in_its_own_way(tmp_path, prove, habit):
    with World(tmp_path, scenes=30, stores=HABITS[habit], settings={"sync_rating": True}) as world:
        make_strange(world.stash.library)
        drain = in_background(lambda: [save_strangely(world, one) for one in world.ids])
        world.until(lambda: world.plex.count("edit") >= 5)
        world.plugin.kill_workers()
        drain.join(60)
        for scene_id in world.ids[::2]:  # later changes arrive, too
            save_strangely(world, scene_id)
        assert verdict(world) == []
        before = world.plex.count("edit")
        world.ask({"mode": "all"})
        assert verdict(world) == []
        assert world.plex.count("edit") == before  # nothing is sent again
        prove(world, undo=True)


def test_a_plex_that_cannot_show_no_background_says_so_and_nothing_is_forgotten(tmp_path, prove):
    """An undo that comes later, on a Plex that can, finds what was there before us and not our own older upload."""
    with World(tmp_path, scenes=20, stores={"unsets_pictures": False}) as world:
        world.save_all()
        assert verdict(world) == []
        told = str(world.undo_everything().document)
        assert f"{len(world.keys)} could not be taken back" in told
        assert all(one.count("upload://arts/") == 1 and "upload://posters/" not in one for one in not_undone(world))
        for scene_id in world.ids[::2]:
            world.new_cover(scene_id)
        world.save_all()
        assert verdict(world) == []
        world.plex.quirks.unsets_pictures = True
        prove(world, undo=True)
