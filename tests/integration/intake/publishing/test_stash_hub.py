"""Stash as hub: files scanned into it, described there, and what a person wrote in Stash is left alone."""

from dataclasses import replace

import graphql
import pytest

from intake.publishing.picture_fetch import PictureFetcher
from intake.publishing.port import ItemAmbiguous, ItemNotIndexed, ServerAway, ServerFailed, ServerRefuses
from intake.publishing.server_paths import PathMap
from intake.publishing.stash_hub import StashHub
from intake.service.stash_files import StashFiles
from sim.stash.faults import Fault
from sim.stash.simulator import SimStash
from sim.wordpress.server import make_jpeg
from stash import hub as hub_module
from stash.hub import HubClient
from sync_queue.session import Session
from tests.support.clocks import FakeClock
from tests.support.stash_schema import schemas


@pytest.fixture
def library(tmp_path):
    (tmp_path / "library").mkdir()
    return tmp_path / "library"


@pytest.fixture
def stash(library):
    with SimStash(scenes=5) as running:
        running.settings.stashes = (str(library),)
        yield running


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def make_hub(stash, clock):
    made = []

    def make(rules=None):
        session = Session("http", "127.0.0.1", stash.port, stash.login().removeprefix("session="), 1.0)
        made.append(StashHub(lambda: HubClient(session), PathMap(rules or {}), PictureFetcher(), clock.monotonic))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def hub(make_hub):
    return make_hub()


def place(library, name="Ruri/Ruri - SONE-760.mp4", content=b"a film"):
    path = library / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return str(path)


def wait_for_jobs(stash):
    while stash.jobs.listed():
        pass


def scanned(hub, stash, clock, path):
    hub.scan([path])
    wait_for_jobs(stash)
    clock.advance(11)
    return hub.find(path, is_last=False)


def names(sorted_items, ids):
    return [sorted_items[one].name for one in ids]


@pytest.mark.parametrize(
    "text",
    [hub_module.SCAN, hub_module.UPDATE, hub_module.SCENE, *hub_module.FIND.values(), *hub_module.CREATE.values()],
)
def test_every_query_is_valid_for_stash(text):
    for schema in schemas():
        assert graphql.validate(schema, graphql.parse(text)) == []


def test_a_file_becomes_a_scene_with_all_that_is_known_of_it(stash, hub, clock, library, work):
    path = place(library)
    with pytest.raises(ItemNotIndexed):
        hub.find(path, is_last=True)
    item = scanned(hub, stash, clock, path)
    hub.write(item, work, path, {})
    hub.show_picture(item, work, "Cover", "")
    scene = stash.library.scenes[int(item)]
    assert (scene.title, scene.code, scene.details, scene.date) == (
        "A title: part two",
        "SONE-760",
        "What happens.",
        "2024-05-01",
    )
    assert stash.library.studios[scene.studio_id].name == "Label"
    assert names(stash.library.performers, scene.performer_ids) == ["Ruri Saijo"]
    assert names(stash.library.tags, scene.tag_ids) == ["Drama", "Romance"]
    assert stash.library.uploaded["scene", scene.id, scene.cover_version] == make_jpeg(1200)


def test_doing_it_twice_makes_nothing_twice(stash, hub, clock, library, work):
    path = place(library)
    item = scanned(hub, stash, clock, path)
    wrote = hub.write(item, work, path, {})
    mark = hub.show_picture(item, work, "Cover", "")
    counts = [len(kind) for kind in (stash.library.performers, stash.library.studios, stash.library.tags)]
    version = stash.library.scenes[int(item)].cover_version
    assert scanned(hub, stash, clock, path) == item
    assert hub.write(item, work, path, wrote) == wrote
    assert hub.show_picture(item, work, "Cover", mark) == mark
    assert [len(kind) for kind in (stash.library.performers, stash.library.studios, stash.library.tags)] == counts
    assert stash.library.scenes[int(item)].cover_version == version


def test_what_a_person_wrote_in_stash_is_left_alone(stash, hub, clock, library, work):
    path = place(library)
    item = scanned(hub, stash, clock, path)
    stash.save_scene(int(item), title="My own title", studio_id="1", tag_ids=["1"])
    wrote = hub.write(item, work, path, {})
    stash.save_scene(int(item), details="My own words.")
    hub.write(item, replace(work, overview="Better.", release_date="2024-06-01"), path, wrote)
    scene = stash.library.scenes[int(item)]
    assert (scene.title, scene.details, scene.studio_id, scene.date) == (
        "My own title",
        "My own words.",
        1,
        "2024-06-01",
    )
    assert names(stash.library.tags, scene.tag_ids)[1:] == ["Drama", "Romance"]


def test_names_are_found_by_alias_and_two_of_one_name_are_a_persons_case(stash, hub, clock, library, work):
    path = place(library)
    item = scanned(hub, stash, clock, path)
    one, two = stash.library.performers[1], stash.library.performers[2]
    one.alias_list = ("Saijo Ruri", "ruri saijo")
    hub.write(item, work, path, {})
    assert stash.library.scenes[int(item)].performer_ids == (1,)
    one.name = two.name = "Ruri Saijo"
    two.disambiguation = "another"
    hub.write(item, work, path, {})
    one.disambiguation = "one"
    with pytest.raises(ItemAmbiguous, match="2 records"):
        hub.write(item, work, path, {})


def test_a_name_with_a_pattern_in_it_is_only_itself(stash, hub, clock, library, work):
    path = place(library)
    item = scanned(hub, stash, clock, path)
    stash.library.tags[1].name = "Dramas"
    hub.write(item, replace(work, genres=("Drama_",)), path, {})
    assert names(stash.library.tags, stash.library.scenes[int(item)].tag_ids) == ["Drama_"]


def test_scans_of_files_that_come_one_by_one_become_few(stash, hub, clock, library):
    paths = [place(library, f"{number}.mp4", bytes([number])) for number in range(3)]
    assert hub.scan(paths[:2]) == frozenset(paths[:2])
    assert hub.scan(paths[2:]) == frozenset()
    clock.advance(2)
    assert hub.scan(paths[2:]) == frozenset(paths[2:])
    clock.advance(2)
    assert hub.scan(paths) == frozenset()
    assert stash.requests["ScanFiles"] == 2


def test_a_stash_that_sees_the_folder_elsewhere_is_told_by_the_path_map(
    stash, make_hub, clock, library, tmp_path, work
):
    (tmp_path / "there").symlink_to(library)
    stash.settings.stashes = (str(tmp_path / "there"),)
    hub = make_hub({str(library): str(tmp_path / "there")})
    item = scanned(hub, stash, clock, place(library))
    assert stash.library.scenes[int(item)].path.startswith(str(tmp_path / "there"))


def test_at_the_last_look_the_hash_tells(stash, make_hub, clock, library, tmp_path):
    (tmp_path / "there").symlink_to(library)
    stash.settings.stashes = (str(tmp_path / "there"),)
    path = place(library)
    scanned(make_hub({str(library): str(tmp_path / "there")}), stash, clock, path)
    hub = make_hub()
    with pytest.raises(ItemNotIndexed):
        hub.find(path, is_last=False)
    assert hub.find(path, is_last=True)


def test_what_stash_knows_is_moved_by_stash_under_its_own_names(stash, make_hub, clock, library, tmp_path):
    from intake.moving.plan import MoveMode, MovePlan, PlannedFile
    from intake.watching.identity import FileIdentity
    from intake.watching.root import Root
    from stash.client import StashClient

    (tmp_path / "there").symlink_to(tmp_path)
    stash.settings.stashes = (str(tmp_path / "there"),)
    rules = {str(tmp_path): str(tmp_path / "there")}
    (tmp_path / "watch").mkdir()
    source = place(tmp_path, "watch/SONE-760.mp4")
    item = scanned(make_hub(rules), stash, clock, source)
    target = str(library / "A" / "new.mp4")
    identity = FileIdentity.of((tmp_path / "watch/SONE-760.mp4").stat())
    roots = Root(str(tmp_path / "watch")), Root(str(library))
    session = Session("http", "127.0.0.1", stash.port, stash.login().removeprefix("session="), 1.0)
    owner = StashFiles(lambda: StashClient(session), PathMap(rules))
    owner.move(MovePlan("1", MoveMode.MOVE, *roots, (PlannedFile(source, target, identity),)), {"mp4"})
    owner.close()
    assert stash.library.scenes[int(item)].path == str(tmp_path / "there/library/A/new.mp4")
    assert (library / "A" / "new.mp4").read_bytes() == b"a film"


@pytest.mark.parametrize(
    ("trouble", "error"),
    [
        ("away", ServerAway),
        ("login", ServerRefuses),
        ("errors", ServerFailed),
        ("html", ServerAway),
        ("gone", ItemNotIndexed),
    ],
)
def test_every_trouble_has_its_family(stash, hub, clock, library, work, trouble, error):
    path = place(library)
    item = scanned(hub, stash, clock, path)
    if trouble == "away":
        stash.go_away()
    elif trouble == "login":
        stash.set_credentials("admin")
        stash.sessions.forget_all()
    elif trouble == "gone":
        del stash.library.scenes[int(item)]
    else:
        stash.fail_with({"errors": Fault.DATABASE_LOCKED, "html": Fault.HTML}[trouble])
    with pytest.raises(error):
        hub.write(item, work, path, {})


def test_the_doctor_is_told(hub):
    assert "Stash answers and has 5 scenes" in hub.check()
