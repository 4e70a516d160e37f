"""Every field in both directions, on servers that add tags and on servers that replace lists."""

import hashlib

import pytest

from ledger.states import SceneState
from sim.plex import faults
from sim.stash.library.pictures import png
from sync.outcome import Done
from sync.scenes.not_synced import NotSynced
from validation.sanitizers import ELLIPSIS

SCENE = 1

# What changes in Stash, Plex's name for it, and two values.
SCALARS = [
    ("title", "title", ("One", "Two")),
    ("title", "titleSort", ("One", "Two")),
    ("details", "summary", ("One\nline", "Two\nlines")),
    ("studio", "studio", ("Studio One", "Studio Two")),
    ("date", "originallyAvailableAt", ("2001-02-03", "2004-05-06")),
    ("code", "tagline", ("ONE-1", "TWO-2")),
    ("rating100", "userRating", (80, 35)),
]
EMPTIABLE = [one for one in SCALARS if one[0] != "title"]
LISTS = [
    ("tags", "genre"),
    ("performers", "actor"),
    ("groups", "collection"),
]
scalars = pytest.mark.parametrize(("stash_name", "plex_name", "values"), SCALARS, ids=[one[1] for one in SCALARS])
emptiable = pytest.mark.parametrize(("stash_name", "plex_name", "values"), EMPTIABLE, ids=[one[1] for one in EMPTIABLE])
lists = pytest.mark.parametrize(("stash_name", "plex_name"), LISTS)
preserve = pytest.mark.parametrize("preserve", [False, True], ids=["stash wins", "edits preserved"])
both_modes = pytest.mark.parametrize("tag_mode", ["add", "replace"])


@pytest.fixture
def shop(shop):
    shop.configure(sync_rating=True, sync_groups=True)
    return shop


def shown(shop, plex_name):
    value = shop.item(SCENE).values.get(plex_name, "")
    return float(value) * 10 if plex_name == "userRating" and value != "" else value


def in_plex(plex_name, value):
    """What a person types into Plex, in the field's own kind."""
    foreign = {"originallyAvailableAt": "1999-09-09", "userRating": 2.0}
    return foreign.get(plex_name, value)


# --- scalars ------------------------------------------------------------------------------------------------------


@scalars
def test_a_value_is_set_locked_and_changed(shop, stash_name, plex_name, values):
    for value in values:
        shop.edit(SCENE, **{stash_name: value})
        shop.sync(SCENE)
        assert shown(shop, plex_name) == value
    if plex_name != "userRating":
        assert plex_name in shop.item(SCENE).locks
    assert shop.record(SCENE).state is SceneState.SYNCED


@emptiable
def test_a_value_of_ours_that_is_emptied_in_stash_goes(shop, stash_name, plex_name, values):
    shop.edit(SCENE, **{stash_name: values[0]})
    shop.sync(SCENE)
    shop.edit(SCENE, **{stash_name: None if stash_name in {"date", "rating100"} else ""})
    shop.sync(SCENE)
    assert shown(shop, plex_name) in {"", None}


@emptiable
@preserve
def test_what_stash_does_not_have_is_left_as_others_wrote_it(shop, stash_name, plex_name, values, preserve):
    shop.configure(preserve_plex_edits=preserve)
    shop.edit(SCENE, **{stash_name: None if stash_name in {"date", "rating100"} else ""})
    shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: in_plex(plex_name, "Theirs")})
    before = shown(shop, plex_name)
    shop.sync(SCENE)
    shop.sync_all()
    assert shown(shop, plex_name) == before


@emptiable
@preserve
def test_emptying_in_stash_leaves_what_a_person_has_put_over_ours(shop, stash_name, plex_name, values, preserve):
    shop.configure(preserve_plex_edits=preserve)
    shop.edit(SCENE, **{stash_name: values[0]})
    shop.sync(SCENE)
    shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: in_plex(plex_name, "Theirs")})
    before = shown(shop, plex_name)
    shop.edit(SCENE, **{stash_name: None if stash_name in {"date", "rating100"} else ""})
    shop.sync(SCENE)
    assert shown(shop, plex_name) == before


@scalars
@preserve
def test_an_edit_in_plex_stays_if_edits_are_preserved_and_goes_otherwise(shop, stash_name, plex_name, values, preserve):
    shop.configure(preserve_plex_edits=preserve)
    shop.edit(SCENE, **{stash_name: values[0]})
    shop.sync(SCENE)
    shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: in_plex(plex_name, "Theirs")})
    theirs = shown(shop, plex_name)
    shop.sync_all()
    assert shown(shop, plex_name) == (theirs if preserve else values[0])
    shop.edit(SCENE, **{stash_name: values[1]})  # now both have changed
    if not preserve:
        shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: in_plex(plex_name, "Theirs")})
    shop.sync(SCENE)
    assert shown(shop, plex_name) == (theirs if preserve else values[1])


@scalars
@preserve
def test_a_value_that_was_locked_before_we_came_stays_if_edits_are_preserved(
    shop, stash_name, plex_name, values, preserve
):
    shop.configure(preserve_plex_edits=preserve)
    shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: in_plex(plex_name, "Theirs")})
    theirs = shown(shop, plex_name)
    shop.edit(SCENE, **{stash_name: values[0]})
    shop.sync(SCENE)
    assert shown(shop, plex_name) == (theirs if preserve else values[0])


def test_a_scene_nobody_has_filled_in_wipes_nothing(shop):
    shop.edit(SCENE, title="", details="", code="", director="", date=None, rating100=None, studio="")
    shop.edit(SCENE, tags=[], performers=[], groups=[])
    shop.plex.edit_by_person(shop.key(SCENE), title="Theirs", summary="Theirs", genre=["Theirs"], actor=["Theirs"])
    before = shop.item(SCENE)
    shop.configure(preserve_plex_edits=False)
    shop.sync(SCENE)
    assert (shop.item(SCENE).values, shop.item(SCENE).tags) == (before.values, before.tags)


def test_a_title_taken_away_falls_back_to_the_name_of_the_file(shop):
    shop.sync(SCENE)
    shop.edit(SCENE, title="")
    shop.sync(SCENE)
    assert shop.item(SCENE).title == shop.stash.library.scenes[SCENE].path.rpartition("/")[2].removesuffix(".mp4")


@pytest.mark.parametrize(("written", "day"), [("2024", "2024-01-01"), ("2024-05", "2024-05-01")])
def test_a_partial_date_is_its_first_day(shop, written, day):
    shop.edit(SCENE, date=written)
    shop.sync(SCENE)
    assert shop.item(SCENE).values["originallyAvailableAt"] == day


def test_a_rating_of_nothing_is_a_rating(shop):
    shop.edit(SCENE, rating100=50)
    shop.sync(SCENE)
    shop.edit(SCENE, rating100=0)
    shop.sync(SCENE)
    assert float(shop.item(SCENE).values["userRating"]) == 0.0


# --- lists --------------------------------------------------------------------------------------------------------


@lists
@both_modes
def test_names_come_change_and_go_and_others_names_stay(shop, stash_name, plex_name):
    shop.edit(SCENE, studio="")  # whose collection would be among the groups
    shop.plex.edit_by_person(shop.key(SCENE), lock=False, **{plex_name: ["Theirs", "Zoo, and more"]})
    theirs = {"Theirs", "Zoo, and more"}
    for names in (["A", "B"], ["B", "C, or D", '"Q"'], ["c, OR d"], []):
        shop.edit(SCENE, **{stash_name: names})
        shop.sync(SCENE)
        now = {name.casefold() for name in shop.item(SCENE).tags.get(plex_name, ())}
        assert now == {name.casefold() for name in theirs | set(names)}
    assert plex_name in shop.item(SCENE).locks


@lists
@both_modes
def test_a_name_that_others_had_put_there_first_is_not_taken_out(shop, stash_name, plex_name):
    shop.edit(SCENE, studio="")
    shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: ["Both", "Theirs"]})
    shop.edit(SCENE, **{stash_name: ["Both", "Ours"]})
    shop.sync(SCENE)
    shop.edit(SCENE, **{stash_name: []})
    shop.sync(SCENE)
    assert set(shop.item(SCENE).tags[plex_name]) == {"Both", "Theirs"}


@lists
@preserve
@both_modes
def test_a_name_that_a_person_took_out_stays_out_if_edits_are_preserved(shop, stash_name, plex_name, preserve):
    shop.configure(preserve_plex_edits=preserve)
    shop.edit(SCENE, studio="", **{stash_name: ["A", "B"]})
    shop.sync(SCENE)
    shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: ["B", "Theirs"]})
    left = {"B", "Theirs"} if preserve else {"A", "B", "Theirs"}
    shop.sync_all()
    assert set(shop.item(SCENE).tags[plex_name]) == left
    shop.edit(SCENE, title="A Save of anything else")
    shop.sync(SCENE)
    assert set(shop.item(SCENE).tags[plex_name]) == left
    shop.edit(SCENE, **{stash_name: ["A", "B", "C"]})  # a Save of another name
    shop.sync(SCENE)
    assert set(shop.item(SCENE).tags[plex_name]) == left | {"C"}


@lists
@both_modes
def test_a_name_that_a_person_took_out_returns_when_stash_changes_it(shop, stash_name, plex_name):
    shop.edit(SCENE, studio="", **{stash_name: ["A", "B"]})
    shop.sync(SCENE)
    shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: ["B"]})
    shop.sync_all()
    for names in (["B"], ["A", "B"]):
        shop.edit(SCENE, **{stash_name: names})
        shop.sync(SCENE)
    assert set(shop.item(SCENE).tags[plex_name]) == {"A", "B"}


@lists
@both_modes
def test_a_name_of_a_persons_own_that_they_take_out_stays_out_though_stash_has_it(shop, stash_name, plex_name):
    shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: ["Both", "Theirs"]})
    shop.edit(SCENE, studio="", **{stash_name: ["Both", "Ours"]})
    shop.sync(SCENE)
    shop.plex.edit_by_person(shop.key(SCENE), **{plex_name: ["Theirs", "Ours"]})
    shop.edit(SCENE, title="A Save of anything else")
    shop.sync(SCENE)
    assert set(shop.item(SCENE).tags[plex_name]) == {"Theirs", "Ours"}


@lists
def test_names_that_a_wipe_took_return(shop, stash_name, plex_name):
    """A person who takes a name out has the list locked; a refresh, a wipe or a rebuild leaves no lock."""
    shop.edit(SCENE, studio="", **{stash_name: ["A", "B"]})
    shop.sync(SCENE)
    shop.plex.wipe(shop.key(SCENE))
    shop.sync_all()
    assert set(shop.item(SCENE).tags[plex_name]) == {"A", "B"}


@both_modes
def test_a_collection_that_a_person_took_out_stays_out_though_a_group_is_called_like_it(shop):
    shop.edit(SCENE, studio="Same", groups=[])
    shop.sync(SCENE)
    shop.plex.edit_by_person(shop.key(SCENE), collection=[])
    shop.edit(SCENE, groups=["Same", "Other"])
    shop.sync(SCENE)
    assert shop.item(SCENE).collections == ("Other",)


@both_modes
def test_the_director_is_exchanged_and_another_one_stays(shop):
    shop.plex.edit_by_person(shop.key(SCENE), director=["Theirs"])
    for name in ("One", "Two", ""):
        shop.edit(SCENE, director=name)
        shop.sync(SCENE)
        assert set(shop.item(SCENE).tags.get("director", ())) == {"Theirs", *([name] if name else [])}


@both_modes
def test_studio_and_groups_share_the_collections(shop):
    shop.edit(SCENE, studio="Same", groups=["Same", "Other"])
    shop.sync(SCENE)
    shop.edit(SCENE, groups=[])
    shop.sync(SCENE)
    assert shop.item(SCENE).collections == ("Same",)
    shop.edit(SCENE, studio="New")
    shop.sync(SCENE)
    assert shop.item(SCENE).collections == ("New",)


@both_modes
def test_sixty_tags_and_forty_performers_arrive_though_one_request_cannot_hold_them(shop):
    tags = [f"Tag número {number}, 漢字 🎬" for number in range(60)]
    people = [f"Performer O'Hara-Ünïcode {number:02}" for number in range(40)]
    shop.configure(max_tags=60)
    shop.edit(SCENE, tags=tags, performers=people)
    shop.sync(SCENE)
    assert set(shop.item(SCENE).genres) == set(tags)
    assert set(shop.item(SCENE).actors) == set(people)
    assert len(shop.writes()) > 1
    assert max(len(entry.path + entry.query) for entry in shop.writes()) < 8192
    shop.forget_requests()
    shop.sync(SCENE, verify=True)
    assert shop.writes() == []


@both_modes
def test_no_more_tags_than_allowed(shop):
    shop.configure(max_tags=3)
    shop.edit(SCENE, tags=list("abcdefg"))
    shop.sync(SCENE)
    assert len(shop.item(SCENE).genres) == 3


@pytest.mark.parametrize("letter", ["x", "漢", "🎬", "é"])
def test_a_long_summary_is_cut_by_what_it_is_when_encoded(shop, letter):
    shop.edit(SCENE, details=letter * 20_000)
    shop.sync(SCENE)
    summary = shop.item(SCENE).values["summary"]
    assert set(summary) == {letter, ELLIPSIS}
    assert shop.record(SCENE).state is SceneState.SYNCED
    shop.forget_requests()
    shop.sync(SCENE, verify=True)
    assert shop.writes() == []


# --- settings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "plex_name"),
    [
        ("sync_summary", "summary"),
        ("sync_studio", "studio"),
        ("sync_tagline", "tagline"),
        ("sync_rating", "userRating"),
        ("sync_tags", "genre"),
        ("sync_performers", "actor"),
        ("sync_director", "director"),
    ],
)
def test_what_is_switched_off_is_not_written_and_what_is_switched_on_later_is(shop, setting, plex_name):
    shop.edit(SCENE, rating100=70)
    shop.configure(**{setting: False})
    shop.sync(SCENE)
    assert plex_name not in {**shop.item(SCENE).values, **shop.item(SCENE).tags}
    shop.configure(**{setting: True})
    shop.sync(SCENE)
    assert plex_name in {**shop.item(SCENE).values, **shop.item(SCENE).tags}


def test_the_main_switch_stops_everything(shop):
    shop.configure(sync_master=False)
    shop.sync_all()
    assert shop.writes() == []


# --- how much is asked --------------------------------------------------------------------------------------------


def test_a_scene_costs_one_request_to_write_and_a_batch_one_to_read_and_one_to_read_back(shop):
    shop.sync(*shop.stash.library.scenes)
    assert len(shop.writes()) == len(shop.stash.library.scenes)
    assert shop.plex.count("details") <= 2


def test_an_unchanged_scene_asks_nothing_of_plex(shop):
    shop.sync_all()
    shop.forget_requests()
    shop.sync(*shop.stash.library.scenes)
    assert shop.plex.requests == []


def test_sync_all_of_unchanged_scenes_reads_once_and_writes_nothing(shop):
    shop.sync_all()
    shop.forget_requests()
    shop.sync_all()
    assert shop.writes() == []
    assert len(shop.reads()) == 1


@both_modes
def test_what_was_written_though_its_answer_was_lost_is_written_once(shop):
    shop.plex.faults.add(faults.LOST_BY_RESET, method="PUT", times=1)
    shop.edit(SCENE, title="Lost and found", tags=["A", "B"])
    shop.sync(SCENE)
    assert shop.item(SCENE).title == "Lost and found"
    assert len(shop.writes()) == 1
    assert shop.record(SCENE).state is SceneState.SYNCED
    assert shop.jobs() == {}


# --- values that make no sense ------------------------------------------------------------------------------------


def test_a_bad_date_keeps_back_the_date_alone_and_is_named(shop):
    shop.configure(sync_poster=True, sync_background=True)
    shop.edit(SCENE, title="First", date="2024-05-01", tags=["A"])
    shop.sync(SCENE)
    shop.pictures()
    shop.edit(SCENE, title="Second", date="2024-02-31", tags=["A", "B"])
    shop.upload_cover(SCENE, png("another"))
    shop.sync(SCENE)
    shop.work_for(60)
    item = shop.item(SCENE)
    assert (item.title, set(item.tags["genre"])) == ("Second", {"A", "B"})
    assert item.values["originallyAvailableAt"] == "2024-05-01"
    assert item.poster.endswith(hashlib.sha1(png("another"), usedforsecurity=False).hexdigest())
    said = "date: '2024-02-31' is not a date; correct it in Stash. All else is in Plex."
    assert (shop.record(SCENE).state, shop.record(SCENE).sentence) == (SceneState.REFUSED, said)
    assert shop.letters() == {f"scene:{SCENE}": said}
    assert f"scene:{SCENE}" not in shop.sweep()
    shop.edit(SCENE, date="2024-03-01")
    shop.sweep_and_work()
    assert shop.item(SCENE).values["originallyAvailableAt"] == "2024-03-01"
    assert (shop.record(SCENE).state, shop.letters()) == (SceneState.SYNCED, {})


def test_a_bad_date_is_no_matter_where_dates_are_not_synced(shop):
    shop.configure(sync_date=False)
    shop.edit(SCENE, title="Undated", date="2024-02-31")
    shop.sync(SCENE)
    assert (shop.item(SCENE).title, shop.record(SCENE).state) == ("Undated", SceneState.SYNCED)


def test_a_bad_date_is_named_although_the_worker_died_before_it_was(shop, monkeypatch):
    shop.edit(SCENE, title="Written", date="2024-02-31")
    monkeypatch.setattr(NotSynced, "partly", lambda *_: Done())
    shop.sync(SCENE)
    monkeypatch.undo()
    assert shop.record(SCENE).state is SceneState.SYNCED
    shop.sync(SCENE)
    assert "2024-02-31" in shop.record(SCENE).sentence
