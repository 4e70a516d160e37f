"""The WordPress search as a source, against the simulated site and its bad days."""

import os
import stat

import pytest

from intake.naming.codes import find_codes
from intake.sources import wordpress
from intake.sources.port import Found, Question, Several, SourceAway, SourceRefuses, Unknown, ask_all
from intake.sources.wordpress import WordPressSettings, WordPressSource
from sim.wordpress.server import SimWordPress
from sim.wordpress.works import make_work


@pytest.fixture
def site():
    with SimWordPress() as running:
        yield running


@pytest.fixture
def connect(site, tmp_path):
    opened = []

    def connect_with(**changes):
        known = {"base_url": site.base_url, "token": site.token, "refresh_token": site.refresh_token, **changes}
        opened.append(WordPressSource(WordPressSettings(**known), str(tmp_path / "token.json")))
        return opened[-1]

    yield connect_with
    for source in opened:
        source.close()


def ask(source, name="SONE-760.mp4"):
    return ask_all([source], Question(f"/watch/{name}", find_codes(name)))


def test_a_work_is_found_by_its_code(site, connect):
    site.add("SONE-760", make_work("SONE-760", 3, actress=["Ruri Saijo", "Another"]))
    answer = ask(connect())
    assert isinstance(answer, Found)
    assert (answer.work.performers, answer.work.label) == (("Ruri Saijo", "Another"), "Label 3")
    assert site.asked == [("missav", "SONE-760")]


def test_searches_are_asked_in_their_order(site, connect):
    site.add("SONE-760", search="javguru")
    assert isinstance(ask(connect()), Found)
    assert site.asked == [("missav", "SONE-760"), ("javguru", "SONE-760")]


def test_the_spellings_of_a_code_are_asked_for_in_their_order(site, connect):
    site.add("FC2-PPV-1234567")
    assert isinstance(ask(connect(), "FC2-1234567.mp4"), Found)
    assert [code for _, code in site.asked] == ["FC2-1234567", "FC2-1234567", "FC2-PPV-1234567"]


def test_nothing_is_known_of_it(site, connect):
    assert ask(connect()) == Unknown()
    assert len(site.asked) == 2  # one request a search


def test_another_code_is_not_taken(site, connect):
    site.add("SONE-760", make_work("SONE-761"))
    assert ask(connect()) == Unknown(("SONE-761",))


def test_several_works_of_one_code_are_all_shown(site, connect):
    site.add("SONE-760", make_work("SONE-760", 1), make_work("SONE-760", 2))
    answer = ask(connect())
    assert isinstance(answer, Several)
    assert len(answer.works) == 2


def test_a_list_with_one_work_is_that_work(site, connect):
    site.add("SONE-760")
    site.mood = "list"
    assert isinstance(ask(connect()), Found)


def test_a_token_that_ran_out_is_refreshed_once_and_kept(site, connect, tmp_path):
    site.add("SONE-760")
    source = connect()
    first = site.token
    site.expire_token()
    assert isinstance(ask(source), Found)
    assert isinstance(ask(source), Found)
    assert site.refreshes == 1
    assert stat.S_IMODE(os.stat(tmp_path / "token.json").st_mode) == 0o600
    assert isinstance(ask(connect(token=first)), Found)
    assert site.refreshes == 1
    assert isinstance(ask(connect(token=site.token)), Found)  # another token was set: the kept one is void
    assert site.refreshes == 1


def test_a_refused_refresh_token_is_a_persons_case(site, connect):
    site.expire_token()
    with pytest.raises(SourceRefuses, match="accepts neither the token nor the refresh token"):
        ask(connect(token="old-token", refresh_token="old-refresh-token"))
    with pytest.raises(SourceRefuses, match="does not accept API_TOKEN") as refused:
        ask(connect(token="old-token", refresh_token=""))
    assert "sim-wordpress" not in str(refused.value)


def test_a_plug_in_that_is_off_is_told_from_an_unknown_work(site, connect):
    site.mood = "plug-in off"
    with pytest.raises(SourceRefuses, match=r"rest_no_route.*Is its plug-in on"):
        ask(connect())


@pytest.mark.parametrize(
    ("mood", "sentence"),
    [
        ("html", "is not WordPress's search: status 200 and no JSON"),
        ("cut", "no JSON"),
        ("busy", "answered 503"),
        ("jpeg with 404", "answered 404"),
        ("redirect", "answered 302"),
        ("endless", "AnswerTooLarge"),
    ],
)
def test_what_makes_no_sense_is_an_outage(site, connect, mood, sentence):
    site.mood = mood
    with pytest.raises(SourceAway, match=sentence):
        ask(connect())


def test_a_slow_site_is_not_waited_for(site, connect, monkeypatch):
    monkeypatch.setattr(wordpress, "TIMEOUTS", (1.0, 0.2))
    site.mood, site.slow_seconds = "slow", 1.0
    with pytest.raises(SourceAway, match="in time"):
        ask(connect())


def test_a_site_that_is_gone_is_an_outage_and_comes_back(site, connect):
    site.add("SONE-760")
    source = connect()
    assert isinstance(ask(source), Found)
    site.stop()
    with pytest.raises(SourceAway, match="Nothing answers at"):
        ask(source)
    site.start()
    assert isinstance(ask(source), Found)


def test_the_token_goes_nowhere_else(site, connect, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NETRC", "/dev/null")
    site.add("SONE-760")
    assert isinstance(ask(connect()), Found)
    site.mood = "redirect"
    with pytest.raises(SourceAway):
        ask(connect())
    assert {path for path, _ in site.headers} == {"/wp-json/emby/v1/missav/search"}


def test_paths_and_fields_are_settings(site, connect):
    work = {"dvd_id": "SONE-760", "name": "A title", "cast": [{"name": "Ruri"}]}
    site.add("SONE-760", work, search="javguru")
    source = connect(paths=("/javguru/search",), fields={"code": "dvd_id", "title": "name", "performers": "cast"})
    answer = ask(source)
    assert isinstance(answer, Found)
    assert (answer.work.title, answer.work.performers) == ("A title", ("Ruri",))


def test_the_refresh_is_asked_for_where_wordpress_lies():
    assert WordPressSettings("http://h/blog/wp-json/emby/v1").refresh_url == f"http://h/blog/wp-json{wordpress.REFRESH}"
    assert WordPressSettings("http://h/x", refresh_path="/r").refresh_url == "http://h/r"


def test_a_check_says_how_it_is(site, connect):
    assert "answers" in connect().check()
    site.mood = "html"
    with pytest.raises(SourceAway):
        connect().check()
