"""What the answers of sources mean, and what a sidecar says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intake.naming.codes import find_codes, read_code
from intake.sources.port import Found, Offer, Question, Several, SourceAway, Unknown, ask_all, judge
from intake.sources.sidecar import SidecarSource, parse_nfo
from intake.sources.work import JSON_NAMES, Work, read_work
from tests.support.damage import JSON, damaged

SONE = Work(code="SONE-760", title="A title", performers=("Ruri",), source="WordPress")


class ScriptedSource:
    """A source that says what it is told to say, and remembers what it was asked."""

    def __init__(self, *said):
        self.name = "scripted"
        self._said = said
        self.asked = []

    def find(self, question):
        self.asked.append(question)
        if isinstance(self._said[0], Exception):
            raise self._said[0]
        return self._said


def ask(name, *offers):
    return judge(offers, Question(f"/watch/{name}", find_codes(name)))


def offer(**changes):
    return Offer(Work(**{"code": "SONE-760", "title": "A title", **changes}))


def test_the_asked_code_counts_in_any_spelling():
    answer = ask("SONE-760.mp4", offer(code="sone00760"))
    assert isinstance(answer, Found)
    assert answer.code.text == "SONE-760"


def test_another_code_is_no_answer_and_is_named():
    assert ask("SONE-760.mp4", offer(code="SONE-761")) == Unknown(("SONE-761",))
    assert ask("SONE-760.mp4", offer(code="")) == Unknown()


def test_a_guess_counts_if_a_source_says_the_same():
    assert not find_codes("sone760.mp4")[0].is_certain
    assert isinstance(ask("sone760.mp4", offer()), Found)
    assert ask("rocky 1976.mp4", offer()) == Unknown(("SONE-760",))


def test_one_code_and_several_works_are_a_persons_case():
    answer = ask("SONE-760.mp4", offer(), offer(title="Another"))
    assert isinstance(answer, Several)
    assert [work.title for work in answer.works] == ["Another", "A title"]
    assert "SONE-760 is the code of 2 works" in answer.sentence


def test_the_same_work_twice_is_one():
    assert isinstance(ask("SONE-760.mp4", offer(), offer(title="a TITLE")), Found)


def test_a_file_that_is_known_by_itself_needs_no_code():
    work = Work(title="Holiday", source="a sidecar")
    assert judge([Offer(work, is_of_file=True)], Question("/watch/clip.mp4", ())) == Found(work, read_code(""))


def test_a_name_and_a_file_that_contradict_each_other_are_a_persons_case():
    answer = judge([Offer(Work(code="ABC-1", source="Stash"), True)], Question("/x", find_codes("SONE-760.mp4")))
    assert isinstance(answer, Several)
    assert "The name says SONE-760 and Stash says ABC-1." in answer.sentence


def test_a_guess_gives_way_to_the_file():
    answer = judge([Offer(Work(code="ABC-123"), True)], Question("/x", find_codes("sone760.mp4")))
    assert isinstance(answer, Found)
    assert answer.code.text == "ABC-123"


def question():
    return Question("/watch/SONE-760.mp4", find_codes("SONE-760.mp4"))


def test_the_first_that_has_all_is_the_last_to_be_asked():
    first, second = ScriptedSource(Offer(SONE)), ScriptedSource(Offer(SONE))
    assert ask_all([first, second], question()) == Found(SONE, read_code("SONE-760"))
    assert second.asked == []


def test_what_the_first_lacks_the_next_may_have():
    bare = ScriptedSource(Offer(Work(code="SONE-760", title="A title", source="Stash")))
    answer = ask_all([bare, ScriptedSource(Offer(SONE))], question())
    assert (answer.work.title, answer.work.performers, answer.work.source) == ("A title", ("Ruri",), "Stash")


def test_an_outage_is_passed_over_if_another_knows_and_raised_if_nobody_does():
    away = ScriptedSource(SourceAway("away"))
    assert isinstance(ask_all([away, ScriptedSource(Offer(SONE))], question()), Found)
    with pytest.raises(SourceAway):
        ask_all([away, ScriptedSource(offer(code="OTHER-111"))], question())
    with pytest.raises(SourceAway):
        ask_all([ScriptedSource(offer(code="OTHER-111")), away], question())


def test_nobody_knows():
    sources = [ScriptedSource(offer(code="AA-1")), ScriptedSource(offer(code="BB-2"))]
    assert ask_all(sources, question()) == Unknown(("AA-1", "BB-2"))
    assert ask_all([], question()) == Unknown()


# --- works ----------------------------------------------------------------------------------------------------------


def test_a_work_is_read_as_it_was_written():
    work = Work("A-1", "T", "O", "one\ntwo", ("P", "Q"), ("G",), "2024-05-06", "S", "M", "L", "http://x/y", "", "Stash")
    assert Work.from_json(work.to_json()) == work
    assert Work.from_json("") == Work()


def test_what_others_kept_is_read():
    kept = {
        "movie_code": "SONE-1",
        "actress": "A Name, B Name、C",
        "genre": [{"name": "Drama"}],
        "release_date": "2024",
    }
    work = Work.from_json(json.dumps(kept))
    assert work.performers == ("A Name", "B Name", "C")
    assert (work.genres, work.release_date) == (("Drama",), "2024-01-01")


@given(damaged(dict.fromkeys(JSON_NAMES.values(), "text") | {"actress": ["A", {"name": "B"}]}))
def test_a_work_is_read_from_anything(raw):
    work = read_work(raw, JSON_NAMES, "x") if isinstance(raw, dict) else Work()
    text = work.to_json().encode()
    assert b"\\u0000" not in text
    assert Work.from_json(text.decode()) == work


# --- sidecars -------------------------------------------------------------------------------------------------------

NFO = """<?xml version="1.0" encoding="UTF-8"?>
<movie><num>SONE-760</num><title>A title</title><plot>Long.</plot><premiered>2024-05-06</premiered>
<studio>S1</studio><genre>Drama</genre><genre>Tall</genre><actor><name>Ruri</name></actor></movie>"""


def sidecar(tmp_path, name, content):
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return SidecarSource().find(Question(str(tmp_path / "film.mp4"), ()))


WIDE = NFO.replace("UTF-8", "UTF-16").encode("utf-16")


@pytest.mark.parametrize("content", [NFO, NFO + "\nhttps://example.org/film", WIDE])
def test_an_nfo_is_read(tmp_path, content):
    (one,) = sidecar(tmp_path, "film.nfo", content)
    work = one.work
    assert one.is_of_file
    assert (work.code, work.title, work.performers, work.genres) == (
        "SONE-760",
        "A title",
        ("Ruri",),
        ("Drama", "Tall"),
    )
    assert (work.studio, work.release_date, work.overview) == ("S1", "2024-05-06", "Long.")


def test_a_json_comes_before_an_nfo(tmp_path):
    sidecar(tmp_path, "film.nfo", NFO)
    (one,) = sidecar(
        tmp_path, "film.json", json.dumps({"success": True, "data": {"movie_code": "ABC-1", "title": "T"}})
    )
    assert one.work.code == "ABC-1"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "  ░▒▓ release notes ▓▒░  ",
        "https://example.org/film",
        "<movie><title>cut",
        '<!DOCTYPE movie [<!ENTITY a "aaaa">]><movie><title>&a;</title></movie>',
        "<a>" * 3000 + "</a>" * 3000,
        "<movie></movie>",
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_sidecar_is_none(tmp_path, content):
    assert sidecar(tmp_path, "film.nfo", content) == []


@pytest.mark.parametrize("content", ["[]", "{", "null", '{"title": 3}', "[" * 100_000, b"\xff"])
def test_json_that_is_no_sidecar_is_none(tmp_path, content):
    assert sidecar(tmp_path, "film.json", content) == []


def test_a_huge_sidecar_is_not_read(tmp_path):
    assert sidecar(tmp_path, "film.json", '{"title": "' + "x" * 1_100_000 + '"}') == []


@given(JSON)
def test_any_json_beside_a_file_does_no_harm(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("sidecar")
    sidecar(folder, "film.json", json.dumps(content))


@given(st.binary(max_size=200))
def test_any_bytes_are_an_nfo_or_none(data):
    parse_nfo(b"<movie>" + data + b"</movie>")
