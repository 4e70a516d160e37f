"""The user's path map: read strictly, applied by whole folders, the longest prefix first."""

import pytest

from matching.path_map import PathMap, PathMapError, parse_path_map

APPLIED = [
    ("/data=>/media", "/data/a/b.mp4", "/media/a/b.mp4"),
    ("/data=>/media", "/database/a.mp4", "/database/a.mp4"),
    ("/data=>/media", "/Data/a.mp4", "/Data/a.mp4"),
    ("/data/=>/media/", "/data/a.mp4", "/media/a.mp4"),
    ("/=>/mnt/stash", "/a.mp4", "/mnt/stash/a.mp4"),
    ("/mnt=>/", "/mnt/a.mp4", "/a.mp4"),
    ("/data=>/one; /data/x=>/two", "/data/x/a.mp4", "/two/a.mp4"),
    ("/data/x=>/two\n/data=>/one;", "/data/y/a.mp4", "/one/y/a.mp4"),
    ("D:\\Videos=>/media", "d:\\videos\\Sub\\a.mp4", "/media/Sub/a.mp4"),
    ("/data=>P:\\Media", "/data/Sub/a.mp4", "P:/Media/Sub/a.mp4"),
    ("\\\\nas\\share=>/media", "\\\\?\\UNC\\nas\\share\\a.mp4", "/media/a.mp4"),
    ("/data/Cafe\u0301=>/media", "/data/Caf\u00e9/a.mp4", "/media/a.mp4"),
    ("/a, b & c=>/x = y", "/a, b & c/1.mp4", "/x = y/1.mp4"),
    ("/data=>/media; /data=>/media", "/data/a.mp4", "/media/a.mp4"),
    ("", "/data/a.mp4", "/data/a.mp4"),
]


@pytest.mark.parametrize(("text", "stash", "plex"), APPLIED)
def test_a_path_is_mapped(text, stash, plex):
    assert parse_path_map(text).to_target(stash) == plex


PROBLEMS = [
    ("/data", "must read"),
    ("/a=>/b=>/c", "must read"),
    ("=>/media", "lacks the Stash prefix"),
    ("/data=>", "lacks the Plex prefix"),
    ("data=>/media", "no absolute Stash path"),
    ("/data=>media", "no absolute Plex path"),
    ("/data=>/one;/data=>/two", "cannot be both “/one” and “/two”"),
]


@pytest.mark.parametrize(("text", "says"), PROBLEMS)
def test_a_mistake_is_named(text, says):
    with pytest.raises(PathMapError, match=says):
        parse_path_map(text)


def test_all_mistakes_are_named_at_once():
    with pytest.raises(PathMapError) as caught:
        parse_path_map("/data; x=>/y; =>")
    assert len(caught.value.problems) == 3


def test_a_map_prints_as_it_is_written():
    assert str(parse_path_map("/data=>/media; /=>/x")) == "/data=>/media; /=>/x"
    assert str(PathMap()) == ""


def test_a_rule_is_told_in_words():
    (rule,) = parse_path_map("/data=>/media").rules
    assert rule.in_words() == "“/data” is “/media”"


def test_the_way_back_gives_every_path_that_leads_there_and_no_other():
    rules = parse_path_map("/stash=>/plex; /other=>/plex; /stash/deep=>/elsewhere")
    assert rules.from_target("/plex/a.mp4") == ["/other/a.mp4", "/stash/a.mp4", "/plex/a.mp4"]
    assert rules.from_target("/plex/deep/a.mp4") == ["/other/deep/a.mp4", "/plex/deep/a.mp4"]
    assert rules.from_target("/stash/a.mp4") == []
    assert parse_path_map("").from_target("/plex/a.mp4") == ["/plex/a.mp4"]
