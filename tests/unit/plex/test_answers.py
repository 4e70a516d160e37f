"""Trees become typed values; what they lack is absent, not wrong."""

from xml.etree.ElementTree import fromstring

import pytest

from model.errors import AnswerGarbled
from model.item import Field
from model.server import ServerIdentity
from plex.details import parse_details
from plex.http.answers import as_number, checked_root
from plex.library import parse_libraries


def test_an_item_without_key_library_or_files_is_passed_over():
    root = fromstring(
        "<MediaContainer>"
        '<Video type="movie" librarySectionID="1"/><Video ratingKey="2" type="movie"/>'
        '<Video ratingKey="3" type="show" librarySectionID="1"/><Directory ratingKey="4"/>'
        '<Video ratingKey="5" type="episode" librarySectionID="1"/>'
        "</MediaContainer>"
    )
    assert [item.item_id for item in parse_details(root)] == ["5"]


def test_the_container_may_say_whose_items_these_are():
    root = fromstring('<MediaContainer librarySectionID="9"><Video ratingKey="1" type="clip"/></MediaContainer>')
    assert [item.library_key for item in parse_details(root)] == ["9"]


def test_versions_in_the_trash_have_no_files():
    versions = '<Media deletedAt="5"><Part file="/a"/></Media><Media><Part file="/b"/><Part/></Media>'
    root = fromstring(
        f'<MediaContainer librarySectionID="9"><Video ratingKey="1" type="movie">{versions}</Video></MediaContainer>'
    )
    assert [part.path for part in parse_details(root)[0].parts] == ["/b"]


def test_a_sort_title_that_plex_leaves_out_is_the_title():
    root = fromstring(
        '<MediaContainer librarySectionID="9"><Video ratingKey="1" type="movie" title="A"/></MediaContainer>'
    )
    assert parse_details(root)[0].value(Field.TITLE_SORT) == "A"


def test_a_library_without_a_key_is_none():
    assert parse_libraries(fromstring('<MediaContainer><Directory title="x"/></MediaContainer>')) == []


def test_an_empty_answer_is_an_error():
    with pytest.raises(AnswerGarbled):
        checked_root(None, "GET /")


@pytest.mark.parametrize("text", [None, "", "x", "-1", "1.5", "²", "\u0661"])
def test_what_is_no_whole_number_is_absent(text):
    assert as_number(text) is None


@pytest.mark.parametrize(("platform", "ignores"), [("Linux", False), ("MacOSX", True), ("Windows", True), ("", False)])
def test_the_platform_tells_whether_case_matters(platform, ignores):
    assert ServerIdentity("m", platform=platform).ignores_case is ignores
