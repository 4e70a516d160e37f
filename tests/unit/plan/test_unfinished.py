"""A write that nobody lived to record: only what the item shows of it is ours, and was written."""

from dataclasses import replace

import pytest

from ledger.baseline import Baseline
from ledger.records import JournalEntry, UnfinishedWrite
from model.change import LockEdit
from plan.unfinished import with_unfinished_write
from tests.support.items import item, scene
from tests.support.planning import make_plan
from tests.support.settings import config

PATH = item().parts[0].path


def resolved(before, intended, shown):
    return with_unfinished_write(before, UnfinishedWrite(1, PATH, intended, ()), shown)[0]


def arrived(entries, shown):
    return with_unfinished_write(Baseline(), UnfinishedWrite(1, PATH, Baseline(), tuple(entries)), shown)[1]


@pytest.mark.parametrize("path", [None, "/data/another.mp4"])
def test_without_a_leftover_or_with_one_of_another_file_nothing_changes(path):
    before = Baseline({"studio": "Old"})
    entry = scalar("Old", "S")
    unfinished = UnfinishedWrite(1, path, Baseline({"studio": "S"}), (entry,)) if path else None
    assert with_unfinished_write(before, unfinished, item({"studio": "S"})) == (before, ())


def test_a_value_is_ours_only_where_the_item_shows_it():
    before = Baseline({"studio": "Old", "title": "Old"})
    intended = Baseline({"studio": "New", "title": "New", "no such field": "x"})
    shown = item({"studio": " New", "title": "Somebody else's"})
    assert resolved(before, intended, shown) == Baseline({"studio": "New", "title": "Old"})


def test_what_arrived_without_its_lock_is_locked_by_the_next_plan():
    """Emby and Jellyfin save the people of an update that then fails."""
    intended = Baseline(sets={"performers": ("Ann",), "tags": ("New",)})
    entries = (names((), ("Ann",), "performers"), names((), ("New",)))
    shown = item(tags={"actor": ["Ann"]})
    ours, came = with_unfinished_write(Baseline(), UnfinishedWrite(1, PATH, intended, entries), shown)
    assert ([one.field for one in came], ours.unlocked) == (["performers"], ("actor",))
    assert Baseline.from_json(ours.packed()) == ours
    known = scene(performers=("Ann",), tags=("New",))
    plan = make_plan(known, shown, ours, config())
    assert [one.field for one in plan.changes] == ["title", "sort_title", "tags"]
    assert plan.edit.locks == (LockEdit("actor"),)
    assert plan.baseline.unlocked == ()
    assert make_plan(known, item(tags={"actor": ["Ann"]}, locked=["actor"]), ours, config()).edit.locks == ()
    more = make_plan(scene(performers=("Ann", "Bea")), shown, ours, config())
    assert more.edit.locks == ()  # the list is written, with its lock


def test_a_lock_that_arrived_without_its_list_is_ours_to_open_again():
    """Emby locks an item's collections with the item, and puts it into them by another request."""
    meant = names(("Theirs",), ("Theirs", "Ours"), "collection")
    shown = item(tags={"collection": ["Theirs"]}, locked=["collection"])
    assert arrived([meant], shown) == (names(("Theirs",), ("Theirs",), "collection"),)
    assert arrived([meant], item(tags={"collection": ["Theirs"]})) == ()
    assert arrived([replace(meant, old_locked=True)], shown) == ()
    assert arrived([meant], item(tags={"collection": ["A person's"]}, locked=["collection"])) == ()


def test_of_a_list_what_arrived_joins_what_was_ours():
    before = Baseline(sets={"tags": ("Old",), "performers": ("Ann",)})
    intended = Baseline(
        sets={"tags": ("new", "lost"), "performers": ("Ann",), "director": ("Lost",), "no such list": ("x",)}
    )
    shown = item(tags={"genre": ["Old", "New", "Theirs"]})
    assert resolved(before, intended, shown) == Baseline(sets={"tags": ("Old", "new"), "performers": ("Ann",)})


def test_of_a_list_what_was_to_go_and_is_gone_is_not_ours_any_more():
    before = Baseline(sets={"tags": ("Went", "Stays"), "performers": ("Went",)})
    shown = item(tags={"genre": ["Stays"]}, locked=["genre"])
    assert resolved(before, Baseline(), shown) == Baseline(sets={"tags": ("Stays",)})


def scalar(old, new, field="studio"):
    return JournalEntry(field=field, kind="scalar", old=old, new=new)


def names(old, new, field="tags"):
    return JournalEntry(field=field, kind="set", old=old, new=new)


SHOWN = item({"studio": "S"}, {"genre": ["Kept", "Came"]})


@pytest.mark.parametrize(
    ("entry", "has_arrived"),
    [
        (scalar("", "S"), True),
        (scalar("", "Another"), False),
        (scalar("", "S", "no such field"), False),
        (names(("Kept",), ("Kept", "came")), True),
        (names(("Kept",), ("Kept", "Lost")), False),
        (names(("Kept", "Gone"), ("Kept",)), True),
        (names(("Kept", "Came"), ("Kept",)), False),
        (names(("Kept",), ("Kept", "Came"), "no such list"), False),
        (names("text", ("Came",)), False),
        (names((), "Came"), False),
    ],
)
def test_a_write_has_arrived_if_the_item_shows_what_came_or_lacks_what_went(entry, has_arrived):
    assert arrived([entry], SHOWN) == ((entry,) if has_arrived else ())
