"""What real servers have said is understood. The recordings lie beside the repository, not in it."""

from pathlib import Path

import pytest
import yaml

from plex.answers import parse_xml
from plex.details import parse_details
from plex.exceptions import PlexMaintenance, from_status
from plex.item import Field, TagKind
from plex.library import parse_libraries
from plex.listing import parse_page

SAMPLES = Path(__file__).parents[3].parent / "shared" / "samples" / "plex"
CASSETTES = "media_preview_generator/test_servers_plex_vcr"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the recordings are not here")


def recorded(name):
    return (SAMPLES / name).read_bytes()


def test_libraries():
    libraries = parse_libraries(parse_xml(recorded("media_preview_generator/library_sections.xml"), "GET"))
    assert [(one.key, one.title, one.holds_videos, one.locations) for one in libraries] == [
        (1, "Movies", True, ("/data/movies",)),
        (2, "TV Shows", True, ("/data/tv",)),
        (3, "Photos", False, ("/data/photos",)),
    ]


def test_a_listing_without_files_and_totals():
    page = parse_page(recorded("home-assistant-core/plex/library_movies_all.xml"), {}, 1, 0)
    assert (page.count, page.total, len(page.items)) == (5, 5, 5)


def test_a_count_alone():
    page = parse_page(recorded("home-assistant-core/plex/library_movies_metadata.xml"), {}, 1, 0)
    assert (page.count, page.total) == (0, 538)


def test_details():
    items = parse_details(parse_xml(recorded("home-assistant-core/plex/media_1.xml"), "GET"))
    assert [(item.rating_key, item.library_key, item.value(Field.TITLE)) for item in items] == [(1, 1, "Movie 1")]
    assert len(items[0].names(TagKind.ACTOR)) >= 3


@pytest.mark.parametrize(
    ("name", "count"), [("known_path_resolves_to_rating_key", 1), ("unknown_path_returns_none_via_file_filter", 0)]
)
def test_a_look_up_by_file(name, count):
    cassette = yaml.safe_load(recorded(f"{CASSETTES}/TestResolveOnePathContract.test_{name}.yaml"))
    (answer,) = [one["response"] for one in cassette["interactions"] if "file=" in one["request"]["uri"]]
    headers = {name: values[0] for name, values in answer["headers"].items()}
    page = parse_page(answer["body"]["string"].encode(), headers, 1, 0)
    assert page.count == count
    assert page.server_time is not None
    assert all(part.size and part.duration_seconds for item in page.items for part in item.parts)
    assert sum(len(item.parts) for item in page.items) == count


@pytest.mark.parametrize("name", ["503-maintenance-startup.xml", "503-maintenance-migrations.xml"])
def test_maintenance(name):
    assert type(from_status(503, "GET", "/identity", recorded(f"excerpts/{name}"))) is PlexMaintenance
