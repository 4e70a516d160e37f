"""The settings: precedence, all problems at once, true defaults."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.config import KEYS, allowed, describe, read_settings, read_settings_file, resolve, unset_in_stash

GIVEN = {"plex_url": "http://plex.lan:32400", "plex_token": "a-token"}


def test_stash_wins_over_the_file_and_the_file_over_the_environment():
    environment = {"STASH2PLEX_MAX_TAGS": "1", "STASH2PLEX_MAX_RETRIES": "1", "STASH2PLEX_READ_TIMEOUT": "9"}
    settings = resolve({**GIVEN, "max_tags": 3}, {"max_tags": 2, "max_retries": 2}, environment)
    assert (settings.config.max_tags, settings.config.max_retries, settings.config.read_timeout) == (3, 2, 9)
    assert (settings.sources["max_tags"], settings.sources["max_retries"]) == ("Stash", "file")
    assert (settings.sources["read_timeout"], settings.sources["enabled"]) == ("environment", "default")


def test_an_emptied_field_on_the_page_counts_as_unset():
    assert resolve({**GIVEN, "plex_library": " "}, {"plex_library": "Clips"}, {}).config.plex_library == "Clips"


def test_all_problems_are_named_at_once_with_place_and_what_is_allowed():
    settings = resolve(
        {"max_tags": 9999, "enabled": "perhaps"}, {"poll_interval": "soon"}, {"STASH2PLEX_MAX_RETRIES": "x"}
    )
    assert settings.config is None
    assert set(settings.problems) == {
        "plex_url is not set.",
        "plex_token is not set.",
        "max_tags is 9999, set in Stash; allowed is a whole number from 1 to 500.",
        "enabled is 'perhaps', set in Stash; allowed is on or off.",
        "poll_interval is 'soon', set in stash2plex.json; allowed is a number from 0.1 to 60.",
        "max_retries is 'x', set in STASH2PLEX_MAX_RETRIES; allowed is a whole number from 1 to 20.",
    }


@pytest.mark.parametrize("token", [["a", "secret-token"], "two words-secret-token", "sécret-token"])
def test_a_wrong_token_is_never_quoted(token):
    problems = " ".join(resolve({**GIVEN, "plex_token": token}, {}, {}).problems)
    assert "plex_token" in problems
    assert "cret-token" not in problems


@pytest.mark.parametrize("word", [True, "true", "Yes", " on ", "1", 1])
def test_a_switch_understands_words(word):
    assert resolve({**GIVEN, "sync_rating": word}, {}, {}).config.sync_rating is True


@pytest.mark.parametrize(
    "url",
    [
        "plex.lan:32400",
        "ftp://plex",
        "http://",
        "http://plex:port",
        "http://user:pw@plex",
        "http://plex/?X-Plex-Token=t",
        "http://plex:32400/web/index.html",
    ],
)
def test_an_address_is_scheme_host_and_port_and_no_more(url):
    assert "plex_url must be an address" in resolve({**GIVEN, "plex_url": url}, {}, {}).problems[0]


def test_a_closing_slash_is_taken_off():
    assert resolve({**GIVEN, "plex_url": "https://plex.lan:32400/"}, {}, {}).config.plex_url == "https://plex.lan:32400"


def test_only_true_defaults_are_offered_to_stashs_page():
    settings = resolve({**GIVEN, "max_tags": 3}, {"max_retries": 2}, {"STASH2PLEX_READ_TIMEOUT": "9"})
    offered = unset_in_stash({**GIVEN, "max_tags": 3}, settings.sources)
    assert offered["sync_tags"] is True
    assert offered["sync_rating"] is False
    assert not {"max_tags", "max_retries", "read_timeout", "plex_url", "plex_token", "path_map"} & set(offered)


def test_what_was_offered_is_not_offered_again():
    first = unset_in_stash(GIVEN, resolve(GIVEN, {}, {}).sources)
    again = {**GIVEN, **first}
    assert unset_in_stash(again, resolve(again, {}, {}).sources) == {}
    assert resolve(again, {}, {}).config == resolve(GIVEN, {}, {}).config


def test_the_token_is_not_in_the_settings_text():
    assert "a-token" not in repr(resolve(GIVEN, {}, {}))


@pytest.mark.parametrize("key", KEYS)
def test_every_setting_names_default_and_allowed_values(key):
    assert "Default: " in describe(key)
    assert describe(key).endswith(f"Allowed: {allowed(key)}.")


VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.lists(st.text())
    | st.dictionaries(st.text(), st.text())
)


@given(st.dictionaries(st.sampled_from(KEYS), VALUES), st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_whatever_is_set_there_is_a_configuration_or_a_sentence(in_stash, in_file):
    settings = resolve(in_stash, in_file, {})
    assert (settings.config is None) == bool(settings.problems)
    assert all(problem.split()[0] in KEYS for problem in settings.problems)


@pytest.mark.parametrize(
    ("text", "values", "says"),
    [
        ("", {}, ()),
        ('{"max_tags": 3}', {"max_tags": 3}, ()),
        ("{", {}, ("stash2plex.json is no JSON; correct it or delete it.",)),
        ("[" * 100_000, {}, ("stash2plex.json is no JSON; correct it or delete it.",)),
        ("[]", {}, ("stash2plex.json must hold an object with settings; correct it or delete it.",)),
        ('{"max_tag": 3}', {"max_tag": 3}, ("stash2plex.json has 'max_tag', which is no setting.",)),
    ],
)
def test_what_is_wrong_with_the_file_as_a_whole_is_said(text, values, says):
    assert read_settings_file(text) == (values, says)


def test_problems_of_the_file_come_before_those_of_the_settings(monkeypatch):
    monkeypatch.setenv("STASH2PLEX_MAX_TAGS", "many")
    first, second = read_settings(GIVEN, "{").problems
    assert first.startswith("stash2plex.json is no JSON")
    assert "max_tags" in second.lower()
