"""The index knows every file, notices when it does not, and asks little."""

import sqlite3
import time

import pytest

from ledger.index_store import IndexStore, WalkState
from matching.derivation import SizedPath, derive_path_map
from matching.path_map import PathMap, parse_path_map
from model.errors import AnswerGarbled, LibraryNotFound, TargetUnreachable
from model.match import MatchConfidence, MatchRule
from model.scene import SceneFile
from plex.client import PlexClient
from sim.plex import faults
from sim.plex.server import SimPlex
from sync.index import WALK_AGAIN_SECONDS, WALK_EVERY_SECONDS, WALK_WITHOUT_CHANGES_SECONDS, PathIndex, Refreshed

NOW = 1_800_000_000.0
DAY = WALK_EVERY_SECONDS
HERE = PathMap()


@pytest.fixture
def sim(identity):
    with SimPlex(250) as server:
        server.quirks.page_cap = 100
        yield server
        assert server.disasters == []


def known(store):
    return {path for path, _ in store.all_parts()}


def on_server(sim, section="Scenes"):
    return {path for key in sim.item_ids(section) for path in sim.item(key).files}


def path_of(sim, number):
    return sim.item(sim.item_ids()[number]).files[0]


def test_a_walk_knows_every_file_in_a_handful_of_requests(sim, index, store):
    (done,) = index.refresh(NOW)
    assert (done.how, done.items) == (Refreshed.WALKED, 250)
    assert known(store) == on_server(sim)
    assert sim.journal.counts() == {"root": 1, "sections": 1, "list": 3}


def test_size_and_duration_are_remembered(sim, index, store):
    key = sim.add_item("/data/scenes/a.mp4", 4711, 60_500, more=[("/data/scenes/b.mp4", 4712, 61_000)])
    index.refresh(NOW)
    parts = {part.path: part for part in store.of_item(key)}
    assert (parts["/data/scenes/a.mp4"].size, parts["/data/scenes/a.mp4"].duration_seconds) == (4711, 60.5)
    assert (parts["/data/scenes/b.mp4"].size, parts["/data/scenes/b.mp4"].library_key) == (4712, "2")


def test_no_library_named_means_all_that_hold_videos(sim, client, store):
    done = PathIndex(store, client).refresh(NOW)
    assert [one.library.title for one in done] == ["Movies", "Scenes", "TV Shows", "Clips"]
    expected = on_server(sim) | on_server(sim, "Movies") | on_server(sim, "Clips")
    assert expected < known(store)
    assert any("/data/tv/" in path for path in known(store))


def test_several_libraries_are_named_without_regard_to_case(client, store):
    done = PathIndex(store, client, " scenes, CLIPS ").refresh(NOW)
    assert [one.library.title for one in done] == ["Scenes", "Clips"]


def test_a_title_may_hold_a_comma(sim, client, store):
    sim.add_section("Films, old", ["/data/old"])
    done = PathIndex(store, client, "Films, old, Clips").refresh(NOW)
    assert {one.library.title for one in done} == {"Films, old", "Clips"}


@pytest.mark.parametrize("names", ["Scnes", "Scnes, Holidays", "Music"])
def test_a_wrong_name_says_which_there_are(client, store, names):
    with pytest.raises(LibraryNotFound, match=r"Movies.*Scenes.*TV Shows.*Clips") as caught:
        PathIndex(store, client, names).refresh(NOW)
    assert caught.value.existing == ("Movies", "Scenes", "TV Shows", "Clips")


def test_plex_being_down_is_not_a_wrong_name(sim, client, store):
    sim.stop()
    with pytest.raises(TargetUnreachable):
        PathIndex(store, client, "Scnes").refresh(NOW)


# --- walks that go wrong ------------------------------------------------------------------------------------------


def test_a_walk_that_was_interrupted_forgets_nothing_and_is_redone(sim, index, store):
    index.refresh(NOW)
    before = known(store)
    sim.faults.add(faults.SERVER_ERROR, kind="list", skip=2, times=1)
    with pytest.raises(Exception, match="Plex failed inside"):
        index.refresh(NOW + DAY)
    assert known(store) == before
    assert store.freshness(2).state is WalkState.RUNNING
    (done,) = index.refresh(NOW + DAY + 1)
    assert done.how is Refreshed.WALKED


@pytest.mark.parametrize("fault", [faults.CUT_XML, faults.LOGIN_PAGE], ids=lambda fault: fault.name)
def test_a_broken_page_is_never_taken_for_an_empty_library(sim, index, store, fault):
    index.refresh(NOW)
    before = known(store)
    sim.faults.add(fault, kind="list")
    with pytest.raises(AnswerGarbled):
        index.refresh(NOW + DAY)
    assert known(store) == before


def test_a_list_that_moves_once_is_walked_again(sim, index, store):
    gone = sim.item_ids()[0]
    sim.after("list", lambda: sim.delete(gone))
    (done,) = index.refresh(NOW)
    assert done.how is Refreshed.WALKED
    assert known(store) == on_server(sim)
    assert sim.count("list") == 5


def test_one_gone_and_one_new_at_once_are_noticed_though_the_total_stays(sim, index, store):
    def swap():
        sim.delete(min(sim.item_ids()))
        sim.add_item("/data/scenes/swapped in.mp4")

    sim.after("list", swap)
    (done,) = index.refresh(NOW)
    assert done.how is Refreshed.WALKED
    assert known(store) == on_server(sim)


@pytest.mark.parametrize("honours_sort", [True, False])
def test_a_list_that_never_rests_is_not_believed_and_not_walked_without_end(sim, index, store, honours_sort):
    sim.quirks.honours_sort_id = honours_sort
    index.refresh(NOW)
    stays = known(store)
    for nth in range(1, 12):
        sim.after("list", lambda: sim.delete(min(sim.item_ids())), nth=nth)
    (done,) = index.refresh(NOW + DAY)
    assert done.how is Refreshed.SHIFTED
    assert known(store) == stays, "nothing may be forgotten"
    (done,) = index.refresh(NOW + DAY + 1)
    assert done.how is Refreshed.CHANGES
    (done,) = index.refresh(NOW + DAY + WALK_AGAIN_SECONDS)
    assert done.how in {Refreshed.WALKED, Refreshed.SHIFTED}


def test_a_first_walk_that_never_comes_together_is_still_of_use(sim, index, store):
    for nth in range(1, 12):
        sim.after("list", lambda: sim.delete(min(sim.item_ids())), nth=nth)
    (done,) = index.refresh(NOW)
    assert (done.how, store.count_parts() > 0) == (Refreshed.SHIFTED, True)
    (done,) = index.refresh(NOW + 1)
    assert done.how is Refreshed.UNCHANGED


def test_a_server_that_gives_far_smaller_pages_than_asked_is_walked_all_the_same(sim, index, store):
    sim.quirks.page_cap = 7
    index.refresh(NOW)
    assert known(store) == on_server(sim)


def test_the_daily_walk_forgets_what_is_gone(sim, index, store):
    index.refresh(NOW)
    keys = sim.item_ids()[:5]
    for key in keys:
        sim.delete(key)
    (done,) = index.refresh(NOW + 60)
    assert done.how is Refreshed.CHANGES
    assert any(store.of_item(key) for key in keys)
    (done,) = index.refresh(NOW + DAY)
    assert (done.how, done.forgotten >= 5) == (Refreshed.WALKED, True)
    assert known(store) == on_server(sim)


# --- changes ------------------------------------------------------------------------------------------------------


def test_new_items_come_with_the_changes(sim, index, store):
    index.refresh(NOW)
    key = sim.add_item("/data/scenes/brand new.mp4")
    sim.journal.clear()
    (done,) = index.refresh(NOW + 60)
    assert done.how is Refreshed.CHANGES
    assert [part.item_id for part in store.at_path("/data/scenes/brand new.mp4")] == [key]
    assert sim.journal.counts() == {"sections": 1, "list": 2}


def test_our_clock_does_not_matter_for_changes(sim, index, store):
    index.refresh(NOW + 10 * 365 * DAY)
    sim.add_item("/data/scenes/brand new.mp4")
    index.refresh(NOW + 10 * 365 * DAY + 60)
    assert store.at_path("/data/scenes/brand new.mp4")


class DeafToTimes(PlexClient):
    """As if the server knew neither `addedAt` nor `updatedAt`."""

    def _page(self, library, query, offset, size):
        return super()._page(library, [pair for pair in query if not pair[0].endswith(">>")], offset, size)


def test_a_server_that_cannot_tell_changes_is_not_believed(sim, identity, store):
    client = DeafToTimes(sim.url, sim.token, identity)
    index = PathIndex(store, client, "Scenes")
    index.refresh(NOW)
    since = store.freshness(2).changes_read_at
    sim.journal.clear()
    (done,) = index.refresh(NOW + 60)
    assert (done.how, sim.count("list")) == (Refreshed.UNCHANGED, 1)
    assert store.freshness(2).changes_read_at == since
    (done,) = index.refresh(NOW + WALK_WITHOUT_CHANGES_SECONDS)
    assert done.how is Refreshed.WALKED
    client.close()


# --- look-ups -----------------------------------------------------------------------------------------------------


def resolve(index, path, size=None, path_map=HERE):
    return index.resolve([SceneFile(path, size)], path_map)


def test_a_file_that_is_known_costs_no_request(sim, index):
    index.refresh(NOW)
    path = path_of(sim, 7)
    sim.journal.clear()
    assert resolve(index, path).item_id == sim.item_ids()[7]
    assert sim.count() == 0


AWKWARD_NAMES = [
    "plain.mp4",
    "a, b, and c.mp4",
    "ends with a comma,.mp4",
    ", .mp4",
    "Rock & Roll + more.mp4",
    "100% pure %20 #1.mp4",
    "[1080p] (2024) {x}.mp4",
    "Cafe\u0301 nai\u0308ve.mp4",
    "Caf\u00e9 na\u00efve.mp4",
    "🎬 emoji 👩‍👩‍👧.mp4",
    "dots...mp4",
    'question? star* pipe| quote".mp4',
]


@pytest.mark.parametrize("name", AWKWARD_NAMES)
def test_a_file_that_came_since_is_looked_up_by_name(sim, index, name):
    index.refresh(NOW)
    key = sim.add_item(f"/data/scenes/sub/{name}", 4711)
    sim.add_item(f"/data/archive/other/{name}", 4712)
    sim.journal.clear()
    found = resolve(index, f"/data/scenes/sub/{name}", 4711)
    assert (found.item_id, found.rule) == (key, MatchRule.EXACT_PATH)
    assert sim.count() <= 3


def test_a_look_up_never_trusts_a_server_that_ignores_the_filter(sim, index, store):
    index.refresh(NOW)
    sim.quirks.knows_file_filter = False
    before = known(store)
    sim.journal.clear()
    for name in ("nowhere", "nor here"):
        assert resolve(index, f"/data/scenes/{name}.mp4").confidence is MatchConfidence.NONE
    assert known(store) == before
    assert sim.count("list") == 1, "asked once, not for every file"


def test_not_found_is_not_remembered(sim, index):
    index.refresh(NOW)
    assert resolve(index, "/data/scenes/late.mp4").confidence is MatchConfidence.NONE
    key = sim.add_item("/data/scenes/late.mp4")
    assert resolve(index, "/data/scenes/late.mp4").item_id == key


def test_an_item_rebuilt_under_a_new_key_is_found_again(sim, index, store):
    index.refresh(NOW)
    path, old = path_of(sim, 7), sim.item_ids()[7]
    new = sim.rebuild(old)
    found = index.find_again(old, path)
    assert {part.item_id for part in found if part.path == path} == {new}
    assert store.of_item(old) == []
    assert resolve(index, path).item_id == new


def test_a_twin_in_case_hides_nobody(sim, index):
    sim.add_item("/data/scenes/TWIN.mp4", 5)
    key = sim.add_item("/data/archive/twin.mp4", 6)
    index.refresh(NOW)
    assert resolve(index, "/data/scenes/twin.mp4", 6).item_id == key
    assert resolve(index, "/data/scenes/twin.mp4").item_id == key


def test_two_items_for_one_file_are_not_guessed_between(sim, index):
    sim.add_item("/data/scenes/twice.mp4", 5)
    sim.add_item("/data/scenes/twice.mp4", 5)
    index.refresh(NOW)
    found = resolve(index, "/data/scenes/twice.mp4", 5)
    assert (found.rule, len(found.candidates)) == (MatchRule.AMBIGUOUS, 2)


def test_a_file_moved_is_followed_by_name_and_size(sim, index):
    index.refresh(NOW)
    key = sim.add_item("/data/archive/moved here.mp4", 987_654)
    found = resolve(index, "/data/scenes/was here/moved here.mp4", 987_654)
    assert (found.item_id, found.rule) == (key, MatchRule.NAME_SIZE)


def test_a_windows_server_is_matched_through_the_map(sim, client, store):
    sim.add_section("Win", ["\\\\?\\P:\\Media"])
    key = sim.add_item("\\\\?\\P:\\Media\\Studio\\A File.mp4", 77, section="Win")
    index = PathIndex(store, client, "Win")
    path_map = parse_path_map("/stash=>P:\\Media")
    assert resolve(index, "/stash/studio/a file.mp4", 77, path_map).item_id == key


def test_the_map_is_derived_from_the_index(sim, index, store):
    index.refresh(NOW)
    stash = [SizedPath(path.replace("/data/", "/stash/library/", 1), size) for path, size in store.all_parts()]
    derived = derive_path_map(stash, index.sized_paths())
    assert str(derived.path_map) == "/stash/library=>/data"
    assert derived.coverage == 1.0


def test_a_name_contained_in_hundreds_of_others_is_found_among_them(sim, index):
    for number in range(230):
        sim.add_item(f"/data/scenes/x/{number}1.mp4", 1000 + number)
    index.refresh(NOW)
    key = sim.add_item("/data/scenes/x/1.mp4", 5)
    assert resolve(index, "/data/scenes/x/1.mp4", 5).item_id == key


def test_what_lies_in_plexs_trash_is_no_place_to_write_to(sim, client, index, scenes):
    sim.quirks.empties_trash = False
    old = sim.add_item("/data/scenes/a/trashed.mp4", 77)
    index.refresh(NOW)
    sim.move_file("/data/scenes/a/trashed.mp4", "/data/scenes/b/trashed.mp4")
    scan = client.start_scan(scenes, "/data/scenes")
    while not scan.is_done:
        time.sleep(0.02)
        scan = client.look_at_scan(scan)
    assert client.details_of(old).parts == ()
    index.refresh(NOW + 1, full=True)
    found = resolve(index, "/data/scenes/b/trashed.mp4", 77)
    assert (found.item_id, found.rule, found.turned_down) == (
        sim.find("/data/scenes/b/trashed.mp4"),
        MatchRule.EXACT_PATH,
        (),
    )
    assert found.item_id != old


# --- the file -----------------------------------------------------------------------------------------------------


def test_libraries_no_longer_chosen_are_forgotten(client, store):
    PathIndex(store, client, "Scenes, Clips").refresh(NOW)
    PathIndex(store, client, "Clips").refresh(NOW + 1)
    assert all(path.startswith("/data/clips/") for path in known(store))


def test_another_server_starts_with_an_empty_index(sim, make_client, store):
    PathIndex(store, make_client(), "Scenes").refresh(NOW)
    sim.become_another_server("b" * 40)
    (done,) = PathIndex(store, make_client(), "Scenes").refresh(NOW + 1)
    assert done.how is Refreshed.WALKED


def test_of_two_walks_at_once_the_later_decides_and_neither_loses_a_file(sim, index, store):
    index.refresh(NOW)
    library = index.libraries()[0]
    items = [item for page in index._client.walk(library) for item in page.items]
    early = store.begin_walk(library, sim.server_id, NOW + 1)
    late = store.begin_walk(library, sim.server_id, NOW + 2)
    store.add(items, late)
    store.add(items, early)
    assert store.complete_walk(library.key, early, NOW + 3, NOW) == 0
    assert store.complete_walk(library.key, late, NOW + 4, NOW) == 0
    assert known(store) == on_server(sim)


def test_the_index_touches_no_other_table_and_waits_for_other_writers(tmp_path, index, store):
    with sqlite3.connect(tmp_path / "ledger.db") as other:
        other.execute("CREATE TABLE scene (id)")
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()
    index.refresh(NOW)
    again = IndexStore(str(tmp_path / "ledger.db"))
    assert again.count_parts() == store.count_parts()
    again.close()
