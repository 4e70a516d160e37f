"""What publishing decides by itself: where a server sees a file, which pictures it gets, when it is left alone."""

import os
from dataclasses import replace

import pytest

from intake.moving.beside import picture_kind
from intake.naming.codes import read_code
from intake.naming.names import TITLE_FIELDS, BadTemplate, NameFields, check_template, shown_title
from intake.publishing.guarded import GuardedPublisher
from intake.publishing.item_change import plan_change
from intake.publishing.picture_fetch import is_picture, narrow
from intake.publishing.port import ItemNotIndexed, ServerAway, ServerRefuses
from intake.publishing.replaced_pictures import forget_oldest
from intake.publishing.scan_pace import ScanPace
from intake.publishing.server_paths import PathMap, name_key, path_key
from intake.sources.work import Work
from mediabrowser.dialect import Product
from mediabrowser.port.capabilities import capabilities_of
from model.item import Field, Item, ItemType, Tag, TagKind
from plex.capabilities import PLEX
from tests.support.clocks import FakeClock
from tests.support.intake.service import FakePublisher

SERVERS = (PLEX, *map(capabilities_of, Product))


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("/library/A/a.mp4", "/media/films/A/a.mp4"),
        ("/library/4k/a.mp4", "/media/uhd/a.mp4"),
        ("/library2/a.mp4", "/library2/a.mp4"),
        ("/win/A/a.mp4", "D:\\Films\\A\\a.mp4"),
        ("/share/a.mp4", "\\\\nas\\films\\a.mp4"),
    ],
)
def test_the_longest_prefix_says_where_a_server_sees_a_file(path, there):
    rules = {"/library": "/media/films/", "/library/4k/": "/media/uhd", "/win": "D:\\Films", "/share": "\\\\nas\\films"}
    assert PathMap(rules).there(path) == there


def test_two_spellings_of_one_place_are_one():
    assert path_key("D:\\Films\\Ame\u0301lie.mp4") == path_key("D:/Films/Am\u00e9lie.mp4")
    assert path_key("\\\\?\\D:\\a.mp4") == path_key("D:/a.mp4")
    assert name_key("D:\\Films\\a.mp4") == "a.mp4"


@pytest.mark.parametrize(
    ("url", "narrower"),
    [
        ("http://h/a.jpg", "http://h/a.jpg?w=800"),
        ("http://h/a.jpg?horizontal=1&x=y", "http://h/a.jpg?x=y&w=800"),
        ("http://h/a.jpg?w=1200&horizontal", "http://h/a.jpg?w=800"),
    ],
)
def test_the_narrower_picture_is_asked_for(url, narrower):
    assert narrow(url) == narrower


def test_a_picture_is_what_its_bytes_say():
    assert is_picture(b"\xff\xd8\xff\xe0")
    assert is_picture(b"\x89PNG\r\n\x1a\n")
    assert is_picture(b"RIFF\0\0\0\0WEBP")
    assert not is_picture(b"RIFF\0\0\0\0WAVE")
    assert not is_picture(b"<svg/>")
    assert not is_picture(b"")


def test_a_title_is_shown_as_it_is_and_never_empty():
    fields = NameFields(read_code("SONE-760"), "SONE-760 Who? What: why", ("A", "B"), "", "S", "2024-05-01")
    assert shown_title(fields, "stem") == "SONE-760 Who? What: why"
    assert shown_title(fields, "stem", "{performers} - {title} ({year})") == "A, B - Who? What: why (2024)"
    assert shown_title(fields, "stem", "{file}") == "stem"
    assert shown_title(NameFields(read_code("")), "stem") == "stem"
    check_template("{file} {title}", TITLE_FIELDS)
    with pytest.raises(BadTemplate):
        check_template("{sub} {title}", TITLE_FIELDS)


def item(*locked, is_locked_whole=False, genre=(), actor=(), **values):
    tags = {TagKind.GENRE: tuple(map(Tag, genre)), TagKind.ACTOR: tuple(map(Tag, actor))}
    known = {Field(name): value for name, value in values.items()}
    return Item("1", "1", ItemType.MOVIE, known, tags, frozenset(locked), (), is_locked_whole=is_locked_whole)


@pytest.mark.parametrize("can", SERVERS, ids=lambda can: can.name)
def test_what_is_known_is_written_and_locked_and_the_second_time_nothing_is(can):
    work = Work(overview="O", original_title="T", label="L", release_date="2024-05-01", genres=("G",))
    planned = plan_change(item(), work, "T", {}, can)
    assert {edit.field for edit in planned.change.fields} == {
        Field.TITLE,
        Field.TITLE_SORT,
        Field.ORIGINAL_TITLE,
        Field.SUMMARY,
        Field.STUDIO,
        Field.DATE,
    }
    assert all(edit.locked for edit in (*planned.change.fields, *planned.change.tags))
    shown = {edit.field.value: edit.value for edit in planned.change.fields}
    again = plan_change(item(*can.locks, genre=("g",), **shown), work, "T", planned.wrote, can)
    assert (again.change, again.wrote, again.kept) == (None, planned.wrote, ())


def test_an_item_without_a_field_is_not_sent_it():
    episode = replace(item(), type=ItemType.EPISODE)
    planned = plan_change(episode, Work(overview="O", label="L", genres=("G",)), "T", {}, PLEX)
    assert {edit.field for edit in planned.change.fields} == {Field.TITLE, Field.TITLE_SORT, Field.SUMMARY}
    assert planned.change.tags == ()


def test_a_value_that_a_person_has_locked_or_changed_is_left_alone():
    work = Work(overview="O")
    wrote = plan_change(item(), work, "T", {}, PLEX).wrote
    assert plan_change(item("summary", summary="Mine."), work, "T", {}, PLEX).kept == ("summary",)
    assert plan_change(item(summary="Mine."), work, "T", {}, PLEX).kept == ()
    assert plan_change(item(summary="Mine."), work, "T", wrote, PLEX).kept == ("summary",)
    assert plan_change(item("summary", summary=" o "), Work(overview="New"), "T", wrote, PLEX).kept == ()
    whole = item(is_locked_whole=True, summary="Mine.", title="Mine")
    assert plan_change(whole, work, "T", {}, PLEX).kept == ("summary", "title", "titleSort")


def test_a_list_that_a_person_has_locked_is_left_alone_and_is_ours_if_we_made_it():
    work = Work(genres=("Drama",))
    assert plan_change(item("genre", genre=("Home",)), work, "T", {}, PLEX).kept == ("genre",)
    wrote = plan_change(item(genre=("Home",)), work, "T", {}, PLEX).wrote
    now = item("genre", genre=("Home", "drama "))
    planned = plan_change(now, Work(genres=("Drama", "Crime")), "T", wrote, PLEX)
    assert planned.kept == ()
    assert [tag.name for edit in planned.change.tags for tag in edit.want] == ["Home", "drama ", "Crime"]


def test_nobody_is_in_a_list_twice():
    planned = plan_change(item(actor=("ruri saijo",)), Work(performers=("Ruri Saijo", "Yua")), "T", {}, PLEX)
    assert [tag.name for edit in planned.change.tags for tag in edit.want] == ["ruri saijo", "Yua"]


def test_a_picture_that_was_brought_in_with_a_file_is_known_by_its_name():
    for suffix, kind in (
        (".jpg", "thumb"),
        ("-poster.PNG", "thumb"),
        ("-fanart.webp", "art"),
        ("-banner.jpg", "banner"),
        ("-clearlogo.png", None),
        (".en.srt", None),
        ("-poster.nfo", None),
    ):
        assert picture_kind(f"/library/A/film{suffix}", "/library/A/film.mp4") == kind
    assert picture_kind("/library/A/other.jpg", "/library/A/film.mp4") is None


def test_a_server_that_does_not_answer_is_asked_once_and_not_once_a_file():
    clock, emby = FakeClock(), FakePublisher()
    guarded = GuardedPublisher(emby, clock.monotonic)
    emby.failing["find"] = ItemNotIndexed("Not yet.")
    for _ in range(2):
        with pytest.raises(ItemNotIndexed):
            guarded.find("/a", is_last=False)
    for error, waits in ((ServerAway("Away."), 5), (ServerRefuses("No."), 300)):
        emby.failing["find"] = error
        asked = len(emby.calls)
        for _ in range(3):
            with pytest.raises(type(error), match=str(error)):
                guarded.find("/a", is_last=False)
        assert len(emby.calls) == asked + 1
        clock.advance(waits)
    emby.failing.clear()
    assert guarded.find("/a", is_last=False)
    assert guarded.write("1", Work(), "/a", {}) == {"Name": ""}
    assert guarded.show_picture("1", Work(), "Primary", "") == "mark of Primary"
    assert guarded.scan(["/a"]) == {"/a"}
    assert guarded.check() == "emby answers."
    guarded.close()


def test_the_more_often_a_scan_is_asked_for_the_longer_are_the_gaps():
    clock = FakeClock()
    pace = ScanPace(clock.monotonic)
    gaps = []
    for _ in range(8):
        began = clock.time
        while not pace.is_due("folder"):
            clock.advance(1)
        gaps.append(clock.time - began)
        pace.note("folder")
    assert gaps == [0, 2, 4, 8, 16, 32, 60, 60]
    assert pace.is_due("another")
    clock.advance(180)
    pace.note("another")
    assert pace.is_due("folder")
    pace.note("folder")
    clock.advance(2)
    assert pace.is_due("folder")


def test_the_newest_of_the_replaced_pictures_are_kept(tmp_path):
    for number in range(5):
        path = tmp_path / "emby" / str(number) / "Primary-tag"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x" * 10)
        os.utime(path, (number, number))
    forget_oldest(str(tmp_path / "emby"), 25)
    assert sorted(path.parent.name for path in tmp_path.rglob("Primary-*")) == ["3", "4"]
    forget_oldest(str(tmp_path / "nowhere"))
