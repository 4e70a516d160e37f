"""Whatever stands in the settings gives a configuration or a list of problems, and no secret in them."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.support.damage import JSON, TEXTS, damaged
from validation.config import KEYS, SECRETS, Stash2PlexConfig, page_values, read_settings, read_settings_file, resolve

COMPLETE = {
    **{key: "" if key in SECRETS else field.default for key, field in Stash2PlexConfig.model_fields.items()},
    "plex_url": "http://plex:32400",
    "plex_token": "token-1234567",
}
SECRET = "Zq9Zq9-secret"


@given(
    damaged(COMPLETE).filter(lambda one: isinstance(one, dict)),
    damaged(COMPLETE) | JSON,
    st.dictionaries(st.sampled_from(KEYS), TEXTS),
)
def test_settings_are_usable_or_say_what_is_wrong(in_stash, in_file, environment):
    from_file, _ = read_settings_file(json.dumps(in_file))
    settings = resolve(in_stash, from_file, {f"STASH2PLEX_{key.upper()}": value for key, value in environment.items()})
    assert (settings.config is None) == bool(settings.problems)
    assert all(problem.endswith(".") for problem in settings.problems)
    assert all(warning.endswith(".") for warning in settings.warnings)
    assert not SECRETS & set(page_values(settings))
    if settings.config is not None:
        assert settings.config.targets
        for server in map(settings.config.target, settings.config.targets):
            assert server.key.get_secret_value().isascii()
            assert "\n" not in server.url


@given(TEXTS | st.binary(max_size=50).map(lambda raw: raw.decode("utf-8", "replace")))
def test_a_file_is_read_or_complained_about(text):
    read_settings({}, text)


@given(st.sampled_from([[SECRET], {SECRET: SECRET}, SECRET + "\n", " " + SECRET + " x", SECRET + "é", SECRET + "\x00"]))
def test_a_token_that_is_refused_is_not_shown(token):
    settings = resolve({**COMPLETE, "plex_token": token}, {}, {})
    assert not [problem for problem in settings.problems if SECRET in problem]
    assert SECRET not in repr(settings)
