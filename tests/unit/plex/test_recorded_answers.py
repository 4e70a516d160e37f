"""Answers in the shapes that real servers were seen to give are understood."""

from pathlib import Path

import pytest

from model.errors import TargetStarting
from model.item import Field, TagKind
from plex.details import parse_details
from plex.exceptions import from_status
from plex.http.answers import parse_xml
from plex.library import parse_libraries
from plex.listing import parse_page

DATA = Path(__file__).parents[2] / "data" / "plex"
HEADERS = {"Date": "Wed, 06 May 2026 03:32:06 GMT", "X-Plex-Container-Start": "0", "X-Plex-Protocol": "1.0"}


def answer(name):
    return (DATA / name).read_bytes()


def test_libraries():
    libraries = parse_libraries(parse_xml(answer("libraries.xml"), "GET"))
    assert [(one.key, one.title, one.holds_videos, one.locations) for one in libraries] == [
        ("1", "Films", True, ("/srv/films",)),
        ("2", "Series", True, ("/srv/series",)),
        ("3", "Pictures", False, ("/srv/pictures",)),
    ]


def test_a_listing_without_files_and_totals():
    page = parse_page(answer("listing-without-files.xml"), {}, 1, 0)
    assert (page.count, page.total, len(page.items)) == (5, 5, 5)


def test_a_count_alone():
    page = parse_page(answer("count.xml"), {}, 1, 0)
    assert (page.count, page.total) == (0, 712)


def test_details():
    items = parse_details(parse_xml(answer("details.xml"), "GET"))
    assert [(item.item_id, item.library_key, item.value(Field.TITLE)) for item in items] == [("4", "1", "Film 4")]
    assert items[0].names(TagKind.ACTOR) == ("Ada Lane", "Cy Holm", "Dee Frost")


@pytest.mark.parametrize(("name", "count"), [("file-found.xml", 1), ("file-not-found.xml", 0)])
def test_a_look_up_by_file(name, count):
    page = parse_page(answer(name), {**HEADERS, "X-Plex-Container-Total-Size": str(count)}, 1, 0)
    assert page.count == count
    assert page.server_time is not None
    assert all(part.size and part.duration_seconds for item in page.items for part in item.parts)
    assert sum(len(item.parts) for item in page.items) == count


@pytest.mark.parametrize("name", ["503-startup.xml", "503-migrations.xml"])
def test_maintenance(name):
    assert type(from_status(503, "GET", "/identity", answer(name))) is TargetStarting
