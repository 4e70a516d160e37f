"""A scan of one folder: what lies in it is found, and nothing else is touched."""

import time

import pytest

from model.errors import TargetBusy
from sim.mediabrowser import faults

FOLDER = "/data/scenes/Brand New/2024"


def test_a_file_is_found_after_its_folder_was_scanned(rig):
    path = f"{FOLDER}/fresh.mp4"
    rig.sim.add_file(path)
    before = {item_id: rig.whole(item_id) for item_id in rig.sim.item_ids()[:5]}
    rig.target.start_scan(rig.library(), FOLDER)
    rig.target.start_scan(rig.library(), FOLDER)  # asking twice does no harm
    found = _wait_for(lambda: rig.sim.find(path))
    assert {item_id: rig.whole(item_id) for item_id in before} == before
    assert found in rig.target.details([found])


def test_the_folder_that_is_known_is_scanned(start, flavour):
    rig = start(flavour)
    known = next(item for item in rig.sim.world.store.items.values() if item.kind == "Folder")
    library = next(
        one for one in rig.target.libraries() if any(known.path.startswith(place) for place in one.locations)
    )
    rig.target.start_scan(library, known.path)
    (call,) = [call for call in rig.sim.requests if call.kind == "refresh"]
    assert known.id in call.path


def test_folders_that_are_looked_into_as_one_are_named_by_one_place(start, flavour):
    rig = start(flavour)
    known = next(item for item in rig.sim.world.store.items.values() if item.kind == "Folder")
    library = next(
        one for one in rig.target.libraries() if any(known.path.startswith(place) for place in one.locations)
    )
    new = [f"{known.path}/new", f"{known.path}/newer/still"]
    places = rig.target.scan_places(library, [known.path, *new, "/elsewhere"])
    assert places == {known.path: known.path, **dict.fromkeys(new, known.path), "/elsewhere": ""}
    rig.target.start_scan(library, "")
    (call,) = [call for call in rig.sim.requests if call.kind == "refresh"]
    assert library.key in call.path


def test_every_folder_has_a_place(rig):
    assert set(rig.target.scan_places(rig.library(), [FOLDER, "/data/scenes"])) == {FOLDER, "/data/scenes"}


def test_a_server_that_does_not_scan_says_so(rig):
    library = rig.library()
    rig.sim.faults.add(faults.TOO_MANY, kind=rig.scan)
    with pytest.raises(TargetBusy):
        rig.target.start_scan(library, FOLDER)


def _wait_for(look, seconds=10.0):
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError("it was not found")
