"""A page is read whole or not at all, whatever Plex put into it."""

import pytest

from model.errors import AnswerGarbled, Kind
from plex.http.answers import cleaned, parse_xml
from plex.listing import parse_page, server_time

ITEM = (
    '<Video ratingKey="{key}" addedAt="100" updatedAt="200" title="{title}"><Media duration="61000">'
    '<Part file="{file}" size="5" duration="60500"/><Part file="{file}.2" size="6"/></Media><Genre tag="x"/></Video>'
)


def page(*items, attributes='size="{size}" totalSize="9" offset="3"'):
    return f"<MediaContainer {attributes.format(size=len(items))}>{''.join(items)}</MediaContainer>".encode()


def item(key=1, title="T", file="/d/a.mp4"):
    return ITEM.format(key=key, title=title, file=file)


def read(body, headers=None, offset=3):
    return parse_page(body, headers or {}, "2", offset)


def test_files_sizes_durations_and_times_are_read():
    got = read(page(item()))
    assert (got.offset, got.count, got.total) == (3, 1, 9)
    (one,) = got.items
    assert (one.item_id, one.added_at, one.updated_at) == ("1", 100.0, 200.0)
    assert [tuple(part) for part in one.parts] == [("1", "2", "/d/a.mp4", 5, 60.5), ("1", "2", "/d/a.mp4.2", 6, 61.0)]


def test_an_item_without_files_still_counts():
    got = read(page('<Video ratingKey="7"/>', item()))
    assert [one.item_id for one in got.items] == ["7", "1"]
    assert got.items[0].parts == []


def test_what_has_no_key_is_counted_and_passed_over():
    got = read(page('<Video><Media><Part file="/x"/></Media></Video>', item()))
    assert (got.count, len(got.items)) == (2, 1)


@pytest.mark.parametrize("dirt", ["\x0b", "\x00", "&#11;", "&#x1F;", "\ufffe"])
def test_characters_that_xml_forbids_do_not_hide_the_page(dirt):
    got = read(page(item(title=f"a{dirt}b"), item(key=2)))
    assert [one.item_id for one in got.items] == ["1", "2"]
    assert parse_xml(page(item(title=f"a{dirt}b")), "GET /")[0].get("title") == "ab"


def test_cleaning_takes_nothing_that_xml_allows():
    allowed = "a\tb\nc\rd&#9;&#10;&#x20;&#32;é漢🎬".encode()
    assert cleaned(allowed) == allowed


@pytest.mark.parametrize("cut", [1, 20, -1, -20])
def test_a_cut_page_is_an_error(cut):
    with pytest.raises(AnswerGarbled) as caught:
        read(page(item(), item(key=2))[:cut])
    assert caught.value.kind is Kind.CUT_XML


@pytest.mark.parametrize("body", [b"", b"   ", b"<Video ratingKey='1'/>"])
def test_no_page_is_an_error(body):
    with pytest.raises(AnswerGarbled):
        read(body)


def test_another_document_is_an_error():
    with pytest.raises(AnswerGarbled) as caught:
        read(b"<Response code='200'/>")
    assert caught.value.kind is Kind.HTML_PAGE
    with pytest.raises(AnswerGarbled):
        parse_xml(b"<Response code='200'/>", "GET /")


def test_a_page_that_holds_less_than_it_says_is_an_error():
    with pytest.raises(AnswerGarbled, match="came cut"):
        read(page(item(), attributes='size="2"'))


def test_the_total_may_stand_in_the_headers_or_nowhere():
    body = page(item(), attributes='size="1"')
    assert read(body, {"X-Plex-Container-Total-Size": "40"}).total == 40
    assert read(body).total == 1
    assert read(body, offset=7).offset == 7


def test_a_server_that_ignored_the_offset_says_so():
    assert read(page(item(), attributes='size="1" offset="0"'), offset=1000).offset == 0


def test_the_servers_clock_is_read_from_its_answer():
    assert server_time({"Date": "Wed, 06 May 2026 03:32:06 GMT"}) == 1778038326.0
    assert server_time({}) is server_time({"Date": "yesterday"}) is None
