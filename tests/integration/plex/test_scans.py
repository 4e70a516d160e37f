"""A scan of one folder, followed to its end."""

import time

import pytest

from matching.libraries import library_of
from model.errors import AccessDenied
from sim.plex import faults


def follow(client, scan):
    looks = 0
    while not scan.is_done:
        time.sleep(0.02)
        scan = client.look_at_scan(scan)
        looks += 1
    return looks


def test_a_new_file_is_there_when_the_scan_is_done(sim, client, scenes):
    sim.add_file("/data/scenes/new folder/new, file.mp4", 4711)
    scan = client.start_scan(scenes, "/data/scenes/new folder")
    assert not scan.is_done
    assert follow(client, scan) >= 3
    found = client.find_file(scenes, "/data/scenes/new folder/new, file.mp4")
    assert [part.size for item in found for part in item.parts] == [4711]
    assert [entry.params["path"] for entry in sim.requests if entry.kind == "scan"] == ["/data/scenes/new folder"]


def test_a_guest_may_not_scan(make_client, sim, scenes):
    with pytest.raises(AccessDenied):
        make_client(token=sim.guest_token).start_scan(scenes, "/data/scenes")


def test_servers_without_activities_or_timeline_are_followed_by_what_they_have(sim, client, scenes):
    scan = client.start_scan(scenes, "/data/scenes")
    sim.faults.add(faults.FORBIDDEN, kind="activities")
    sim.faults.add(faults.NOT_FOUND, kind="timeline")
    assert follow(client, scan) >= 2


def test_the_library_of_a_folder_is_the_one_with_the_longest_location(sim, client):
    sim.add_section("Nested", ["/data/scenes/nested"])
    libraries = client.libraries()
    assert library_of("/data/scenes/nested/a", libraries).title == "Nested"
    assert library_of("/data/scenes/nestedness", libraries).title == "Scenes"
    assert library_of("/data/scenes", libraries).title == "Scenes"
    assert library_of("/nowhere", libraries) is None
