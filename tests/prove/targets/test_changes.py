"""People, files and servers change in the middle: what is theirs stays, what is ours arrives."""

import time
from dataclasses import replace

from tests.prove.targets.judge import complaints, verdict
from tests.prove.targets.world import Side, TargetWorld, server_path


def test_a_person_edits_between_our_read_and_our_write(tmp_path, flavour, prove):
    """Whenever the server has shown an item, somebody edits it at once, so that every write meets an edit."""
    with TargetWorld(tmp_path, flavour) as world:
        world.save_all()
        assert verdict(world) == []
        kind = "single" if world.server.flavour.is_emby else "details"
        for number, scene_id in enumerate(world.ids[:6]):
            typed = {"Overview": f"Typed into {scene_id}", "CustomRating": f"{number}"}
            world.server.after(kind, lambda one=scene_id, typed=typed: world.side.type(one, **typed))
            world.save(scene_id, title=f"Newer {scene_id}")
            world.until(lambda: not world.server.journal._plans)
        prove(world)


def test_people_type_and_choose_pictures_while_it_drains(tmp_path, flavour, prove):
    with TargetWorld(tmp_path, flavour) as world:
        world.save_all()
        assert verdict(world) == []
        world.bulk(details="Drained")
        for scene_id in world.ids[::2]:
            world.side.type(scene_id, OriginalTitle=f"Typed into {scene_id}", ProductionLocations=["Typed"])
        world.save_all()
        world.ask({"mode": "all"})
        prove(world)


def test_a_moved_file(tmp_path, flavour, prove):
    """On Jellyfin it is a new item without anything of the old one's, and the old one is gone."""
    with TargetWorld(tmp_path, flavour) as world:
        world.save_all()
        assert verdict(world) == []
        side, moved = world.side, world.ids[:3]
        world.plugin.kill_workers()  # it would write before the judge has seen the new items
        for scene_id in moved:
            move(world, scene_id)
        world.server.start_scan()
        world.until(lambda: all(world.server.find(path_of(world, one)) for one in moved))
        time.sleep(0.5)  # the server's own first pass
        for scene_id in moved:
            side.keys[scene_id] = world.server.find(path_of(world, scene_id))
            side.originals[scene_id] = side.document(side.keys[scene_id]) | {"LockedFields": []}
        side.boxsets = {name: [one for one in of if one in side.keys.values()] for name, of in side.boxsets.items()}
        for scene_id in moved:
            world.save_new_title(scene_id)
        prove(world)


def path_of(world, scene_id):
    return server_path(world.stash.library.scenes[scene_id].path)


def move(world, scene_id):
    old = path_of(world, scene_id)
    with world.stash.library.lock:
        scene = world.stash.library.scenes[scene_id]
        scene.files = (replace(scene.files[0], path=scene.path.replace("/clips/", "/clips/moved/")),)
        world.stash.library.touch(scene)
    world.server.move_file(old, path_of(world, scene_id))


def test_two_versions_of_a_film(tmp_path, flavour, prove):
    """Stash knows the first file of three films; a second version of each comes, and is never taken for another's."""
    with TargetWorld(tmp_path, flavour) as world:
        side = world.side
        for scene_id in world.ids[:3]:
            path = path_of(world, scene_id).replace(".mp4", " - 2160p.mkv")
            world.server.add_version(side.keys[scene_id], path)
        side.strangers = side.stranger_documents()
        side.originals = {scene_id: side.document(key) for scene_id, key in side.keys.items()}
        world.save_all()
        prove(world)


def test_a_jellyfin_is_upgraded_to_12_in_the_middle(tmp_path, prove):
    """It is away, migrates for a while, and then knows no old way of signing in and hides further versions."""
    with TargetWorld(tmp_path, "jellyfin-10.11") as world:
        world.server.add_version(world.side.keys[1], path_of(world, 1).replace(".mp4", " - 2160p.mkv"))
        world.side.strangers = world.side.stranger_documents()
        world.side.originals[1] = world.side.document(world.side.keys[1])
        world.save_all()
        world.until(lambda: world.server.count("update") >= 4)
        world.server.upgrade("jellyfin-12", starting_seconds=3.0)
        for scene_id in world.ids[:5]:
            world.new_cover(scene_id)
        assert verdict(world) == []
        assert world.server.flavour.name == "jellyfin-12"
        world.bulk(details="On the new one")
        prove(world)


def test_another_server_at_the_same_address_is_never_written_to(tmp_path, flavour, prove):
    with TargetWorld(tmp_path, flavour) as world:
        world.save_all()
        assert verdict(world) == []
        server_id = world.server.server_id
        world.server.become_another_server()
        world.server.drop_connections()
        before = len(world.side.writes())
        for scene_id in world.ids:
            world.save_new_title(scene_id)
        time.sleep(2)
        assert len(world.side.writes()) == before
        assert "another" in str(world.wake().document)
        world.server.become_another_server(server_id)
        prove(world)


def test_a_target_switched_on_later_is_brought_up_to_date(tmp_path, prove):
    with TargetWorld(tmp_path, "jellyfin-12") as world:
        world.save_all()
        assert verdict(world) == []
        other = Side(world, "emby-4.9")
        other.sim.start()
        try:
            world.sides = (world.side, other)
            world.stash.configure_plugin("Stash2Plex", {**world.side.addresses, **other.addresses, **world._settings})
            world.save_new_title(1)
            assert verdict(world) == [], complaints(world)
            prove(world)
        finally:
            other.sim.stop()
