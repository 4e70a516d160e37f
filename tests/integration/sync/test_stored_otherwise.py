"""A Plex that stores values otherwise than they were sent: they are ours, and what a person typed stays theirs."""

import unicodedata

import pytest

from ledger.states import SceneState

SCENE = 1

HABITS = {
    "cut": {"text_limit": 30},
    "curly quotes": {"quotes": "curly"},
    "no emoji": {"keeps_emoji": False},
    "ratings in halves": {"rating_step": 0.5},
    "NFD": {"unicode_form": "NFD"},
    "all of it": {"text_limit": 30, "quotes": "curly", "keeps_emoji": False, "rating_step": 0.5, "unicode_form": "NFD"},
}
VALUES = {
    "title": 'It\'s a "Café" 🎬 and a title of more than thirty letters',
    "details": "Somebody's résumé 🎉, which is long enough to be cut at any place one likes",
    "code": "COD-É'1 🎬",
    "director": "Renée 🎬 O'Hara",
    "rating100": 73,
}
NAMES = {
    "tags": ["Plain", "Café 🎬", "Rock'n'Roll", "A tag whose name is a good deal longer than thirty letters"],
    "performers": ["Zoë O'Neill 🎉", "Ann"],
    "studio": "Stüdio's 🎬",
    "groups": ["Gröup 'One' 🎬"],
}
OTHER_VALUES = {"title": "Another", "details": "Another", "code": "OTHER", "director": "Another", "rating100": 20}
OTHER_NAMES = {"tags": ["Plain", "Another"], "performers": ["Another"], "studio": "Another", "groups": ["Another"]}


@pytest.fixture(params=HABITS, autouse=True)
def habit(request, plex):
    for name, value in HABITS[request.param].items():
        setattr(plex.quirks, name, value)
    return request.param


@pytest.fixture
def shop(shop):
    shop.configure(sync_rating=True, sync_groups=True)
    shop.edit(SCENE, **VALUES, **NAMES)
    return shop


def item_xml(item):
    texts = {name: value for name, value in item.values.items() if name not in {"lastRatedAt", "addedAt", "year"}}
    return texts, {kind: sorted(names) for kind, names in item.tags.items()}, item.locks


@pytest.mark.parametrize("tag_mode", ["add", "replace"])
def test_a_change_in_stash_arrives(shop):
    shop.sync(SCENE)
    shop.edit(SCENE, **OTHER_VALUES, **OTHER_NAMES)
    shop.sync(SCENE)
    item = shop.item(SCENE)
    assert (item.title, item.values["titleSort"], item.values["summary"], item.values["tagline"]) == (
        "Another",
        "Another",
        "Another",
        "OTHER",
    )
    assert float(item.values["userRating"]) == 2.0
    assert {kind: set(names) for kind, names in item.tags.items()} == {
        "genre": {"Plain", "Another"},
        "actor": {"Another"},
        "director": {"Another"},
        "collection": {"Another"},
    }


@pytest.mark.parametrize("preserve", [True, False], ids=["preserved", "not preserved"])
def test_nothing_is_sent_again(shop, preserve):
    shop.configure(preserve_plex_edits=preserve)
    shop.sync(SCENE)
    shop.forget_requests()
    shop.sync_all()
    shop.sync_all()
    assert [entry for entry in shop.writes() if entry.params["id"] == str(shop.key(SCENE))] == []


def test_what_is_emptied_in_stash_goes(shop):
    shop.sync(SCENE)
    shop.edit(SCENE, title="Left", details="", code="", director="", rating100=None, studio="")
    shop.edit(SCENE, tags=[], performers=[], groups=[])
    shop.sync(SCENE)
    item = shop.item(SCENE)
    assert {item.values.get(name, "") for name in ("summary", "tagline", "userRating")} == {""}
    assert not any(item.tags.values())


def test_undo_takes_it_back(shop, counter):
    before = item_xml(shop.item(SCENE))
    shop.sync(SCENE)
    shop.edit(SCENE, **OTHER_VALUES, **OTHER_NAMES)
    shop.sync(SCENE)
    shop.edit(SCENE, **VALUES, **NAMES)
    shop.sync(SCENE)
    assert counter.ask("undo", all=True)["kept"] == 0
    texts, tags, locks = item_xml(shop.item(SCENE))
    empty = {"summary": "", "tagline": "", "studio": "", "userRating": "", "originallyAvailableAt": ""}
    assert {**empty, **texts} == {**empty, **before[0], "titleSort": texts.get("titleSort", "")}
    assert texts.get("titleSort", texts["title"]) == before[0]["title"]
    assert ({kind: names for kind, names in tags.items() if names}, locks) == before[1:]


def test_what_a_person_types_later_is_theirs(shop):
    shop.sync(SCENE)
    theirs = {"title": "Theirs", "summary": "It's a", "tagline": "Theirs", "userRating": 1.0}
    shop.plex.edit_by_person(shop.key(SCENE), **theirs)
    before = item_xml(shop.item(SCENE))[0]
    shop.sync_all()
    shop.edit(SCENE, **OTHER_VALUES)
    shop.sync(SCENE)
    assert item_xml(shop.item(SCENE))[0] == before


def test_what_a_person_takes_out_later_stays_out(shop):
    shop.sync(SCENE)
    (*_, last) = shop.item(SCENE).genres
    shop.plex.edit_by_person(shop.key(SCENE), genre=[last])
    shop.edit(SCENE, title="A Save of anything else")
    shop.sync(SCENE)
    assert shop.item(SCENE).genres == (last,)


def test_a_persons_own_name_is_not_taken_for_ours(shop):
    """Our tag is stored as one that a person had put there: it stays when ours goes."""
    theirs = ["Café", "Rock\N{RIGHT SINGLE QUOTATION MARK}n\N{RIGHT SINGLE QUOTATION MARK}Roll"]
    shop.plex.edit_by_person(shop.key(SCENE), genre=theirs)
    before = set(shop.item(SCENE).genres)
    shop.sync(SCENE)
    shop.edit(SCENE, tags=[])
    shop.sync(SCENE)
    assert set(shop.item(SCENE).genres) == before


def test_a_name_that_two_tags_became_stays_as_long_as_one_of_them_wants_it(shop):
    shop.edit(SCENE, tags=["Same 🎬", "Same 🎉"])
    shop.sync(SCENE)
    shop.edit(SCENE, tags=["Same 🎉"])
    shop.sync(SCENE)
    assert len(shop.item(SCENE).genres) == 1
    shop.edit(SCENE, tags=[])
    shop.sync(SCENE)
    assert shop.item(SCENE).genres == ()


def test_a_name_of_nothing_but_emoji_is_sent_once(shop, habit):
    shop.edit(SCENE, tags=["🎬"])
    shop.configure(preserve_plex_edits=False)
    shop.sync(SCENE)
    shop.forget_requests()
    shop.sync(SCENE, verify=True)
    assert shop.writes() == []


def test_a_long_list_arrives(shop):
    shop.configure(max_tags=60)
    shop.edit(SCENE, tags=[f"Täg {number} 漢字漢字漢字 🎬" for number in range(60)])
    shop.sync(SCENE)
    assert shop.record(SCENE).state is SceneState.SYNCED
    assert len(shop.item(SCENE).genres) == 60
    shop.forget_requests()
    shop.sync(SCENE, verify=True)
    assert shop.writes() == []


# --- when it is not read back -------------------------------------------------------------------------------------


def test_a_worker_that_did_not_read_back_knows_its_own_at_the_next_sight(shop, monkeypatch):
    monkeypatch.setattr(shop.target, "rest", lambda *_: None)
    shop.sync(SCENE)
    shop.restart()
    shop.edit(SCENE, **OTHER_VALUES, **OTHER_NAMES)
    shop.sync(SCENE)
    assert shop.item(SCENE).title == "Another"
    assert set(shop.item(SCENE).genres) == {"Plain", "Another"}


def test_what_a_killed_worker_wrote_is_read_back_by_the_next_one_before_anyone_edits(shop, monkeypatch):
    monkeypatch.setattr(shop.target, "rest", lambda *_: None)
    shop.sync(SCENE)
    shop.restart()
    shop.work()
    shop.clock.advance(86_400)
    shop.edit(SCENE, **OTHER_VALUES, **OTHER_NAMES)
    shop.sync(SCENE)
    assert shop.item(SCENE).title == "Another"
    assert set(shop.item(SCENE).genres) == {"Plain", "Another"}


class ProcessDies(BaseException):
    """Not an error the worker could catch."""


def test_a_worker_that_died_before_it_recorded_knows_its_own(shop, monkeypatch):
    def die(*_, **__):
        raise ProcessDies

    with monkeypatch.context() as patch:
        patch.setattr(shop.ledger, "record_syncs", die)
        with pytest.raises(ProcessDies):
            shop.sync(SCENE)
    shop.restart()
    shop.edit(SCENE, **OTHER_VALUES, **OTHER_NAMES)
    shop.work()
    assert shop.item(SCENE).title == "Another"
    assert set(shop.item(SCENE).genres) == {"Plain", "Another"}
    assert float(shop.item(SCENE).values["userRating"]) == 2.0


def test_what_a_person_types_before_it_is_read_back_is_theirs(shop):
    def type_in():
        shop.plex.edit_by_person(shop.key(SCENE), title="Theirs", tagline="Theirs", genre=["Theirs"])

    shop.plex.after("edit", type_in)
    shop.sync(SCENE)
    shop.edit(SCENE, **OTHER_VALUES, tags=["Plain"])
    shop.sync(SCENE)
    item = shop.item(SCENE)
    assert (item.title, item.values["tagline"], item.genres) == ("Theirs", "Theirs", ("Theirs",))


def test_names_are_compared_in_one_form_of_unicode(shop, habit):
    shop.edit(SCENE, tags=["Müller"])
    shop.plex.edit_by_person(shop.key(SCENE), genre=[unicodedata.normalize("NFD", "Müller")])
    shop.sync(SCENE)
    assert len(shop.item(SCENE).genres) == 1


# --- what it costs ------------------------------------------------------------------------------------------------


def test_reading_back_costs_no_request_in_a_long_sync_and_one_at_its_end(shop):
    shop.metadata_lane._batch = shop.metadata_lane._limit = 3
    shop.sync_all()
    count = len([one for one in shop.stash.library.scenes.values() if one.files])
    batches = -(-len(shop.stash.library.scenes) // 3)
    assert len(shop.writes()) == count
    assert shop.plex.count("details") <= batches + 1
