"""Sidecars and parts that lie beside a video."""

import os

import pytest

from intake.moving.beside import Beside, BesideCache


def test_sidecars_share_the_stem_and_keep_what_stands_behind_it():
    beside = Beside(
        [
            "QRST-1.mp4",
            "QRST-1.srt",
            "QRST-1.zh-Hans.forced.ass",
            "QRST-1-poster.jpg",
            "QRST-1-Fanart.PNG",
            "QRST-1.nfo",
            "QRST-1-other.jpg",
            "QRST-12.srt",
            "QRST-1.txt",
            f"QRST-1.{'x' * 80}.srt",
            "poster.jpg",
            "QRST-1\udcff.srt",
        ]
    )
    assert dict(beside.sidecars("QRST-1.mp4")) == {
        "QRST-1.srt": ".srt",
        "QRST-1.zh-Hans.forced.ass": ".zh-Hans.forced.ass",
        "QRST-1-poster.jpg": "-poster.jpg",
        "QRST-1-Fanart.PNG": "-Fanart.PNG",
        "QRST-1.nfo": ".nfo",
    }


def test_a_sidecar_goes_with_the_longest_stem_there_is():
    beside = Beside(["QRST-1.mp4", "QRST-1.cd2.mp4", "QRST-1.cd2.srt", "QRST-1.srt"])
    assert beside.sidecars("QRST-1.mp4") == (("QRST-1.srt", ".srt"),)
    assert beside.sidecars("QRST-1.cd2.mp4") == (("QRST-1.cd2.srt", ".srt"),)


def test_parts_and_what_belongs_to_all_of_them():
    beside = Beside(["QRST-123-cd1.mp4", "QRST-123-cd2.mp4", "QRST-123.nfo", "QRST-123-poster.jpg", "LMNO-1.nfo"])
    assert beside.videos == ("QRST-123-cd1.mp4", "QRST-123-cd2.mp4")
    assert beside.parts("QRST-123-cd2.mp4") == ("QRST-123-cd1.mp4", "QRST-123-cd2.mp4")
    assert beside.marks("QRST-123-cd2.mp4").part == 2
    assert dict(beside.sidecars_of_all_parts("QRST-123-cd1.mp4")) == {
        "QRST-123.nfo": ".nfo",
        "QRST-123-poster.jpg": "-poster.jpg",
    }


def test_parts_come_in_the_order_of_their_numbers():
    names = ["QRST-123-CD10.mkv", "QRST-123-cd2.mp4", "QRST-123 cd1.mp4", "QRST-124-cd1.mp4"]
    assert Beside(names).parts("QRST-123-cd2.mp4") == ("QRST-123 cd1.mp4", "QRST-123-cd2.mp4", "QRST-123-CD10.mkv")
    letters = ["QRST-123-B.mp4", "QRST-123-A.mp4", "QRST-124-A.mp4"]
    assert Beside(letters).parts("QRST-123-B.mp4") == ("QRST-123-A.mp4", "QRST-123-B.mp4")
    assert Beside(letters).parts("QRST-124-A.mp4") == ("QRST-124-A.mp4",)


def test_a_film_that_is_no_part_stands_alone():
    beside = Beside(["QRST-123.mp4", "QRST-124.mp4"])
    assert beside.parts("QRST-123.mp4") == ("QRST-123.mp4",)
    assert beside.sidecars_of_all_parts("QRST-123.mp4") == ()
    assert beside.parts("not-there-cd1.mp4") == ("not-there-cd1.mp4",)


def test_a_folder_is_read_again_once_it_has_changed_or_after_a_moment(tmp_path):
    cache = BesideCache()
    (tmp_path / "QRST-1.mp4").touch()
    os.utime(tmp_path, (1, 1))
    first = cache.of_folder(str(tmp_path), 0.0)
    assert first.videos == ("QRST-1.mp4",)
    assert cache.of_folder(str(tmp_path), 0.9) is first
    assert cache.of_folder(str(tmp_path), 1.0) is not first
    (tmp_path / "QRST-2.mp4").touch()
    (tmp_path / "link.mp4").symlink_to("QRST-1.mp4")
    assert cache.of_folder(str(tmp_path), 1.1).videos == ("QRST-1.mp4", "QRST-2.mp4")


def test_what_arrives_in_the_very_moment_of_a_look_is_seen_at_the_next(tmp_path):
    cache = BesideCache()
    for number in range(20):
        (tmp_path / f"QRST-{number}.mp4").touch()
        assert len(cache.of_folder(str(tmp_path), 0.0).videos) == number + 1


@pytest.mark.parametrize(
    ("names", "subtitle"),
    [
        (["QRST-123.mp4", "QRST-123.en.srt"], "en"),
        (["QRST-123.mp4", "QRST-123.chs.ass", "QRST-123.ENG.srt"], "en"),
        (["QRST-123.mp4", "QRST-123.zh-tw.srt"], "zh"),
        (["QRST-123-C.mp4", "QRST-123-C.en.srt"], "zh"),
        (["QRST-123.mp4", "QRST-123.srt", "QRST-123.en.nfo", "QRST-123.forced.srt"], ""),
    ],
)
def test_subtitles_beside_a_video_tell_their_language_unless_its_own_name_does(names, subtitle):
    assert Beside(names).subtitle(names[0]) == subtitle
