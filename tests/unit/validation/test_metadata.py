"""A scene on its way to Plex: what is mended, what is refused, what its fingerprint sees."""

import string
from dataclasses import replace
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from model.change import FieldEdit, ItemChange
from model.item import Field, Item, ItemType
from model.scene import Scene, SceneFile
from plex.edit import requests_for
from validation.metadata import MAX_SUMMARY_BYTES, InvalidMetadata, SyncMetadata
from validation.sanitizers import MAX_CHARACTERS

EMPTY = Scene(
    id=7,
    title="",
    code="",
    details="",
    director="",
    date="",
    rating100=None,
    organized=False,
    updated_at="",
    files=(SceneFile("/media/A Film.2024.mp4", 1000, 60.5),),
    screenshot="",
    studio="",
    performers=(),
    tags=(),
    groups=(),
)
FULL = replace(
    EMPTY,
    title="A\nTitle",
    code=" AB-1 ",
    details="One.\r\n\r\n\r\nTwo. ",
    director="D.\u00a0Irector",
    date="2024-05",
    rating100=87,
    organized=True,
    screenshot="http://stash/scene/7/screenshot?t=1",
    studio="Stu\tdio",
    performers=("Jane Doe", "jane doe", "Smith, John"),
    tags=("Solo", "SOLO", "\u65e5\u672c"),
    groups=("Series", ""),
)
FILLED_IN = {
    "title": "T",
    "details": "d",
    "studio": "s",
    "date": "2024",
    "code": "c",
    "director": "d",
    "performers": ("p",),
    "tags": ("t",),
    "groups": ("g",),
    "rating100": 0,
}


def test_a_scene_comes_out_clean():
    assert SyncMetadata.of(FULL) == SyncMetadata(
        scene_id=7,
        title="A Title",
        has_own_title=True,
        summary="One.\n\nTwo.",
        studio="Stu dio",
        date="2024-05-01",
        tagline="AB-1",
        director="D. Irector",
        rating=8.7,
        performers=("Jane Doe", "Smith, John"),
        tags=("Solo", "\u65e5\u672c"),
        groups=("Series",),
        organized=True,
        files=(SceneFile(path="/media/A Film.2024.mp4", size=1000, duration=60.5),),
    )


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/media/A Film.2024.mp4", "A Film.2024"),
        ("C:\\Videos\\A Film.mkv", "A Film"),
        ("C:\\Videos/A Film.mkv", "A Film"),
        ("\\\\nas\\share\\A Film.mkv", "A Film"),
        ("/media/AC\\DC.mp4", "AC\\DC"),
        ("/media/no extension", "no extension"),
        ("/media/.hidden", ".hidden"),
        ("/media/  .mp4", ".mp4"),
        ("/media/two\nlines.mp4", "two lines"),
    ],
)
def test_an_untitled_scene_is_named_after_its_primary_file(path, title):
    metadata = SyncMetadata.of(replace(EMPTY, title=" \u200b", files=(SceneFile(path, 1, 1.0), *EMPTY.files)))
    assert (metadata.title, metadata.has_own_title) == (title, False)


@pytest.mark.parametrize("files", [(), (SceneFile("", 0, 0.0),), (SceneFile("/media/", 0, 0.0),)])
def test_a_scene_with_neither_title_nor_file_name_is_refused(files):
    with pytest.raises(InvalidMetadata) as refusal:
        SyncMetadata.of(replace(EMPTY, files=files))
    assert refusal.value.field == "title"
    assert str(refusal.value) == "title: there is none, and no file to take it from; give the scene a title in Stash."


def test_a_titled_scene_needs_no_file():
    metadata = SyncMetadata.of(replace(EMPTY, title="T", files=()))
    assert (metadata.title, metadata.files) == ("T", ())


def test_an_impossible_date_is_kept_back_by_name_and_nothing_else_is():
    metadata = SyncMetadata.of(replace(FULL, date="2024-13-45"))
    assert metadata.unusable == (("date", "'2024-13-45' is not a date; correct it in Stash."),)
    assert metadata == SyncMetadata.of(FULL).model_copy(update={"date": "", "unusable": metadata.unusable})


def test_a_complaint_quotes_only_the_beginning_of_a_long_value():
    ((_, complaint),) = SyncMetadata.of(replace(FULL, date="x" * 5000)).unusable
    assert len(complaint) < 150


def test_a_value_that_is_kept_back_is_told_from_none_and_from_another():
    prints = {SyncMetadata.of(replace(FULL, date=date)).fingerprint() for date in ("", "nonsense", "rubbish")}
    assert len(prints) == 3


@pytest.mark.parametrize("rating100", [-1, 101, 10**9])
def test_a_rating_beyond_its_scale_is_kept_back_by_name(rating100):
    metadata = SyncMetadata.of(replace(FULL, rating100=rating100, date="never"))
    assert metadata.rating is None
    assert dict(metadata.unusable)["rating"] == f"{rating100} is not between 0 and 100; correct it in Stash."
    assert len(metadata.unusable) == 2


@pytest.mark.parametrize(("rating100", "rating"), [(None, None), (0, 0.0), (1, 0.1), (87, 8.7), (100, 10.0)])
def test_a_rating_is_a_tenth_of_stashs(rating100, rating):
    assert SyncMetadata.of(replace(FULL, rating100=rating100)).rating == rating


def test_many_names_all_arrive():
    tags, performers = tuple(f"tag {n}" for n in range(60)), tuple(f"performer {n}" for n in range(40))
    metadata = SyncMetadata.of(replace(FULL, tags=tags, performers=performers))
    assert (metadata.tags, metadata.performers) == (tags, performers)


def test_what_is_too_long_is_cut_and_not_refused():
    long = "x" * 1000
    metadata = SyncMetadata.of(
        replace(
            FULL, title=long, studio=long, code=long, director=long, performers=(long,), tags=(long,), groups=(long,)
        )
    )
    texts = (metadata.title, metadata.studio, metadata.tagline, metadata.director)
    names = (*metadata.performers, *metadata.tags, *metadata.groups)
    assert {len(text) for text in texts + names} == {MAX_CHARACTERS}


@pytest.mark.parametrize("letter", ["x", " x", "\u0436", "\u65e5", "\U0001f600", "\n\nx"])
def test_the_longest_summary_goes_in_one_request_and_is_cut_no_further(letter):
    summary = SyncMetadata.of(replace(FULL, details=letter * 9000)).summary
    item = Item(2**31, 2**31, ItemType.MOVIE, {}, {}, frozenset(), ())
    (request,) = requests_for(ItemChange(item, (FieldEdit(Field.SUMMARY, summary),)))
    assert request.line_bytes <= 8192
    assert len(quote(summary, safe="")) > MAX_SUMMARY_BYTES - 20


def test_a_scene_nobody_has_filled_in_is_blank():
    assert SyncMetadata.of(EMPTY).is_blank
    assert SyncMetadata.of(replace(EMPTY, details="\r\n ", tags=("\u200b",), organized=True, screenshot="x")).is_blank


@pytest.mark.parametrize("name", FILLED_IN)
def test_one_filled_in_field_makes_a_scene_not_blank(name):
    assert not SyncMetadata.of(replace(EMPTY, **{name: FILLED_IN[name]})).is_blank


@pytest.mark.parametrize("name", [*FILLED_IN, "organized", "files"])
def test_the_fingerprint_sees_every_field_that_plex_shows_or_is_found_by(name):
    other = FILLED_IN | {"organized": False, "files": (SceneFile("/media/moved.mp4", 1000, 60.5),)}
    assert SyncMetadata.of(replace(FULL, **{name: other[name]})).fingerprint() != SyncMetadata.of(FULL).fingerprint()


def test_the_fingerprint_ignores_cover_sizes_and_what_cleaning_evens_out():
    alike = replace(
        FULL,
        title="A Title",
        screenshot="http://stash/scene/7/screenshot?t=2",
        files=(SceneFile(FULL.files[0].path, 2000, 61.0),),
        updated_at="2024-05-17T12:00:00Z",
    )
    assert SyncMetadata.of(alike).fingerprint() == SyncMetadata.of(FULL).fingerprint()


def test_the_fingerprint_sees_the_settings():
    metadata = SyncMetadata.of(FULL)
    assert len({metadata.fingerprint(), metadata.fingerprint("tags=50"), metadata.fingerprint("tags=60")}) == 3


def test_a_name_moved_from_one_list_to_another_changes_the_fingerprint():
    one, other = replace(EMPTY, tags=("x",)), replace(EMPTY, groups=("x",))
    assert SyncMetadata.of(one).fingerprint() != SyncMetadata.of(other).fingerprint()


def test_the_fingerprint_is_the_one_it_has_always_been():
    """A change here makes every scene of every user be compared anew: allowed, never by accident."""
    assert (
        SyncMetadata.of(FULL).fingerprint("settings")
        == "4819ed36cd8fd84d248a4c80a15ceacd9fe74f1ccde0fb0dec1400c54a0f7e7e"
    )


def test_metadata_cannot_be_changed_nor_made_without_a_title():
    with pytest.raises(ValidationError):
        SyncMetadata.of(FULL).title = "Other"
    with pytest.raises(ValidationError):
        SyncMetadata(scene_id=1, title="", has_own_title=False)


ANY_TEXT = st.text(
    st.sampled_from("\n\r\x00 \u00a0\u200b\ufeff/\\.\ud83d\ude00e\u0301") | st.characters(exclude_categories=())
)
DATES = st.just("") | st.dates().map(str) | st.integers(1000, 2100).map(str) | ANY_TEXT
SCENES = st.builds(
    Scene,
    id=st.integers(),
    title=ANY_TEXT,
    code=ANY_TEXT,
    details=st.builds(lambda text, times: text * times, ANY_TEXT, st.sampled_from([1, 500])),
    director=ANY_TEXT,
    date=DATES,
    rating100=st.none() | st.integers(0, 100) | st.integers(),
    organized=st.booleans(),
    updated_at=ANY_TEXT,
    files=st.lists(st.builds(SceneFile, ANY_TEXT, st.integers(), st.floats())).map(tuple),
    screenshot=ANY_TEXT,
    studio=ANY_TEXT,
    performers=st.lists(ANY_TEXT).map(tuple),
    tags=st.lists(ANY_TEXT).map(tuple),
    groups=st.lists(ANY_TEXT).map(tuple),
)


@given(SCENES)
def test_any_scene_is_either_clean_and_bounded_or_refused_by_a_fields_name(scene):
    try:
        metadata = SyncMetadata.of(scene)
    except InvalidMetadata as refusal:
        assert refusal.field == "title"
        assert str(refusal).startswith(f"{refusal.field}: ")
        assert str(refusal).encode() is not None
        return
    assert metadata.title
    assert len(quote(metadata.summary, safe="")) <= MAX_SUMMARY_BYTES
    assert set(metadata.fingerprint()) <= set(string.hexdigits)
    assert metadata.model_dump_json().encode() is not None


@given(SCENES)
def test_a_clean_scene_comes_out_as_it_went_in(scene):
    try:
        once = SyncMetadata.of(scene)
    except InvalidMetadata:
        return
    again = replace(
        scene,
        rating100=None if once.rating is None else round(once.rating * 10),
        title=once.title if once.has_own_title else "",
        code=once.tagline,
        details=once.summary,
        director=once.director,
        date=once.date,
        studio=once.studio,
        performers=once.performers,
        tags=once.tags,
        groups=once.groups,
    )
    assert SyncMetadata.of(again) == once.model_copy(update={"unusable": ()})
