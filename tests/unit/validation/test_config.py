"""The settings: precedence, all problems at once, true defaults."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.config import (
    DEFAULTS,
    KEYS,
    ON_WHEN_IN_DOUBT,
    SECRETS,
    Stash2PlexConfig,
    allowed,
    choices_of,
    default_offers,
    describe,
    page_values,
    read_settings,
    read_settings_file,
    resolve,
    shown,
)

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
        {"max_retries": 99, "enabled": "perhaps"}, {"poll_interval": "soon"}, {"STASH2PLEX_MAX_TAGS": "x"}
    )
    assert settings.config is None
    assert set(settings.problems) == {
        "plex_url is not set.",
        "plex_token is not set.",
        "max_retries is 99, set in Stash; allowed is a whole number from 1 to 20. Until then it is 5.",
        "enabled is 'perhaps', set in Stash; allowed is on or off. Until then it is off.",
        "poll_interval is 'soon', set in stash2plex.json; allowed is a number from 0.1 to 60. Until then it is 0.25.",
        "max_tags is 'x', set in STASH2PLEX_MAX_TAGS; allowed is a whole number from 1 to 500. Until then it is 100.",
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


def test_the_page_is_to_show_what_is_in_force_of_all_that_nobody_chose_there_and_no_secret():
    environment = {"STASH2PLEX_READ_TIMEOUT": "9.5", "STASH2PLEX_PLEX_TOKEN": "a-token"}
    settings = resolve({"plex_url": GIVEN["plex_url"], "max_tags": 3}, {"max_retries": 2}, environment)
    offered = page_values(settings)
    assert (offered["sync_tags"], offered["sync_rating"], offered["max_retries"]) == (True, False, 2)
    assert (offered["read_timeout"], offered["connect_timeout"], offered["path_map"]) == ("9.5", "5", "")
    assert not {"max_tags", "plex_url", "plex_token"} & set(offered)


def test_without_a_configuration_the_page_is_to_show_the_defaults():
    offered = page_values(resolve({}, {"max_retries": 2}, {}))
    assert offered["sync_tags"] is True
    assert "max_retries" not in offered


def test_what_was_offered_changes_nothing():
    settings = resolve(GIVEN, {}, {})
    assert resolve({**GIVEN, **page_values(settings)}, {}, {}).config == settings.config


def test_what_the_worker_offered_to_the_page_gives_way_to_the_file_and_a_persons_choice_does_not():
    offers = {"max_tags": [50, 100], "sync_tags": [True]}
    text = '{"max_tags": 7, "sync_tags": false}'
    for on_page in (50, 100):
        settings = read_settings({**GIVEN, "max_tags": on_page, "sync_tags": True}, text, offers)
        assert (settings.config.max_tags, settings.config.sync_tags, settings.warnings) == (7, False, ())
    chosen = read_settings({**GIVEN, "max_tags": 60, "sync_tags": True}, text, offers)
    assert (chosen.config.max_tags, chosen.config.sync_tags) == (60, False)
    assert chosen.warnings == ("stash2plex.json sets max_tags, but Stash's settings page does so too, and wins.",)


def test_a_switch_on_the_page_is_not_the_number_that_was_offered():
    assert read_settings({**GIVEN, "max_tags": True}, "", {"max_tags": [1]}).sources["max_tags"] == "Stash"


def test_the_defaults_count_as_offered_by_whoever_kept_no_book():
    assert read_settings({**GIVEN, "max_tags": 100}, '{"max_tags": 7}', default_offers()).config.max_tags == 7
    assert "plex_token" not in default_offers()


# --- values of another plugin that has the same id -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "hours"), [("never", 0), ("hourly", 1), (" Daily", 24), ("weekly", 168), ("0.5", 0.5)]
)
def test_an_interval_in_words_is_understood(word, hours):
    assert resolve({**GIVEN, "reconcile_interval": word}, {}, {}).config.reconcile_interval == hours


@pytest.mark.parametrize("key", [key for key in KEYS if not isinstance(DEFAULTS[key], str) and key not in SECRETS])
@pytest.mark.parametrize("value", ["sometimes", ["a"], {"a": 1}])
def test_a_foreign_value_is_named_and_taken_for_the_cautious_one(key, value):
    settings = resolve({**GIVEN, key: value}, {}, {})
    cautious = key in ON_WHEN_IN_DOUBT if isinstance(DEFAULTS[key], bool) else DEFAULTS[key]
    assert settings.problems == ()
    assert getattr(settings.config, key) == cautious
    (warning,) = settings.warnings
    assert warning.startswith(f"{key} is {value!r}, set in Stash; allowed is ")
    assert " Until then it is " in warning


@pytest.mark.parametrize(
    ("in_stash", "in_file", "environment", "key"),
    [
        ({"max_retries": 0}, {}, {}, "max_retries"),
        ({"read_timeout": "9999"}, {}, {}, "read_timeout"),
        ({}, {"max_tags": "many"}, {}, "max_tags"),
        ({}, {}, {"STASH2PLEX_POLL_INTERVAL": "0"}, "poll_interval"),
    ],
)
def test_a_number_that_is_out_of_bounds_or_none_is_named_wherever_it_is_set_and_blocks_nothing(
    in_stash, in_file, environment, key
):
    settings = resolve({**GIVEN, **in_stash}, in_file, environment)
    assert getattr(settings.config, key) == DEFAULTS[key]
    assert settings.problems == ()
    (warning,) = settings.warnings
    assert warning.startswith(f"{key} is ")
    assert warning.endswith(f" Until then it is {shown(DEFAULTS[key])}.")


@pytest.mark.parametrize(("key", "value"), [("plex_library", 7), ("title_format", "{nothing}"), ("tags_as", "words")])
def test_a_text_that_makes_no_sense_needs_a_person(key, value):
    settings = resolve({**GIVEN, key: value, "max_tags": 0}, {}, {})
    assert settings.config is None
    assert len(settings.problems) == 2


def test_the_token_is_not_in_the_settings_text():
    assert "a-token" not in repr(resolve(GIVEN, {}, {}))


@pytest.mark.parametrize("key", KEYS)
def test_every_setting_that_has_a_default_names_it_and_a_number_its_bounds(key):
    default = Stash2PlexConfig.model_fields[key].default
    assert describe(key).endswith(f"Default: {shown(default)}.") is (
        isinstance(default, int | float) or bool(choices_of(key))
    )
    assert (allowed(key).capitalize() in describe(key)) is (type(default) in (int, float) or bool(choices_of(key)))


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
        ('\ufeff{"max_tags": 3}', {"max_tags": 3}, ()),
        ("\ufeff", {}, ()),
        ("{", {}, ("stash2plex.json is no JSON; correct it or delete it.",)),
        ("[" * 100_000, {}, ("stash2plex.json is no JSON; correct it or delete it.",)),
        ("[]", {}, ("stash2plex.json must hold an object with settings; correct it or delete it.",)),
        ('{"max_tag": 3}', {"max_tag": 3}, ("stash2plex.json has 'max_tag', which is no setting.",)),
    ],
)
def test_what_is_wrong_with_the_file_as_a_whole_is_said(text, values, says):
    assert read_settings_file(text) == (values, says)


def test_problems_of_the_file_come_before_those_of_the_settings():
    first, second, *_ = read_settings({}, "{").problems
    assert first.startswith("stash2plex.json is no JSON")
    assert "plex_url" in second


JELLYFIN = {"jellyfin_url": "http://jelly.lan:8096/", "jellyfin_api_key": " 0123abcd "}


@pytest.mark.parametrize(
    ("given", "on"),
    [
        (GIVEN, ("plex",)),
        (JELLYFIN, ("jellyfin",)),
        ({**GIVEN, **JELLYFIN}, ("plex", "jellyfin")),
        ({**JELLYFIN, "emby_url": "http://emby.lan:8096/emby", "emby_api_key": "k"}, ("emby", "jellyfin")),
    ],
)
def test_a_server_is_on_when_its_address_and_key_are_set_and_none_is_a_must(given, on):
    settings = resolve(given, {}, {})
    assert (settings.problems, settings.warnings) == ((), ())
    assert settings.config.targets == on


def test_what_is_set_for_a_server_is_found_under_its_name():
    config = resolve({**JELLYFIN, "jellyfin_library": "Clips", "jellyfin_path_map": "/a=>/b"}, {}, {}).config
    server = config.target("jellyfin")
    assert (server.title, server.url, server.key.get_secret_value()) == (
        "Jellyfin",
        "http://jelly.lan:8096",
        "0123abcd",
    )
    assert (server.library, server.path_map) == ("Clips", "/a=>/b")


def test_a_server_that_cannot_be_used_is_named_and_holds_up_no_other():
    settings = resolve({**GIVEN, "jellyfin_url": "jelly.lan", "jellyfin_api_key": ""}, {}, {})
    assert settings.config.targets == ("plex",)
    (told,) = settings.warnings
    assert told.startswith("Jellyfin is left out: jellyfin_url must be an address such as http://192.168.1.10:8096")
    assert told.endswith("jellyfin_api_key is not set.")


def test_without_any_usable_server_all_problems_are_told():
    settings = resolve({"jellyfin_url": "http://jelly.lan:8096"}, {}, {})
    assert (settings.config, settings.problems) == (None, ("jellyfin_api_key is not set.",))


@pytest.mark.parametrize("text", ["{performers}", "{title", "{title} {tags}", "{title.x}"])
def test_a_title_format_that_makes_no_sense_is_named(text):
    (problem,) = resolve({**GIVEN, "title_format": text}, {}, {}).problems
    assert problem.startswith("title_format ")
