"""The `file=` filter is asked with what it can take."""

import pytest

from model.item import ListedItem, Part
from plex.listing import contains_term, search_terms

TERMS = [
    ("/d/plain.mp4", ["plain.mp4"]),
    ("D:\\d\\plain.mp4", ["plain.mp4"]),
    ("/d/a, longer piece, b.mp4", ["longer piece"]),
    ("/d/ends with comma,.mp4", ["ends with comma"]),
    ("/d/Caf\u00e9.mp4", ["Caf\u00e9.mp4", "Cafe\u0301.mp4"]),
    ("/d/Cafe\u0301.mp4", ["Caf\u00e9.mp4", "Cafe\u0301.mp4"]),
    ("/d/,,,", []),
    ("", []),
]


@pytest.mark.parametrize(("path", "terms"), TERMS)
def test_the_longest_piece_without_a_comma(path, terms):
    assert search_terms(path) == terms


def test_an_answer_is_believed_if_one_of_its_files_has_the_term():
    item = ListedItem(1, 0, 0, [Part(1, 1, "/d/other.mp4"), Part(1, 1, "/d/CAFE\u0301.mp4")])
    assert contains_term(item, "caf\u00e9")
    assert not contains_term(item, "tea")
    assert not contains_term(ListedItem(1, 0, 0, []), "tea")
