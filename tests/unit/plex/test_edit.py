"""An edit becomes as few requests as fit, each naming its item, right on servers that add and on those that replace."""

from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.change import FieldEdit, ItemChange, LockEdit, TagEdit
from model.errors import RequestTooLong
from model.item import Field, Item, ItemType, Tag, TagKind
from plex.edit import (
    HARD_BYTES,
    TARGET_BYTES,
    ListChange,
    change_of,
    is_applied,
    list_in_parts,
    list_request,
    names_to_remove,
    requests_for,
    spelled_as_there,
)


def item(values=None, tags=None, locked=(), kind=ItemType.MOVIE):
    return Item(7, 3, kind, values or {}, tags or {}, frozenset(locked), ())


def tags(*names):
    return tuple(Tag(name) for name in names)


def query_of(request):
    return tuple(parse_qsl(urlsplit(request.target).query, keep_blank_values=True))


def having(*names):
    return item(tags={TagKind.GENRE: tags(*names)})


def test_everything_rides_in_one_request_that_names_the_item():
    edit = ItemChange(
        item(tags={TagKind.GENRE: tags("y")}),
        (FieldEdit(Field.TITLE, "A"), FieldEdit(Field.USER_RATING, "0")),
        (TagEdit(TagKind.GENRE, tags("x")),),
        (LockEdit("thumb"),),
    )
    (request,) = requests_for(edit)
    assert urlsplit(request.target).path == "/library/sections/3/all"
    assert query_of(request) == (
        ("type", "1"),
        ("id", "7"),
        ("title.value", "A"),
        ("title.locked", "1"),
        ("userRating.value", "0"),
        ("userRating.locked", "1"),
        ("genre[].tag.tag-", "y"),
        ("genre[0].tag.tag", "x"),
        ("genre.locked", "1"),
        ("thumb.locked", "1"),
    )
    assert request.names == edit.names == ("title", "userRating", "genre", "thumb")


def test_an_episode_is_edited_as_one():
    (request,) = requests_for(ItemChange(item(kind=ItemType.EPISODE), (FieldEdit(Field.TITLE, "A"),)))
    assert ("type", "4") in query_of(request)


def test_nothing_to_change_is_no_request():
    assert requests_for(ItemChange(item())) == []


def test_an_actor_carries_its_role():
    edit = TagEdit(TagKind.ACTOR, (Tag("Ann", "Herself"),))
    (request,) = requests_for(ItemChange(item(), tags=(edit,)))
    assert query_of(request)[2:] == (
        ("actor[0].tag.tag", "Ann"),
        ("actor[0].tagging.text", "Herself"),
        ("actor.locked", "1"),
    )


def test_a_comma_in_a_removed_name_does_not_remove_two():
    (request,) = requests_for(ItemChange(having("A, B", "C&D"), tags=(TagEdit(TagKind.GENRE, ()),)))
    removed = dict(query_of(request))["genre[].tag.tag-"]
    assert [unquote(name) for name in removed.split(",")] == ["A, B", "C&D"]


def test_plexs_spelling_is_kept_where_only_case_differs():
    wanted = spelled_as_there(tags("solo", "New", "SOLO"), tags("Solo", "Old"))
    assert [tag.name for tag in wanted] == ["Solo", "New"]
    assert names_to_remove(wanted, tags("Solo", "Old")) == ["Old"]


def test_a_long_edit_is_split_between_fields_and_lists():
    edit = ItemChange(
        item(),
        (FieldEdit(Field.TITLE, "t" * 1000), FieldEdit(Field.SUMMARY, "s" * 3000)),
        (TagEdit(TagKind.GENRE, tags(*(f"genre {number}" for number in range(60)))),),
    )
    requests = requests_for(edit)
    assert [request.names for request in requests] == [("title",), ("summary",), ("genre",)]
    assert all(request.line_bytes <= TARGET_BYTES for request in requests)
    assert all(("id", "7") in query_of(request) for request in requests)


def test_a_list_is_never_torn_apart_for_a_replacing_server_would_keep_its_last_piece():
    many = tags(*(f"genre number {number}" for number in range(150)))
    (request,) = requests_for(ItemChange(item(), tags=(TagEdit(TagKind.GENRE, many),)))
    assert TARGET_BYTES < request.line_bytes <= HARD_BYTES


def test_a_list_too_long_for_one_request_comes_in_parts_with_what_is_there_first():
    have = ("kept", *(f"old {number} {'x' * 60}" for number in range(80)))
    want = tags(*(f"漢字 {number}" for number in range(200)), "kept")
    removing, adding = list_in_parts(having(*have), TagEdit(TagKind.GENRE, want))
    requests = [list_request(item(), part) for part in removing + adding]
    assert len(removing) > 1
    assert len(adding) > 1
    assert adding[0].add[0] == Tag("kept")
    assert all(request.line_bytes <= TARGET_BYTES for request in requests)


def test_a_list_whose_present_names_do_not_fit_is_refused_rather_than_risked():
    have = [f"漢字 {number}" for number in range(200)]
    with pytest.raises(RequestTooLong) as caught:
        list_in_parts(having(*have), TagEdit(TagKind.GENRE, tags(*have, "one more")))
    assert caught.value.fields == ("genre",)


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(str.strip)


@given(st.lists(names, max_size=30), st.lists(names, max_size=30))
def test_both_readings_of_a_tag_edit_give_the_wanted_list(want, have):
    change = change_of(having(*have), TagEdit(TagKind.GENRE, tags(*want)))
    removed = {name.casefold() for name in change.remove}
    sent = {tag.name.casefold() for tag in change.add}
    adding = ({name.casefold() for name in have} - removed) | sent
    assert adding == sent == {name.casefold() for name in want}


@given(
    st.lists(st.builds(FieldEdit, st.sampled_from(Field), st.text(max_size=400)), max_size=6),
    st.lists(
        st.builds(TagEdit, st.sampled_from(TagKind), st.lists(names.map(Tag), max_size=20).map(tuple)),
        max_size=3,
    ),
)
def test_no_request_is_without_its_item_and_nothing_gets_lost(fields, tag_edits):
    edit = ItemChange(item(), tuple(fields), tuple(tag_edits))
    requests = requests_for(edit)
    assert all(query_of(request)[1] == ("id", "7") for request in requests)
    assert [name for request in requests for name in request.names] == list(edit.names)


APPLIED = [
    (ItemChange(item(), (FieldEdit(Field.TITLE, "A "),)), item({Field.TITLE: "A"}, locked=["title"]), True),
    (ItemChange(item(), (FieldEdit(Field.TITLE, "A"),)), item({Field.TITLE: "A"}), False),
    (ItemChange(item(), (FieldEdit(Field.TITLE, "A"),)), item({Field.TITLE: "B"}, locked=["title"]), False),
    (ItemChange(item(), (FieldEdit(Field.TITLE_SORT, "A"),)), item({Field.TITLE: "A"}, locked=["titleSort"]), True),
    (ItemChange(item(), (FieldEdit(Field.SUMMARY, ""),)), item(locked=["summary"]), True),
    (ItemChange(item(), (FieldEdit(Field.USER_RATING, "7"),)),
     item({Field.USER_RATING: "7.0"}, locked=["userRating"]), True),
    (ItemChange(item(), tags=(TagEdit(TagKind.GENRE, tags("a")),)),
     item(tags={TagKind.GENRE: tags("A")}, locked=["genre"]), True),
    (ItemChange(item(), tags=(TagEdit(TagKind.GENRE, tags("a")),)),
     item(tags={TagKind.GENRE: tags("a", "b")}, locked=["genre"]), False),
    (ItemChange(item(), locks=(LockEdit("thumb"),)), item(locked=["thumb"]), True),
    (ItemChange(item(), locks=(LockEdit("thumb", locked=False),)), item(locked=["thumb"]), False),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "now", "applied"), APPLIED)
def test_reading_back_tells_whether_an_edit_was_applied(edit, now, applied):
    assert is_applied(edit, now) is applied


def test_an_edit_can_be_cut_down_to_some_names():
    edit = ItemChange(
        item(),
        (FieldEdit(Field.TITLE, "A"), FieldEdit(Field.STUDIO, "S")),
        (TagEdit(TagKind.GENRE, tags("a")), TagEdit(TagKind.ACTOR, tags("b"))),
        (LockEdit("thumb"), LockEdit("art")),
    )
    assert edit.only(["studio", "genre", "art"]).names == ("studio", "genre", "art")
    assert edit.only([]).names == ()


def test_a_request_splits_into_one_for_each_name_all_of_the_same_item():
    edit = ItemChange(item(), (FieldEdit(Field.TITLE, "A"), FieldEdit(Field.STUDIO, "S")))
    (request,) = requests_for(edit)
    assert [one.names for one in request.split()] == [("title",), ("studio",)]
    assert all(query_of(one)[1] == ("id", "7") for one in request.split())


@pytest.mark.parametrize(("shown", "applied"), [(["A", "b", "x"], True), (["a"], False), (["a", "b", "Gone"], False)])
def test_a_part_of_a_list_is_applied_if_its_names_are_there_and_those_it_removes_are_not(shown, applied):
    change = ListChange(TagKind.GENRE, tags("a", "B"), ("gone",), locked=True)
    assert change.is_applied(item(tags={TagKind.GENRE: tags(*shown)})) is applied
