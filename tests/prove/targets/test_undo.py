"""Undo after five hundred scenes: the whole document of every item as before, counted property by property."""

import pytest

from tests.prove.targets.judge import not_undone, verdict
from tests.prove.targets.world import TargetWorld

SCENES = 500
LEAST_WRITTEN = 8  # properties of each item, on average; fewer would prove little


@pytest.mark.timeout(1200)
def test_an_undo_of_five_hundred_scenes_leaves_every_property_as_it_was(tmp_path, flavour, prove, capsys):
    with TargetWorld(tmp_path, flavour, scenes=SCENES * 12 // 10) as world:
        side = world.side
        assert len(side.keys) >= SCENES
        world.save(world.ids[0], title="The first, which has the others looked at")
        assert verdict(world) == []
        before, written = side.originals, {one: side.document(key) for one, key in side.keys.items()}
        changed = _differing(before, written)
        assert changed >= LEAST_WRITTEN * len(before)
        prove(world)  # ends with the undo of everything
        after = {one: side.document(key) for one, key in side.keys.items()}
        compared = sum(len({*before[one], *after[one]}) for one in before)
        with capsys.disabled():
            print(
                f"\n{flavour}: {len(before)} items, {changed} properties written, {compared} compared after the undo, "
                f"{_differing(before, after)} of them different"
            )
        assert (_differing(before, after), not_undone(world)) == (0, [])


def _differing(one, other):
    """Count the properties in which the documents of items differ."""
    return sum(one[scene].get(name) != other[scene].get(name) for scene in one for name in {*one[scene], *other[scene]})
