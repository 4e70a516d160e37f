"""The path map finds itself, from names, folders and sizes."""

import time

import pytest

from matching.derivation import SAMPLE, MapOf, SizedPath, derive_path_map, measure_path_map, sample_share, sampled
from matching.path_map import parse_path_map


def both(files, mapping):
    """Stash's files, and Plex's for those whose prefix is in the mapping."""
    stash = [SizedPath(path, size) for path, size in files]
    plex = []
    for path, size in files:
        for left, right in mapping.items():
            if path.startswith(left):
                plex.append(SizedPath(right + path[len(left) :], size))
                break
    return stash, plex


def tree(root, count, *, separator="/", first_size=1000):
    return [
        (separator.join([root, f"Studio {number % 7}", f"scene {number}.mp4"]), first_size + number)
        for number in range(count)
    ]


def test_one_prefix_is_one_rule():
    derived = derive_path_map(*both(tree("/data", 50), {"/data": "/media"}))
    assert str(derived.path_map) == "/data=>/media"
    assert str(derived) == "50 of 50 files found, 1 rule"
    assert not derived.warning


def test_three_prefixes_are_three_rules():
    files = tree("/data/a", 30) + tree("/data/b", 30, first_size=5000) + tree("/old", 30, first_size=9000)
    mapping = {"/data/a": "/mnt/one", "/data/b": "/mnt/two", "/old": "/archive/x"}
    derived = derive_path_map(*both(files, mapping))
    assert set(str(derived.path_map).split("; ")) == {f"{left}=>{right}" for left, right in mapping.items()}
    assert derived.coverage == 1.0


def test_folders_of_one_root_may_lie_on_two_disks():
    files = tree("/data/a", 30) + tree("/data/b", 20, first_size=5000)
    stash, plex = both(files, {"/data/a": "/disk1/a", "/data/b": "/disk2/b"})
    derived = derive_path_map(stash, plex)
    assert derived.found == 50
    assert {derived.path_map.to_target(file.path) for file in stash} == {part.path for part in plex}


def test_windows_and_linux_meet():
    stash, plex = both(tree("D:\\Stash", 40, separator="\\"), {"D:\\Stash": "/media/plex"})
    plex = [SizedPath(part.path.replace("\\", "/"), part.size) for part in plex]
    derived = derive_path_map(stash, plex)
    assert str(derived.path_map) == "D:/Stash=>/media/plex"
    back = derive_path_map(plex, stash)
    assert str(back.path_map) == "/media/plex=>D:/Stash"
    assert derived.found == back.found == 40


def test_the_same_paths_need_no_rule():
    derived = derive_path_map(*both(tree("/data", 20), {"/data": "/data"}))
    assert derived.path_map.rules == ()
    assert derived.found == 20


def test_a_folder_that_stays_is_told_apart_from_the_root_that_moves():
    files = tree("/data", 30) + tree("/data/keep", 10, first_size=5000)
    stash, plex = both(files, {"/data/keep": "/data/keep", "/data": "/media"})
    derived = derive_path_map(stash, plex)
    assert derived.found == 40
    assert "/data/keep=>/data/keep" in str(derived.path_map)


def test_nothing_in_common_is_said_with_both_prefixes():
    stash = [SizedPath(f"/data/videos/{number}.mp4", 1000 + number) for number in range(10)]
    plex = [SizedPath(f"/media/films/film {number}.mkv", 9000 + number) for number in range(10)]
    derived = derive_path_map(stash, plex)
    assert derived.found == 0
    assert derived.warning == "Stash says “/data/videos”/…, the server says “/media/films”/…; set path_map"


def test_roots_without_a_common_folder_are_all_named():
    stash = [SizedPath("/a/x/1.mp4", 1), SizedPath("/b/y/2.mp4", 2)]
    derived = derive_path_map(stash, [SizedPath("P:\\m\\3.mp4", 3)])
    assert derived.warning == "Stash says “/a”/…, “/b”/…, the server says “P:/m”/…; set path_map"


def test_an_empty_plex_is_not_a_wrong_map():
    derived = derive_path_map([SizedPath("/data/1.mp4", 1)], [])
    assert derived.warning == "Stash says “/data”/…, the server has no files in the chosen libraries"
    assert derive_path_map([], []).warning == ""
    assert derive_path_map([], []).coverage == 0.0


def test_equal_names_of_other_size_prove_nothing():
    stash = [SizedPath(f"/data/{number}.mp4", 1000 + number) for number in range(10)]
    plex = [SizedPath(f"/media/{number}.mp4", 7000 + number) for number in range(10)]
    assert derive_path_map(stash, plex).path_map.rules == ()


def test_without_sizes_unique_ends_of_the_path_are_proof():
    stash = [SizedPath(f"/data/{folder}/video.mp4") for folder in "abcdef"]
    plex = [SizedPath(f"/media/{folder}/video.mp4") for folder in "abcdef"]
    derived = derive_path_map(stash, plex)
    assert str(derived.path_map) == "/data=>/media"
    assert derived.found == 6


def test_a_size_that_only_one_side_knows_is_no_contradiction():
    stash, plex = both(tree("/data", 20), {"/data": "/media"})
    stash[5] = SizedPath(stash[5].path)
    plex[9] = SizedPath(plex[9].path, 0)
    assert derive_path_map(stash, plex).found == 20


def test_a_file_that_two_libraries_hold_is_one_file():
    stash, plex = both(tree("/data", 20), {"/data": "/media"})
    derived = derive_path_map(stash, [*plex, *plex])
    assert str(derived) == "20 of 20 files found, 1 rule"


def test_a_stray_copy_does_not_lead_its_whole_folder_astray():
    stash, plex = both(tree("/data", 70), {"/data": "/media"})
    moved = plex[3]
    plex[3] = SizedPath("/media/backup/" + moved.path.rpartition("/")[2], moved.size)
    derived = derive_path_map(stash, plex)
    assert derived.found == 69
    assert str(derived.path_map) == "/data=>/media"


def test_files_that_were_all_moved_about_are_no_rules():
    stash = [SizedPath(f"/data/{number * 7 % 11}/{number}/{number}.mp4", number + 1) for number in range(2000)]
    plex = [SizedPath(f"/media/{number * 5 % 13}/x{number}/{number}.mp4", number + 1) for number in range(2000)]
    assert derive_path_map(stash, plex).path_map.rules == ()


def test_folders_that_differ_far_from_the_name_are_enough():
    stash = [SizedPath(f"/data/{number}/a/b/c/video.mp4", 5) for number in range(20)]
    plex = [SizedPath(f"/media/{number}/a/b/c/video.mp4", 5) for number in range(20)]
    assert str(derive_path_map(stash, plex).path_map) == "/data=>/media"


def test_a_single_file_is_enough_for_a_small_library():
    assert str(derive_path_map([SizedPath("/d/a.mp4", 1)], [SizedPath("/m/a.mp4", 1)]).path_map) == "/d=>/m"


def test_a_map_that_a_person_gave_is_measured():
    stash, plex = both(tree("/data", 20), {"/data": "/media"})
    assert str(measure_path_map(parse_path_map("/data=>/media"), stash, plex)) == "20 of 20 files found, 1 rule"
    wrong = measure_path_map(parse_path_map("/data=>/medea"), stash, plex)
    assert (wrong.coverage, wrong.warning) == (0.0, "Stash says “/data”/…, the server says “/media”/…; set path_map")


def test_the_order_of_the_files_does_not_matter():
    files = tree("/data/a", 30) + tree("/data/b", 20, first_size=5000)
    stash, plex = both(files, {"/data/a": "/disk1/a", "/data/b": "/disk2/b"})
    assert derive_path_map(stash, plex) == derive_path_map(stash[::-1], plex[::-1])


@pytest.mark.parametrize("count", [10_000])
def test_ten_thousand_files_are_no_matter(count):
    stash, plex = both(tree("/data/stash/library", count), {"/data/stash/library": "/media/plex"})
    started = time.perf_counter()
    derived = derive_path_map(stash, plex)
    assert time.perf_counter() - started < 60  # half a second; comparing each with each would take an hour
    assert derived.found == count


def test_a_sample_by_names_finds_the_same_rules_and_takes_files_of_one_name_together():
    files = [
        *(path_and_size for path_and_size in tree("/data/a", 3000)),
        *tree("/data/b", 3000, first_size=9000),  # the same names again
    ]
    stash, plex = both(files, {"/data/a": "/mnt/one", "/data/b": "/mnt/two"})
    one_in = sample_share(4 * SAMPLE)
    assert one_in == 4
    few, fewer = list(sampled(stash, one_in)), list(sampled(plex, one_in))
    assert len(stash) / 8 < len(few) < len(stash) / 2
    assert [file.path.rpartition("/")[2] for file in few] == [part.path.rpartition("/")[2] for part in fewer]
    assert derive_path_map(few, fewer).path_map == derive_path_map(stash, plex).path_map


def test_a_small_library_is_looked_at_whole():
    files = [SizedPath(path, size) for path, size in tree("/data", 100)]
    assert list(sampled(files, sample_share(len(files)))) == files
    assert (sample_share(0), sample_share(SAMPLE), sample_share(SAMPLE + 1)) == (1, 1, 2)


def test_a_folder_spelled_in_another_case_takes_no_files_from_the_rule_that_explains_them():
    files = [*tree("/data", 5), ("/data/c/one.mp4", 1), ("/data/c/two.mp4", 2)]
    stash, plex = both(files, {"/data": "/media"})
    moved = [part._replace(path=part.path.replace("/c/two", "/C/two")) for part in plex]
    derived = derive_path_map(stash, moved)
    assert str(derived.path_map) == "/data=>/media"
    assert derived.found == len(files)


def test_the_sentence_names_the_server_and_its_setting():
    here, there = [SizedPath("/data/a.mp4", 1)], [SizedPath("/media/b.mp4", 2)]
    of = MapOf("Jellyfin", "jellyfin_path_map")
    assert derive_path_map(here, there, of).warning.endswith("Jellyfin says “/media”/…; set jellyfin_path_map")
    assert "Jellyfin has no files" in derive_path_map(here, [], of).warning
