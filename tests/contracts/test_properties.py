"""A law: of random items and random edits, every property that was not meant to change is equal before and after."""

import tempfile
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from model.change import FieldEdit, ItemChange, TagEdit
from model.item import Field, Tag, TagKind
from model.picture import Picture, PictureKind
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Quirks
from tests.contracts.conftest import OTHERWISE, MediaBrowserRig
from tests.integration.sim.mediabrowser_http import png

NAME = st.text("abcdefgh ABCäöß日'&-", min_size=1, max_size=8).map(str.strip).filter(bool)
NAMES = st.lists(NAME, max_size=3, unique_by=str.casefold)
TEXT = st.text("abc dä日\n'&<", min_size=1, max_size=20).map(str.strip).filter(bool)
DATE = st.dates(min_value=date(1900, 1, 1)).map(lambda day: f"{day}T00:00:00.0000000Z")
YEAR = st.integers(1900, 2100)
RATING = st.floats(0.125, 10.0, width=16)
LOCKS = ["Cast", "Genres", "ProductionLocations", "Studios", "Tags", "Name", "Overview", "Runtime", "OfficialRating"]
PERSON = st.tuples(NAME, st.sampled_from(["", "Guest", "Herself"]), st.sampled_from(["Actor", "Director", "Writer"]))
ITEMS = st.fixed_dictionaries(
    {
        "Name": TEXT,
        "LockData": st.booleans(),
        "LockedFields": st.lists(st.sampled_from(LOCKS), unique=True),
        "Genres": NAMES,
        "Tags": NAMES,
        "Studios": NAMES,
        "Taglines": st.lists(TEXT, max_size=1),
        "ProviderIds": st.dictionaries(st.sampled_from(["Imdb", "Tmdb", "Other"]), st.sampled_from(["1", "tt2"])),
        "People": st.lists(PERSON, max_size=4, unique_by=lambda one: (one[0].casefold(), one[2])),
    },
    optional={
        "ForcedSortName": TEXT,
        "OriginalTitle": TEXT,
        "Overview": TEXT,
        "CriticRating": RATING,
        "CommunityRating": RATING,
        "PremiereDate": DATE,
        "EndDate": DATE,
        "ProductionYear": YEAR,
        "OfficialRating": NAME,
        "CustomRating": NAME,
        "PreferredMetadataLanguage": st.just("en"),
        "PreferredMetadataCountryCode": st.just("GB"),
        "ProductionLocations": NAMES,
    },
)
VALUES = {
    Field.TITLE: TEXT,
    Field.TITLE_SORT: TEXT,
    Field.SUMMARY: TEXT,
    Field.TAGLINE: TEXT,
    Field.STUDIO: NAME,
    Field.CONTENT_RATING: NAME,
    Field.DATE: DATE.map(lambda text: text[:10]),
    Field.USER_RATING: RATING.map(lambda number: f"{number!r}"),
    Field.STASH_ID: st.integers(1, 99).map(str),
}
KINDS = [TagKind.GENRE, TagKind.LABEL, TagKind.ACTOR, TagKind.DIRECTOR, TagKind.COLLECTION]
EDITS = st.tuples(
    st.fixed_dictionaries({}, optional=VALUES), st.fixed_dictionaries({}, optional=dict.fromkeys(KINDS, NAMES))
)
PHASES = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]  # explaining takes minutes here
RUNS = settings(
    max_examples=25,
    deadline=None,
    phases=PHASES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module", params=[(name, habits) for name in FLAVOURS for habits in ("", "otherwise")])
def rig(request):
    """A server of each flavour, with the harder habits and with all the others."""
    flavour, habits = request.param
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        made = MediaBrowserRig(stack, Path(folder), flavour, 5, quirks=Quirks(**(OTHERWISE if habits else {})))
        made.number = 0
        yield made
        assert made.sim.disasters == []


def typed(rig, values):
    """Make an item into which somebody typed all this, with a picture of each kind."""
    rig.number += 1
    item_id = rig.sim.add_item(f"/data/scenes/law/{rig.number}.mp4")
    rig.sim.edit_by_person(item_id, lock=False, **values)
    for kind in ("Primary", "Backdrop", "Thumb"):
        rig.sim.put_picture_by_person(item_id, kind, png(rig.number))
    return item_id


def change_of(item, edits, *, locked):
    values, lists = edits
    return ItemChange(
        item,
        tuple(FieldEdit(field, value, locked) for field, value in values.items()),
        tuple(
            TagEdit(kind, (*item.tags.get(kind, ()), *map(Tag, _new(item.names(kind), names))), locked)
            for kind, names in lists.items()
        ),
    )


def _new(there, names):
    known = {name.casefold() for name in there}
    return [name for name in names if name.casefold() not in known]


@RUNS
@given(ITEMS, EDITS)
def test_what_was_not_meant_stays(rig, values, edits):
    item_id = typed(rig, values)
    before, item = rig.whole(item_id), rig.target.details_of(item_id)
    change = change_of(item, edits, locked=True)
    rig.target.prepare([change])
    rig.target.edit(change)
    after = rig.whole(item_id)
    meant = {name for one in change.names for name in rig.property_of(one)} | rig.lock_properties
    assert {name: after.get(name) for name in {*before, *after} - meant} == {
        name: before.get(name) for name in {*before, *after} - meant
    }
    assert set(before["LockedFields"]) <= set(after["LockedFields"])
    now = rig.target.details_of(item_id)
    for field, value in edits[0].items():
        assert now.value(field) == item_value(field, value)
    for edit in change.tags:
        assert {tag.name.casefold() for tag in edit.want} == {name.casefold() for name in now.names(edit.kind)}


@RUNS
@given(ITEMS, EDITS)
def test_what_is_taken_back_is_as_it_was(rig, values, edits):
    item_id = typed(rig, values)
    before, item = rig.whole(item_id), rig.target.details_of(item_id)
    rig.target.edit(change_of(item, edits, locked=True))
    now = rig.target.details_of(item_id)
    back = ItemChange(
        now,
        tuple(FieldEdit(field, item.value(field), locked=field.value in item.locked) for field in edits[0]),
        tuple(TagEdit(kind, item.tags.get(kind, ()), locked=kind.value in item.locked) for kind in edits[1]),
    )
    rig.target.edit(back)
    after = rig.whole(item_id)
    for one in (before, after):
        one["LockedFields"] = sorted(one["LockedFields"])
    assert {name: value for name, value in after.items() if value is not None} == {
        name: value for name, value in before.items() if value is not None
    }


@RUNS
@given(ITEMS, st.sampled_from(list(PictureKind)))
def test_a_picture_changes_nothing_but_pictures_and_goes_without_a_trace(rig, values, kind):
    item_id = typed(rig, values)
    before = rig.whole(item_id)
    item = rig.target.picture_details([item_id])[item_id]
    available = rig.target.pictures(item_id, kind)
    rig.target.upload_picture(item, kind, png(10_000 + rig.number), available, ())
    after = rig.whole(item_id)
    assert {**after, "Pictures": None} == {**before, "Pictures": None}
    shown = [one for one in rig.target.pictures(item_id, kind) if one.selected]
    old = next((one.key for one in available if one.selected), "")
    if old and kind not in rig.target.capabilities.stacked:
        rig.target.select_picture(item_id, kind, Picture(old, selected=False))
    else:
        rig.target.unset_picture(item_id, kind, shown[-1])
    pictures = [(one["Type"], one["Sha1"]) for one in rig.whole(item_id)["Pictures"]]
    assert sorted(pictures) == sorted((one["Type"], one["Sha1"]) for one in before["Pictures"])


def item_value(field, value):
    if field is Field.USER_RATING:
        short = f"{float(value):g}"
        return short if float(short) == float(value) else value
    return value
