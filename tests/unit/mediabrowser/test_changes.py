"""A change in our words, as what is sent of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediabrowser.dialect import Dialect, Product
from mediabrowser.port.capabilities import capabilities_of
from mediabrowser.port.changes import document_edit, with_first
from mediabrowser.reading.document import ItemDocument, Person
from model.change import FieldEdit, ItemChange, LockEdit, TagEdit
from model.item import Field, Tag, TagKind
from tests.support.items import item

JELLYFIN, EMBY = Dialect(Product.JELLYFIN, "12.1.0"), Dialect(Product.EMBY, "4.9.1.90")
NAMES = st.lists(st.sampled_from("ABCDE"), unique=True)


def document(**raw):
    return ItemDocument({"Id": "1", "LockedFields": [], **raw}, is_whole=True)


@given(NAMES, st.sampled_from("ABCXY"))
def test_a_name_in_the_first_place_leaves_the_others_and_can_be_taken_back(names, first):
    now = with_first(names, first)
    assert now[0] == first
    assert len(now) == max(len(names), 1)
    assert with_first(now, names[0] if names else "") == tuple(names)


def test_a_sort_title_is_sent_as_it_is_also_where_it_is_the_title():
    change = ItemChange(item(), (FieldEdit(Field.TITLE, "T"), FieldEdit(Field.TITLE_SORT, "T")))
    assert document_edit(change, document(Name="x"), JELLYFIN).texts == {"Name": "T", "ForcedSortName": "T"}
    none = ItemChange(item(), (FieldEdit(Field.TITLE_SORT, ""),))
    assert document_edit(none, document(Name="x"), JELLYFIN).texts == {"ForcedSortName": ""}


def test_a_studio_that_is_there_in_another_spelling_changes_places():
    change = ItemChange(item(), (FieldEdit(Field.STUDIO, "X|Y"),))
    now = document(Studios=[{"Name": "Theirs"}, {"Name": "x/y"}])
    edit = document_edit(change, now, JELLYFIN)
    assert edit.lists == {"Studios": ("X/Y", "Theirs")}
    back = ItemChange(item(), (FieldEdit(Field.STUDIO, "Theirs"),))
    now = document(Studios=[{"Name": "x/y"}, {"Name": "Theirs"}])
    assert document_edit(back, now, JELLYFIN).lists == {"Studios": ("Theirs", "x/y")}


def test_people_of_other_work_stay_where_they_are():
    people = [{"Name": "Ann", "Role": "Herself", "Type": "Actor"}, {"Name": "Wim", "Type": "Writer"}]
    change = ItemChange(item(), tags=(TagEdit(TagKind.ACTOR, (Tag("ann"), Tag("Zoe"), Tag("zoe"))),))
    edit = document_edit(change, document(People=people), JELLYFIN)
    assert edit.people == (Person("Ann", "Herself"), Person("Wim", "", "Writer"), Person("Zoe"))
    same = ItemChange(item(), tags=(TagEdit(TagKind.ACTOR, (Tag("Ann"),)),))
    assert document_edit(same, document(People=people), JELLYFIN).people is None


def test_of_two_lists_with_one_lock_whoever_opens_it_has_it():
    change = ItemChange(
        item(), tags=(TagEdit(TagKind.ACTOR, (), locked=False), TagEdit(TagKind.DIRECTOR, (), locked=True))
    )
    assert document_edit(change, document(LockedFields=["Cast", "Tags"]), JELLYFIN).locks == {"Tags"}


@pytest.mark.parametrize(("dialect", "locks"), [(JELLYFIN, None), (EMBY, {"SortName", "Tagline", "Collections"})])
def test_only_locks_that_the_server_knows_are_sent(dialect, locks):
    names = ("titleSort", "tagline", "thumb", "originallyAvailableAt", "collection")
    change = ItemChange(item(), locks=tuple(map(LockEdit, names)))
    assert document_edit(change, document(), dialect).locks == locks


def test_what_can_be_locked_differs_between_the_two():
    jellyfin, emby = (capabilities_of(product).locks for product in (Product.JELLYFIN, Product.EMBY))
    assert emby - jellyfin == {"titleSort", "originalTitle", "tagline", "userRating", "collection"}
    assert jellyfin < emby
