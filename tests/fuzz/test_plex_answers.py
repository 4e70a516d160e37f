"""Whatever Plex answers is understood or a TargetError; no walk is endless; only the item that is meant is written."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.baseline import Baseline
from ledger.index_store import IndexStore
from model.errors import TargetError
from model.picture import PictureKind
from model.server import Library
from plex.client import PlexClient
from plex.http.answers import parse_xml
from plex.listing import parse_page
from plex.scan import Scan
from stash.exceptions import StashError
from stash.scenes import parse_scene
from sync.index import PathIndex
from tests.fuzz.test_stash_answers import SCENE, objects
from tests.support.damage import damaged
from tests.support.fake_plex import FakePlex, markup
from tests.support.planning import make_plan
from validation.config import Stash2PlexConfig
from validation.metadata import InvalidMetadata, SyncMetadata

LIBRARY = Library(1, "Scenes", "movie", ("/data",))
PART = ["Part", {"id": "5", "file": "/data/a.mp4", "size": "1234", "duration": "60500"}, []]
TAGS = [[name, {"id": "3", "tag": "T"}, []] for name in ("Genre", "Role", "Collection", "Director")]
LOCKS = [["Field", {"locked": "1", "name": "title"}, []]]
STAMPS = {"addedAt": "1700000000", "updatedAt": "1700000001"}
VIDEO = [
    "Video",
    {"ratingKey": "10", "type": "movie", "title": "Old", "summary": "", "studio": "S", "userRating": "7.5", **STAMPS},
    [["Media", {"id": "4", "duration": "60500"}, [PART]], *TAGS, *LOCKS],
]
OTHER = ["Video", {**VIDEO[1], "ratingKey": "11"}, VIDEO[2]]
ITEMS = ["MediaContainer", {"size": "2", "totalSize": "2", "offset": "0", "librarySectionID": "1"}, [VIDEO, OTHER]]
LONG = ["MediaContainer", {**ITEMS[1], "totalSize": "5000"}, ITEMS[2]]
SECTION = [
    "Directory",
    {"key": "1", "type": "movie", "title": "Scenes", "scannedAt": "1"},
    [["Location", {"path": "/d"}, []]],
]
SECTIONS = ["MediaContainer", {"size": "1"}, [SECTION]]
PHOTOS = ["MediaContainer", {"size": "1"}, [["Photo", {"ratingKey": "upload://posters/ab", "selected": "1"}, []]]]
DOCUMENTS = [
    ITEMS,
    SECTIONS,
    PHOTOS,
    ["MediaContainer", {"size": "0"}, [["Activity", {"type": "x"}, [["Context", {}, []]]]]],
]
CONFIG = Stash2PlexConfig(plex_url="http://plex:32400", plex_token="token-1234567")


def whole(document):
    return damaged(document).map(lambda node: markup(node).encode("utf-8", "replace"))


@st.composite
def bodies(draw, *documents):
    """Draw an answer: damaged in what it says, and now and then also cut or smeared on its way."""
    body = draw(st.one_of([whole(document) for document in documents]))
    how = draw(st.integers(0, 5))
    place = draw(st.integers(0, len(body)))
    if how == 0:
        return body[:place]
    if how == 1:
        return body[:place] + draw(st.binary(max_size=8)) + body[place:]
    return body


HEADERS = st.dictionaries(
    st.sampled_from(["Date", "X-Plex-Container-Total-Size", "Content-Type"]),
    st.text(string.printable.strip(), max_size=30)
    | st.sampled_from(["Mon, 01 Jan 0001 00:00:00 GMT", "9" * 400, "-5"]),
)
STATUSES = st.sampled_from([200] * 8 + [201, 204, 301, 400, 401, 403, 404, 414, 429, 500, 502, 503, 520])


@given(bodies(*DOCUMENTS), HEADERS, STATUSES)
def test_every_question_is_answered_or_fails_in_our_own_words(body, headers, status):
    questions = [
        PlexClient.libraries,
        PlexClient.probe,
        lambda client: list(client.walk(LIBRARY)),
        lambda client: client.changes_since(LIBRARY, 1600000000.0),
        lambda client: client.find_file(LIBRARY, "/data/a.mp4"),
        lambda client: client.details(["10", "11"]),
        lambda client: client.pictures("10", PictureKind.POSTER),
        lambda client: client.look_at_scan(Scan(1, "/data")),
    ]
    for question in questions:
        plex = FakePlex(lambda *_: (status, headers, body))
        client = plex.client()
        try:
            question(client)
        except TargetError as error:
            assert str(error)
        client.close()
        assert plex.writes == []


@given(whole(LONG), st.lists(whole(LONG), min_size=1, max_size=3))
def test_walks_end_whatever_totals_and_offsets_say(first, rest):
    pages = [first, *rest]
    plex = FakePlex(lambda *_: (200, {}, pages.pop(0) if len(pages) > 1 else pages[0]))
    client = plex.client()
    for walk in (lambda: list(client.walk(LIBRARY)), lambda: client.changes_since(LIBRARY, 0.0)):
        try:
            walk()
        except TargetError as error:
            assert str(error)
    client.close()


@given(bodies(ITEMS), HEADERS)
def test_a_page_is_read_or_refused(body, headers):
    try:
        page = parse_page(body, headers, 1, 0)
    except TargetError:
        return
    for item in page.items:
        assert 0 <= int(item.item_id) < 2**63
        assert all(part.path and (part.size is None or 0 <= part.size < 2**63) for part in item.parts)


@given(st.binary(max_size=200) | bodies(ITEMS))
def test_a_tree_is_read_or_refused(body):
    try:
        parse_xml(body, "GET /x")
    except TargetError as error:
        assert str(error)


def write_through(body, metadata):
    """Read item 10, plan, and write what the plan says; whatever fails must fail in our own words."""
    plex = FakePlex(lambda *_: (200, {}, body))
    client = plex.client()
    try:
        shown = client.details(["10"]).get("10")
        plan = make_plan(metadata, shown, Baseline(), CONFIG) if shown else None
        if plan and plan.edit:
            client.edit(plan.edit)
    except TargetError as error:
        assert str(error)
    client.close()
    return plex


def test_an_undamaged_answer_is_written_to():
    """Or the fuzzer below would prove nothing."""
    plex = write_through(markup(ITEMS).encode(), SyncMetadata.of(parse_scene(SCENE)))
    assert [query["id"] for _, _, query in plex.writes] == [["10"]]


@given(bodies(ITEMS), objects(damaged(SCENE)))
def test_nothing_is_written_but_to_the_item_that_was_asked_for(body, raw):
    try:
        metadata = SyncMetadata.of(parse_scene(raw))
    except (StashError, InvalidMetadata):
        return
    plex = write_through(body, metadata)
    for method, path, query in plex.writes:
        assert method == "PUT"
        assert re.fullmatch(r"/library/sections/\d+/all", path)
        assert query["id"] == ["10"]
        assert query["type"][0] in {"1", "4", "12"}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    opened = IndexStore(str(tmp_path_factory.mktemp("index") / "ledger.db"))
    yield opened
    opened.close()


@given(
    pages=st.lists(whole(ITEMS) | whole(LONG), min_size=1, max_size=3),
    sections=st.one_of(st.just(markup(SECTIONS).encode()), whole(SECTIONS)),
)
def test_the_index_takes_any_page_or_refuses_it(store, pages, sections):
    def answer(_method, path, _query):
        if path == "/library/sections":
            return 200, {}, sections
        return 200, {}, pages.pop(0) if len(pages) > 1 else pages[0]

    plex = FakePlex(answer)
    client = plex.client()
    try:
        list(PathIndex(store, client, "").refresh(1700000000.0))
    except TargetError as error:
        assert str(error)
    finally:
        store.keep_only((), "")
        client.close()
