"""The matcher is never wrong: sure when it may be, silent when it must be."""

import unicodedata
from itertools import permutations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from matching.matcher import match
from matching.path_map import MapRule, PathMap, make_map, parse_path_map
from model.item import Part
from model.match import MatchConfidence, MatchRule
from model.scene import SceneFile

HIGH, LOW, NONE = MatchConfidence.HIGH, MatchConfidence.LOW, MatchConfidence.NONE
HERE = PathMap()


def part(item, path, size=None, duration=None, library=1):
    return Part(item, library, path, size, duration)


NFC, NFD = (unicodedata.normalize(form, "Café Noël") for form in ("NFC", "NFD"))

# (claim, scene file, path map, candidates, rule, item)
AWKWARD = [
    ("the plain path", "/d/a.mp4", "", ["/d/a.mp4"], MatchRule.EXACT_PATH, 1),
    ("the mapped path", "/d/a.mp4", "/d=>/m", ["/m/a.mp4", "/d/a.mp4"], MatchRule.EXACT_PATH, 1),
    ("NFC in Stash, NFD in Plex", f"/d/{NFC}.mp4", "", [f"/d/{NFD}.mp4"], MatchRule.EXACT_PATH, 1),
    ("NFD in Stash, NFC in Plex", f"/d/{NFD}.mp4", "", [f"/d/{NFC}.mp4"], MatchRule.EXACT_PATH, 1),
    ("both forms side by side", f"/d/{NFC}.mp4", "", [f"/d/{NFD}.mp4", f"/d/{NFC}.mp4"], MatchRule.EXACT_PATH, 2),
    ("case on Windows", "D:\\Vid\\A.MP4", "", ["d:\\vid\\a.mp4"], MatchRule.EXACT_PATH, 1),
    ("case on Linux", "/d/A.mp4", "", ["/d/a.mp4"], MatchRule.NOTHING, None),
    ("twins in case, seen from Windows", "D:\\A.mp4", "D:\\=>/m", ["/m/a.mp4", "/m/A.mp4"], MatchRule.EXACT_PATH, 2),
    ("backslashes", "D:/Vid\\a.mp4", "", ["D:\\Vid\\a.mp4"], MatchRule.EXACT_PATH, 1),
    ("a backslash in a Linux name", "/d/AC\\DC.mp4", "", ["/d/AC/DC.mp4"], MatchRule.NOTHING, None),
    ("UNC", "\\\\NAS\\v\\a.mp4", "", ["\\\\nas\\v\\a.mp4"], MatchRule.EXACT_PATH, 1),
    ("a long path on Plex", "P:\\v\\a.mp4", "", ["\\\\?\\P:\\v\\a.mp4"], MatchRule.EXACT_PATH, 1),
    ("a long UNC path on Plex", "\\\\nas\\v\\a.mp4", "", ["\\\\?\\UNC\\nas\\v\\a.mp4"], MatchRule.EXACT_PATH, 1),
    ("Windows to Linux", "D:\\v\\S\\a.mp4", "D:\\v=>/m", ["/m/S/a.mp4"], MatchRule.EXACT_PATH, 1),
    ("Linux to Windows", "/v/S/a.mp4", "/v=>P:\\m", ["P:\\m\\S\\a.mp4"], MatchRule.EXACT_PATH, 1),
    ("commas", "/d/a, b, c.mp4", "", ["/d/a, b.mp4", "/d/a, b, c.mp4"], MatchRule.EXACT_PATH, 2),
    ("an ampersand", "/d/A & B.mp4", "", ["/d/A.mp4", "/d/A & B.mp4"], MatchRule.EXACT_PATH, 2),
    ("a percent sign", "/d/100%20.mp4", "", ["/d/100 .mp4", "/d/100%20.mp4"], MatchRule.EXACT_PATH, 2),
    ("brackets", "/d/[x] (y) {z}.mp4", "", ["/d/[x] (y) {z}.mp4"], MatchRule.EXACT_PATH, 1),
    ("emoji", "/d/🎬👩‍👩‍👧.mp4", "", ["/d/🎬👩‍👩‍👧.mp4"], MatchRule.EXACT_PATH, 1),
    ("trailing dots", "/d/Vol. 1./a..mp4", "", ["/d/Vol. 1/a.mp4", "/d/Vol. 1./a..mp4"], MatchRule.EXACT_PATH, 2),
    ("two items for one file", "/d/a.mp4", "", ["/d/a.mp4", "/d/a.mp4"], MatchRule.AMBIGUOUS, None),
    ("one file, spelled twice", "D:\\V\\A.mp4", "", ["D:\\V\\A.mp4", "d:\\v\\a.mp4"], MatchRule.AMBIGUOUS, None),
    ("one file, once by its long path", "P:\\A.mp4", "", ["P:\\A.mp4", "\\\\?\\P:\\a.mp4"], MatchRule.AMBIGUOUS, None),
    ("the name alone", "/x/a.mp4", "", ["/d/a.mp4"], MatchRule.NAME_ONLY, 1),
    ("the name twice", "/x/a.mp4", "", ["/d/a.mp4", "/e/a.mp4"], MatchRule.AMBIGUOUS, None),
    ("nothing", "/x/a.mp4", "", ["/x/b.mp4"], MatchRule.NOTHING, None),
]


@pytest.mark.parametrize("case", AWKWARD, ids=[row[0] for row in AWKWARD])
def test_awkward_paths(case):
    _, path, mapping, paths, rule, item = case
    candidates = [part(number, each) for number, each in enumerate(paths, start=1)]
    found = match([SceneFile(path)], candidates, parse_path_map(mapping))
    assert (found.rule, found.item_id) == (rule, item)


# (claim, scene size, scene duration, candidates, confidence, rule, item); the scene's file is /data/A/x.mp4
SIZES = [
    ("same name in two folders, equal sizes", 100, None,
     [(1, "/m/A/x.mp4", 100), (2, "/m/B/x.mp4", 100)], HIGH, MatchRule.SUFFIX_SIZE, 1),
    ("same name in two folders, other sizes", 100, None,
     [(1, "/m/A/x.mp4", 100), (2, "/m/B/x.mp4", 200)], HIGH, MatchRule.SUFFIX_SIZE, 1),
    ("folder says one, size the other", 100, None,
     [(1, "/m/A/x.mp4", 200), (2, "/m/B/x.mp4", 100)], LOW, MatchRule.AMBIGUOUS, None),
    ("two roots with the folder, one size", 100, None,
     [(1, "/m/A/x.mp4", 100), (2, "/n/A/x.mp4", 200)], HIGH, MatchRule.SUFFIX_SIZE, 1),
    ("two roots with the folder, both sizes", 100, None,
     [(1, "/m/A/x.mp4", 100), (2, "/n/A/x.mp4", 100)], LOW, MatchRule.AMBIGUOUS, None),
    ("two roots, one size unknown", 100, None,
     [(1, "/m/A/x.mp4", 100), (2, "/n/A/x.mp4", None)], LOW, MatchRule.AMBIGUOUS, None),
    ("neither folder, equal sizes", 100, None,
     [(1, "/m/C/x.mp4", 100), (2, "/m/B/x.mp4", 100)], LOW, MatchRule.AMBIGUOUS, None),
    ("neither folder, one size", 100, None,
     [(1, "/m/C/x.mp4", 100), (2, "/m/B/x.mp4", 200)], LOW, MatchRule.AMBIGUOUS, None),
    ("a file moved", 100, None, [(1, "/m/old/x.mp4", 100)], HIGH, MatchRule.NAME_SIZE, 1),
    ("a file moved, its place taken", 100, None,
     [(1, "/data/A/x.mp4", 200), (2, "/data/B/x.mp4", 100)], LOW, MatchRule.AMBIGUOUS, None),
    ("a file replaced", 100, None, [(1, "/data/A/x.mp4", 200)], HIGH, MatchRule.EXACT_PATH, 1),
    ("a copy elsewhere", 100, None,
     [(1, "/data/A/x.mp4", 100), (2, "/data/B/x.mp4", 100)], HIGH, MatchRule.EXACT_PATH, 1),
    ("the longer suffix has another size", 100, None,
     [(1, "/m/data/A/x.mp4", 200), (2, "/m/A/x.mp4", 100)], LOW, MatchRule.AMBIGUOUS, None),
    ("unique name, equal duration", None, 60.0, [(1, "/m/x.mp4", None, 60.4)], HIGH, MatchRule.NAME_DURATION, 1),
    ("unique name, other duration", None, 60.0, [(1, "/m/x.mp4", None, 75.0)], LOW, MatchRule.NAME_ONLY, 1),
    ("unique name and duration, other size", 100, 60.0, [(1, "/m/x.mp4", 200, 60.0)], LOW, MatchRule.NAME_ONLY, 1),
    ("unique name, other size", 100, None, [(1, "/m/x.mp4", 200)], LOW, MatchRule.NAME_ONLY, 1),
    ("two parts of one item", 100, None,
     [(1, "/m/A/x.mp4", 100), (1, "/m/A/x-2.mp4", 300)], HIGH, MatchRule.SUFFIX_SIZE, 1),
    ("two versions of one name in one item", 100, None,
     [(1, "/m/C/x.mp4", 100), (1, "/m/D/x.mp4", 300)], HIGH, MatchRule.NAME_SIZE, 1),
]  # fmt: skip


@pytest.mark.parametrize("case", SIZES, ids=[row[0] for row in SIZES])
def test_sizes_and_durations_speak(case):
    _, size, duration, rows, confidence, rule, item = case
    candidates = [part(*row) for row in rows]
    for order in permutations(candidates):
        found = match([SceneFile("/data/A/x.mp4", size, duration)], order, HERE)
        assert (found.confidence, found.rule, found.item_id) == (confidence, rule, item)


def test_where_only_a_derived_map_leads_the_size_must_not_contradict():
    guess = make_map([MapRule("/d", "/m")], is_derived=True)
    assert match([SceneFile("/d/a.mp4", 5)], [part(1, "/m/a.mp4", 5)], guess).rule is MatchRule.EXACT_PATH
    assert match([SceneFile("/d/a.mp4", 5)], [part(1, "/m/a.mp4")], guess).rule is MatchRule.EXACT_PATH
    assert match([SceneFile("/d/a.mp4", 5)], [part(1, "/m/a.mp4", 6)], guess).confidence is LOW
    assert match([SceneFile("/x/a.mp4", 5)], [part(1, "/x/a.mp4", 6)], guess).rule is MatchRule.EXACT_PATH
    said = make_map([MapRule("/d", "/m")])
    assert match([SceneFile("/d/a.mp4", 5)], [part(1, "/m/a.mp4", 6)], said).confidence is HIGH


def test_a_persons_choice_beats_the_exact_path():
    candidates = [part(1, "/d/a.mp4", 5), part(2, "/e/b.mp4", 6)]
    found = match([SceneFile("/d/a.mp4", 5)], candidates, HERE, pinned=2)
    assert (found.rule, found.item_id, found.confidence, found.score) == (MatchRule.PINNED, 2, HIGH, 1.0)
    assert [refused.part.item_id for refused in found.turned_down] == [1]


def test_a_persons_choice_needs_no_candidate():
    found = match([], [], HERE, pinned=7)
    assert (found.item_id, found.part) == (7, None)


def test_two_parts_that_are_two_files_of_the_scene_are_one_item():
    files = [SceneFile("/d/a-1.mp4", 1), SceneFile("/d/a-2.mp4", 2)]
    found = match(files, [part(1, "/d/a-1.mp4", 1), part(1, "/d/a-2.mp4", 2)], HERE)
    assert (found.item_id, found.also, found.other_parts) == (1, (), ())


def test_files_on_two_items_follow_the_primary_and_name_the_other():
    files = [SceneFile("/d/hd.mp4", 1), SceneFile("/d/uhd.mp4", 2)]
    found = match(files, [part(1, "/d/uhd.mp4", 2), part(2, "/d/hd.mp4", 1)], HERE)
    assert [one.item_id for one in found.all] == [2, 1]
    assert found.also[0].part.path == "/d/uhd.mp4"


def test_a_second_file_speaks_where_the_primary_is_not_in_plex():
    files = [SceneFile("/d/gone.mp4", 1), SceneFile("/d/a.mp4", 2)]
    assert match(files, [part(3, "/d/a.mp4", 2)], HERE).item_id == 3


def test_files_of_the_item_that_are_not_the_scenes_are_named():
    found = match([SceneFile("/d/a.mp4")], [part(1, "/d/a.mp4"), part(1, "/d/other.mp4")], HERE)
    assert found.other_parts == ("/d/other.mp4",)


def test_a_low_match_names_its_candidates_and_why():
    found = match([SceneFile("/x/a.mp4")], [part(2, "/d/a.mp4"), part(1, "/e/a.mp4")], HERE)
    assert found.candidates == (1, 2)
    assert {refused.why for refused in found.turned_down} == {"several items have this name"}


def test_a_high_match_says_why_the_others_were_turned_down():
    candidates = [part(1, "/d/a.mp4", 5), part(2, "/e/a.mp4", 5), part(3, "/f/a.mp4", 6)]
    found = match([SceneFile("/d/a.mp4", 5)], candidates, HERE)
    assert [refused.why for refused in found.turned_down] == ["another folder", "another folder and another size"]
    assert found.candidates == (1, 2, 3)


def test_a_scene_without_files_matches_nothing():
    found = match([], [part(1, "/d/a.mp4")], HERE)
    assert (found.confidence, found.score, found.note) == (NONE, 0.0, "the scene has no file")


def test_a_server_that_ignores_case_is_believed():
    assert match([SceneFile("/d/A.mp4")], [part(1, "/D/a.mp4")], HERE, ignore_case=True).confidence is HIGH
    both = [part(1, "/d/A.mp4"), part(2, "/d/a.mp4")]
    assert match([SceneFile("/d/A.mp4")], both, HERE, ignore_case=True).rule is MatchRule.AMBIGUOUS
    assert match([SceneFile("/d/A.mp4")], both, HERE).item_id == 1


# --- laws ---------------------------------------------------------------------------------------------------------

folders = st.sampled_from(["/d", "/d/A", "/m", "/m/A", "/m/B", "D:\\v", "\\\\nas\\v"])
names = st.sampled_from(["x.mp4", "X.mp4", "y.mp4", f"{NFC}.mp4", f"{NFD}.mp4"])
sizes = st.sampled_from([None, 0, 100, 200])
durations = st.sampled_from([None, 60.0, 60.5, 90.0])


def join(folder, name):
    return folder + ("\\" if "\\" in folder else "/") + name


parts = st.builds(
    lambda item, folder, name, size, duration: part(item, join(folder, name), size, duration),
    st.integers(1, 4), folders, names, sizes, durations,
)  # fmt: skip
files = st.builds(
    lambda folder, name, size, duration: SceneFile(join(folder, name), size, duration), folders, names, sizes, durations
)
maps = st.sampled_from(["", "/d=>/m", "D:\\v=>/m", "/d/A=>/m/B"]).map(parse_path_map)


@given(st.lists(files, max_size=3), st.lists(parts, max_size=6), maps, st.randoms())
def test_the_order_of_candidates_is_indifferent(scene, candidates, path_map, random):
    shuffled = [*candidates, *candidates[:1]]
    random.shuffle(shuffled)
    assert match(scene, shuffled, path_map) == match(scene, candidates, path_map)


@given(st.lists(files, max_size=3), st.lists(parts, max_size=6), maps)
@example(
    [SceneFile("/d/x.mp4")],
    [part(1, "/d/x.mp4"), part(1, "/d/x.mp4", 0, 60.0), part(1, "/d/A/x.mp4", None, 60.0), part(1, "/d/x.mp4", 0)],
    HERE,
)  # no size and a size of nothing are two parts, whatever the order of a set
def test_a_stranger_changes_nothing(scene, candidates, path_map):
    stranger = part(99, "/elsewhere/stranger.mkv", 100, 60.0)
    assert match(scene, [*candidates, stranger], path_map) == match(scene, candidates, path_map)


@given(files, st.lists(parts, max_size=6), maps)
def test_a_sure_match_has_a_reason_no_rival_shares(file, candidates, path_map):
    found = match([file], candidates, path_map)
    if found.confidence is not HIGH:
        return
    assert found.part in candidates
    if found.rule is not MatchRule.EXACT_PATH:
        assert found.part.size == file.size or found.part.duration_seconds is not None
    rivals = [one for one in candidates if one.item_id != found.item_id and one.path == found.part.path]
    assert not [one for one in rivals if one.size == found.part.size] or found.rule is not MatchRule.EXACT_PATH


@given(st.lists(files, max_size=2), st.lists(parts, max_size=4), maps, st.integers(1, 9))
def test_a_pin_always_wins(scene, candidates, path_map, pinned):
    found = match(scene, candidates, path_map, pinned=pinned)
    assert (found.item_id, found.confidence) == (pinned, HIGH)
