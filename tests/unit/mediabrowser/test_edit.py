"""What goes out: the whole item, no null that nobody meant, nothing that we do not know left out."""

import json

import pytest

from mediabrowser.dialect import Dialect, Product, Property
from mediabrowser.reading.document import ItemDocument, Person, read_document, read_documents
from mediabrowser.writing.edit import DocumentEdit, body_of, is_applied
from model.errors import AnswerGarbled

JELLYFIN = Dialect(Product.JELLYFIN, "12.1.0")
EMBY = Dialect(Product.EMBY, "4.9.1.90")
RAW = {
    "Id": "1",
    "ServerId": "s",
    "Etag": "e",
    "Name": "Name",
    "LockData": True,
    "LockedFields": ["Tags", "Name"],
    "Genres": ["Drama"],
    "Tags": ["kept"],
    "ProviderIds": {"Imdb": "tt1"},
    "People": [{"Name": "Ann", "Type": "Actor"}],
    "FromTheFuture": {"deep": [1, None]},
    "Nothing": None,
}
WHOLE = ItemDocument(RAW, is_whole=True)


def sent(edit, dialect=JELLYFIN, document=WHOLE):
    return json.loads(body_of(document, edit, dialect))


def test_what_came_goes_back_and_nulls_and_people_do_not():
    body = sent(DocumentEdit())
    assert body == {name: value for name, value in RAW.items() if name not in ("Nothing", "People")}


@pytest.mark.parametrize("dialect", [JELLYFIN, EMBY])
def test_what_is_cleared_is_left_out_and_nothing_is_null(dialect):
    filled = {"PremiereDate": "2024-05-01T00:00:00.0000000Z", "ProductionYear": 2024, "CommunityRating": 5.0}
    filled |= {"ForcedSortName": "x", "Overview": "x", "OfficialRating": "x", "Taglines": ["x"]}
    document = ItemDocument({**RAW, **filled}, is_whole=True)
    body = sent(DocumentEdit(texts=dict.fromkeys(list(Property)[:7], "")), dialect, document)
    assert None not in body.values()
    assert not any(body.get(name) for name in filled)
    assert (body["Name"], body["Taglines"]) == ("", [])


@pytest.mark.parametrize(
    ("names", "now", "expected"),
    [
        (("X|Y", "x/y"), ("Theirs", "x/y"), ["x/y"]),
        (("Blue", "blue"), ("blue",), ["blue"]),
        (("blue", "Blue"), ("Blue",), ["Blue"]),
        (("Blue", "blue"), ("Blue", "blue"), ["Blue", "blue"]),
        (("New", "new", " New "), (), ["New"]),
        (("A", "B"), ("B", "A"), ["A", "B"]),
    ],
)
def test_of_names_that_differ_in_case_the_one_that_is_there_counts(names, now, expected):
    document = ItemDocument({**RAW, "Tags": list(now)}, is_whole=True)
    assert sent(DocumentEdit(lists={Property.TAGS: names}), document=document)["Tags"] == expected


@pytest.mark.parametrize("dialect", [JELLYFIN, EMBY])
def test_ids_of_others_go_back_as_they_came(dialect):
    ids = {"Imdb": "", "Odd": 7, "stash": "old", "Tmdb": "5", "None": None}
    document = ItemDocument({**RAW, "ProviderIds": ids}, is_whole=True)
    assert document.provider_id("Stash") == "old"
    body = sent(DocumentEdit(provider_ids={"Stash": "42"}), dialect, document)
    assert body["ProviderIds"] == {"Imdb": "", "Odd": 7, "stash": "42", "Tmdb": "5"}
    assert sent(DocumentEdit(provider_ids={"Stash": ""}), dialect, document)["ProviderIds"] == {
        "Imdb": "",
        "Odd": 7,
        "Tmdb": "5",
    }


def test_emby_is_sent_people_only_if_it_showed_them_or_they_change():
    hidden = ItemDocument({name: value for name, value in RAW.items() if name != "People"}, is_whole=True)
    assert "People" not in sent(DocumentEdit(), EMBY, hidden)
    assert sent(DocumentEdit(), EMBY)["People"] == RAW["People"]
    assert sent(DocumentEdit(people=()), EMBY, hidden)["People"] == []


def test_locks_keep_their_order_and_new_ones_come_last():
    assert sent(DocumentEdit(locks=frozenset({"Name", "Tags", "Genres", "Cast"})))["LockedFields"] == [
        "Tags",
        "Name",
        "Cast",
        "Genres",
    ]
    assert sent(DocumentEdit(locks=frozenset({"Name"})))["LockedFields"] == ["Name"]
    assert sent(DocumentEdit(is_locked=False))["LockData"] is False


def test_emby_gets_both_forms_alike():
    document = ItemDocument(
        {**RAW, "TagItems": [{"Name": "kept", "Id": 7}], "Tags": [], "SortName": "computed"}, is_whole=True
    )
    body = sent(DocumentEdit(lists={Property.GENRES: ("A",)}), EMBY, document)
    assert (body["Tags"], body["TagItems"]) == (["kept"], [{"Name": "kept"}])
    assert (body["Genres"], body["GenreItems"]) == (["A"], [{"Name": "A"}])
    assert (body["SortName"], body["ForcedSortName"]) == ("", "")  # what is computed is not to be forced


def test_a_document_that_is_not_whole_is_not_sent():
    with pytest.raises(AnswerGarbled, match="without its settings"):
        sent(DocumentEdit(), document=read_document({"Id": "1", "LockedFields": []}, "x", is_whole=False))


def test_a_moment_with_an_offset_goes_back_as_utc():
    raw = {"Id": "1", "PremiereDate": "2024-05-01T01:30:00.0000000+02:00", "EndDate": "2024-05-01T00:00:00.0000000Z"}
    document = read_document(raw, "x", is_whole=True)
    body = sent(DocumentEdit(), document=document)
    assert (body["PremiereDate"], body["EndDate"]) == ("2024-04-30T23:30:00.0000000Z", "2024-05-01T00:00:00.0000000Z")
    assert document.date == "2024-04-30T23:30:00.0000000Z (no year)"
    assert sent(DocumentEdit(texts={Property.DATE: document.date}), document=document) == body


def test_the_longer_of_two_spellings_of_a_list_is_what_goes_back():
    raw = {"Id": "1", "Genres": ["A", "B"], "GenreItems": [{"Name": "A"}], "TagItems": [{"Name": "T"}], "Tags": []}
    document = read_document(raw, "x", is_whole=True)
    assert (document.genres, document.tags) == (("A", "B"), ("T",))


@pytest.mark.parametrize(
    ("edit", "shown"),
    [
        (DocumentEdit(texts={Property.NAME: "A "}), {"Name": "A"}),
        (
            DocumentEdit(texts={Property.DATE: "2024-05-01"}),
            {"PremiereDate": "2024-05-01T00:00:00.0000000Z", "ProductionYear": 2024},
        ),
        (DocumentEdit(texts={Property.RATING: "0"}), {}),
        (DocumentEdit(texts={Property.RATING: "7.5"}), {"CommunityRating": 7.5}),
        (DocumentEdit(texts={Property.SORT_NAME: "x"}), {"ForcedSortName": "x", "SortName": "other"}),
        (DocumentEdit(lists={Property.TAGS: (" One", "one", "A|B")}), {"Tags": ["one", "A/B"]}),
        (
            DocumentEdit(people=(Person("Ann", "Mother"), Person("Ann", "Daughter"))),
            {"People": [{"Name": "Ann", "Type": "Actor"}]},
        ),
        (DocumentEdit(provider_ids={"Stash": "1", "Imdb": ""}), {"ProviderIds": {"Stash": "1"}}),
        (DocumentEdit(locks=frozenset({"Name"}), is_locked=True), {"LockedFields": ["Name"], "LockData": True}),
    ],
)
def test_a_change_is_known_as_the_server_keeps_it(edit, shown):
    assert is_applied(edit, ItemDocument(shown, is_whole=False), JELLYFIN)
    assert not is_applied(
        edit, ItemDocument({"Name": "-", "CommunityRating": 1, "Tags": ["-"]}, is_whole=False), JELLYFIN
    )


@pytest.mark.parametrize("answer", [None, [], {"Items": None}, {"Items": [{}]}, {"Items": ["x"]}])
def test_what_is_no_item_is_garbled(answer):
    with pytest.raises(AnswerGarbled):
        read_documents(answer, "x", is_whole=False)


def test_odd_values_read_as_nothing():
    odd = ItemDocument(
        {"ProductionYear": "x", "CommunityRating": "x", "Tags": "x", "ImageTags": 7, "People": [7]}, is_whole=False
    )
    assert (odd.year, odd.rating, odd.tags, odd.image_tags, odd.people) == (None, None, (), {}, ())
    assert (odd.item_id, odd.etag, odd.date, odd.is_probed) == ("", "", "", False)
