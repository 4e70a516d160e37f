"""The settings of intake: names old and new, precedence, all problems at once."""

import re
from dataclasses import MISSING
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.intake.parser import VERBS, build_intake_parser
from intake.patience import RULES
from tests.support.damage import JSON
from validation.config import read_settings_file
from validation.intake_config import KEYS, SETTINGS, IntakeConfig, kind_of, resolve_intake, shown_name, variables

OLD_NAMES = [
    "WATCH_DIR",
    "DESTINATION_DIR",
    "DATABASE_URL",
    "DB_HOST",
    "DB_PORT",
    "DB_NAME",
    "DB_USER",
    "DB_PASSWORD",
    "API_BASE_URL",
    "API_TOKEN",
    "EMBY_BASE_URL",
    "EMBY_API_KEY",
    "EMBY_PARENT_FOLDER_ID",
    "EMBY_SCAN_RETRY_DELAYS",
]


def of(environment=None, **in_file):
    return resolve_intake(in_file, environment or {})


def test_the_names_that_people_know_are_read():
    known = {name for key in KEYS for name in variables(key)}
    assert set(OLD_NAMES) <= known
    settings = of(
        {
            "WATCH_DIR": "/watch/",
            "DESTINATION_DIR": "/library",
            "DB_HOST": "nas",
            "DB_PORT": "5433",
            "EMBY_BASE_URL": "http://emby:8096/",
            "EMBY_SCAN_RETRY_DELAYS": "1, 2.5,4",
        }
    )
    config = settings.config
    assert settings.problems == ()
    assert (config.watch_dir, config.db_port, config.emby_url) == ("/watch", 5433, "http://emby:8096")
    assert config.emby_scan_retry_delays == (1, 2.5, 4)
    assert config.uses_postgres


def test_the_file_wins_then_the_longer_name():
    environment = {"WATCH_DIR": "/a", "STASH2PLEX_WATCH_DIR": "/b", "STASH2PLEX_MIN_SIZE": "50 MB"}
    assert of(environment).config.watch_dir == "/b"
    assert of(environment, watch_dir="/c").config.watch_dir == "/c"
    assert of(environment).config.min_size == 50_000_000


def test_an_empty_variable_is_not_set():
    assert of({"WATCH_DIR": "  ", "DB_PORT": ""}).config == IntakeConfig()


def test_all_problems_are_named_at_once_and_no_secret():
    settings = of(
        {
            "WATCH_DIR": "downloads",
            "DB_PORT": "70000",
            "API_BASE_URL": "http://user:pass@host/x",
            "DATABASE_URL": "mysql://emby:secret-word@host/db",
            "EMBY_SCAN_RETRY_DELAYS": "2;4",
            "STASH2PLEX_MOVE_MODE": "teleport",
            "STASH2PLEX_MIN_SIZE": "big",
        },
        search_order=["sidecar", "google"],
        wide_characters="perhaps",
        max_retries=True,
    )
    assert len(settings.problems) == 10
    text = "\n".join(settings.problems)
    assert "WATCH_DIR is 'downloads'; allowed is the full path of a folder." in text
    assert "DB_PORT is '70000'; allowed is a whole number from 1 to 65535." in text
    assert "API_BASE_URL has more in it than an address" in text
    assert "search_order in stash2plex.json is ['sidecar', 'google']; allowed is any of sidecar" in text
    assert "secret-word" not in text
    assert "user:pass@" not in text


@pytest.mark.parametrize("password", ["p@ss", "p/ss", "p#ss", "p?s@s"])
def test_a_password_that_must_be_escaped_is_not_shown(password):
    (problem,) = of({"DATABASE_URL": f"postgresql://emby:{password}@host:5432/db"}).problems
    assert "%40" in problem or "allowed is" in problem
    assert password not in problem


def test_secrets_are_known_to_whoever_hides_them():
    config = of({"DATABASE_URL": "postgresql://emby:se%40cret@host/db", "API_TOKEN": "token"}).config
    assert {"token", "se%40cret"} <= set(config.secrets)


def test_lists_and_objects_of_the_file_are_read():
    config = of(
        search_fields={"title": "name"}, folder_aliases="Saijo Ruri = Ruri Saijo", ignored_folders=["a", "b"]
    ).config
    assert config.search_fields == {"title": "name"}
    assert config.folder_aliases == {"Saijo Ruri": "Ruri Saijo"}
    assert config.ignored_folders == ("a", "b")


def test_what_intake_reads_is_no_stranger_in_the_products_file():
    assert read_settings_file('{"watch_dir": "/watch", "plex_url": "http://x"}')[1] == ()


def test_every_setting_says_what_is_allowed_and_its_default_is():
    for key in KEYS:
        assert kind_of(key).allowed
        assert shown_name(key).isupper()


@given(st.dictionaries(st.sampled_from(KEYS), JSON), st.dictionaries(st.sampled_from(OLD_NAMES), st.text(max_size=20)))
def test_any_file_and_any_environment_give_settings_or_sentences(in_file, environment):
    settings = resolve_intake(in_file, environment)
    assert isinstance(settings.config, IntakeConfig)
    assert all(problem.endswith(".") for problem in settings.problems)


# --- what the documents say -----------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "intake.md").read_text(encoding="utf-8")


def shown_default(key):
    default = SETTINGS[key].default
    if default is MISSING or default in ("", ()):
        return "none"
    if default is True:
        return "on"
    if isinstance(default, tuple):
        return "`" + ",".join(f"{one:g}" if isinstance(one, float) else one for one in default) + "`"
    return f"`{default:g}`" if isinstance(default, int | float) else f"`{default}`"


def test_the_settings_table_is_the_code():
    table = PAGE.partition("<!-- settings: held equal to the code by a test -->\n")[2].partition("<!-- end")[0]
    names = {key: ", ".join(f"`{name}`" for name in SETTINGS[key].metadata["names"]) or "none" for key in KEYS}
    assert table.splitlines()[2:] == [
        f"| `{key}` | {names[key]} | {shown_default(key)} | {kind_of(key).allowed}"
        f" | {SETTINGS[key].metadata['description']} |"
        for key in KEYS
    ]


def test_every_verb_and_every_kind_of_error_is_documented_and_the_reverse():
    verbs = PAGE.partition("| verb |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", verbs, re.MULTILINE)) == sorted(VERBS)
    for typed in re.findall(r"`([^`]+)`", verbs):
        if typed.split()[0] in VERBS and len(typed.split()) > 1:
            build_intake_parser().parse_args(typed.split())
    kinds = PAGE.partition("| kind |")[2].partition("\n\n")[0]
    named = {kind for row in re.findall(r"^\| (`.*?`) \|", kinds, re.MULTILINE) for kind in re.findall(r"\w+", row)}
    assert named == {rule.kind for rule in RULES.values()}


@pytest.mark.parametrize(
    "wrong",
    [
        {"EMBY_BASE_URL": "http://user:hunter2@host:abc"},
        {"API_BASE_URL": "http://user:hunter2@[::1"},
        {"EMBY_BASE_URL": "http://host:abc/?api_key=hunter2"},
        {"DB_PORT": "hunter2", "DB_PASSWORD": "hunter2"},
        {"DATABASE_URL": "mysql://user:hunter2@host/db"},
    ],
)
def test_no_sentence_about_a_wrong_value_shows_a_password(wrong):
    settings = resolve_intake({}, wrong)
    assert settings.problems
    assert "hunter2" not in " ".join(settings.problems)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u:p%40ss@h1:5432,h2:5432/db",
        "postgresql://u:p@[::1]:5432,h2/db?target_session_attrs=read-write",
        "host=localhost dbname=x user=y password=p%40ss",
        "host=h1,h2 port = 5432 password='it''s' dbname=x".replace("''", "\\'"),
        "postgresql:///db?host=/run/postgresql",
    ],
)
def test_every_form_of_a_database_address_is_taken_and_its_password_known(address):
    settings = resolve_intake({}, {"DATABASE_URL": address})
    assert not settings.problems
    assert settings.config.uses_postgres
    assert "p%40ss" in settings.config.secrets or "p%40ss" not in address


@pytest.mark.parametrize(
    "address", ["postgresql://u:p@host:abc/db", "host localhost", "=x", "postgresql://u:p@[::1/db"]
)
def test_a_database_address_that_nobody_understands_is_refused(address):
    assert resolve_intake({}, {"DATABASE_URL": address}).problems


def test_a_folder_whose_name_is_not_utf8_is_refused_with_a_sentence():
    problems = resolve_intake({}, {"WATCH_DIR": "/srv/w\udcff"}).problems
    assert problems == ("WATCH_DIR is not UTF-8; rename the folder; allowed is the full path of a folder.",)
