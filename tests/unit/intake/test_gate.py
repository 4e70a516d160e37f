"""The gate: each refusal has its word, and a sentence that names the file."""

import pytest

from intake.naming.shown import printable, quoted
from intake.watching.gate import GateRules, refuse
from intake.watching.identity import FileIdentity
from intake.watching.seen import FileKind, SeenFile

MEGABYTE = 1 << 20


def seen(relative, *, size=900 * MEGABYTE, kind=FileKind.FILE):
    return SeenFile(f"/watch/{relative}", relative, FileIdentity(1, size, 2), kind)


def word(file, *, beside=(), rules=None):
    refusal = refuse(file, beside, rules or GateRules())
    if refusal is None:
        return None
    assert printable(file.relative) in refusal.sentence
    return refusal.word


@pytest.mark.parametrize(
    "relative", ["QRST-123.mp4", "folder/QRST-123.MKV", "QRST-123.part1.mp4", "a.iso", "Sampled.mp4", "f137.mp4"]
)
def test_a_video_is_taken(relative):
    assert word(seen(relative)) is None


@pytest.mark.parametrize(
    ("relative", "expected"),
    [
        ("QRST-123.srt", "extension"),
        ("QRST-123", "extension"),
        ("mp4", "extension"),
        (".QRST-123.mp4", "hidden"),
        ("errors/QRST-123.mp4", "ignored_folder"),
        ("a/@eaDir/QRST-123.mp4", "ignored_folder"),
        ("#recycle/QRST-123.mp4", "ignored_folder"),
        (".trash-1000/QRST-123.mp4", "ignored_folder"),
        ("_UNPACK_QRST-123/QRST-123.mp4", "ignored_folder"),
        ("incomplete/QRST-123.mp4", "ignored_folder"),
        ("QRST-123.mp4.part", "temporary"),
        ("QRST-123.mp4.part-Frag12", "temporary"),
        ("QRST-123.mp4.ytdl", "temporary"),
        ("QRST-123.mp4.crdownload", "temporary"),
        ("QRST-123.mp4.!qB", "temporary"),
        ("QRST-123.mp4.!ut", "temporary"),
        ("QRST-123.tmp", "temporary"),
        ("QRST-123.mp4.download", "temporary"),
        ("QRST-123.mp4.partial~", "temporary"),
        ("QRST-123.mp4~", "temporary"),
        ("QRST-123.f137.mp4", "temporary"),
        ("QRST-123.temp.mp4", "temporary"),
        ("QRST-123\udcff.mp4", "name"),
    ],
)
def test_a_name_that_is_not_taken(relative, expected):
    assert word(seen(relative)) == expected


def test_a_companion_tells_an_unfinished_download():
    assert word(seen("QRST-123.mp4"), beside={"QRST-123.mp4", "QRST-123.mp4.aria2"}) == "temporary"


def test_links_and_devices_are_not_taken():
    assert word(seen("QRST-123.mp4", kind=FileKind.LINK)) == "link"
    assert word(seen("QRST-123.mp4", kind=FileKind.OTHER)) == "not_a_file"


def test_size_counts_but_not_for_a_file_that_only_points_to_a_stream():
    rules = GateRules(min_size=100 * MEGABYTE)
    assert word(seen("QRST-123.mp4", size=MEGABYTE), rules=rules) == "too_small"
    assert word(seen("QRST-123.strm", size=60), rules=rules) is None
    assert word(seen("QRST-123.mp4", size=0)) == "too_small"


@pytest.mark.parametrize("relative", ["sample.mp4", "QRST-123-sample.mp4", "QRST-123.trailer.mkv", "sample-qrst.mp4"])
def test_a_small_sample_is_not_taken_and_a_large_one_is_a_film(relative):
    assert word(seen(relative, size=20 * MEGABYTE)) == "sample"
    assert word(seen(relative)) is None


def test_a_person_may_set_what_is_taken():
    rules = GateRules(extensions=frozenset({"ogv"}), ignored_folders=frozenset({"Later"}))
    assert word(seen("QRST-123.ogv"), rules=rules) is None
    assert word(seen("QRST-123.mp4"), rules=rules) == "extension"
    assert word(seen("later/QRST-123.ogv"), rules=rules) == "ignored_folder"


def test_a_path_in_a_sentence_ends_where_its_marks_do_and_can_be_printed():
    assert quoted("a\udcff\u201d.mp4") == '\u201ca\\xff".mp4\u201d'
