"""The settings: what they are called, what they may be, where they come from, what is wrong with them."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)

ENVIRONMENT_PREFIX = "STASH2PLEX_"
WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}

Source = Literal["Stash", "file", "environment", "default"]


def _switch(value: Any) -> Any:
    return value if isinstance(value, bool) else WORDS.get(str(value).strip().lower(), value)


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


Switch = Annotated[bool, Field(strict=True), BeforeValidator(_switch)]
Text = Annotated[str, BeforeValidator(_trimmed)]


class Stash2PlexConfig(BaseModel):
    """Every setting with its default; `description` is what Stash's settings page and the README say."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    plex_url: Text = Field("", description="Address of your Plex server, for example http://192.168.1.10:32400.")
    plex_token: SecretStr = Field(SecretStr(""), description="Your Plex token; the README says how to get it.")
    plex_library: Text = Field("", description="Plex libraries, separated by commas. Empty: all with videos.")
    enabled: Switch = Field(default=True, description="Off: edits are queued, and nothing is written to Plex.")
    max_retries: int = Field(5, ge=1, le=20, description="How often a failed job is tried before it is given up.")
    poll_interval: float = Field(0.25, ge=0.1, le=60, description="Seconds between two looks for new jobs.")
    strict_matching: Switch = Field(default=True, description="Write only where the match is certain.")
    preserve_plex_edits: Switch = Field(default=True, description="Keep what somebody changed in Plex by hand.")
    connect_timeout: float = Field(5, ge=0.5, le=60, description="Seconds to wait for a connection to Plex.")
    read_timeout: float = Field(30, ge=1, le=600, description="Seconds to wait for an answer from Plex.")
    max_tags: int = Field(50, ge=1, le=500, description="At most so many tags of a scene become genres.")
    sync_master: Switch = Field(default=True, description="The main switch of all sync_ settings.")
    sync_studio: Switch = Field(default=True, description="Studio.")
    sync_summary: Switch = Field(default=True, description="Details, as summary.")
    sync_tagline: Switch = Field(default=True, description="Studio code, as tagline.")
    sync_date: Switch = Field(default=True, description="Date, as release date.")
    sync_performers: Switch = Field(default=True, description="Performers, as actors.")
    sync_tags: Switch = Field(default=True, description="Tags, as genres.")
    sync_poster: Switch = Field(default=True, description="Cover, as poster.")
    sync_background: Switch = Field(default=True, description="Cover, as background.")
    sync_collection: Switch = Field(default=True, description="A collection named after the studio.")
    sync_rating: Switch = Field(default=False, description="Rating, as your own rating.")
    sync_director: Switch = Field(default=True, description="Director.")
    sync_groups: Switch = Field(default=False, description="Groups, as collections.")
    trigger_plex_scan: Switch = Field(default=False, description="Ask Plex to scan the folder of a new scene.")
    only_organized: Switch = Field(default=False, description="Sync only scenes marked as organized.")
    path_map: Text = Field(
        "",
        description="Where Plex sees Stash's folders: /stash=>/plex; /more=>/others. Empty: found out by itself.",
    )
    reconcile_interval: float = Field(
        1, ge=0, le=168, description="Hours between two sweeps for changes that fired no hook. 0: only at start."
    )
    debug_logging: Switch = Field(default=False, description="Write more into the worker's log.")
    obfuscate_paths: Switch = Field(default=False, description="Hide folder and file names in logs.")

    @field_validator("plex_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        if not value:
            raise ValueError("is not set")
        address = value.rstrip("/")
        if not _is_server_address(address):
            raise ValueError("must be an address such as http://192.168.1.10:32400 and no more")
        return address

    @field_validator("plex_token")
    @classmethod
    def _a_token(cls, value: SecretStr) -> SecretStr:
        token = value.get_secret_value().strip()
        if not token:
            raise ValueError("is not set")
        if not token.isascii() or not token.isprintable() or " " in token:
            raise ValueError("has characters that no Plex token has; copy it again")
        return SecretStr(token)


def _is_server_address(address: str) -> bool:
    """Scheme, host and port, and no more: a pasted link would bring a token into every log of the address."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    if parts.path.startswith("/web"):  # copied from the browser
        return False
    clean = address == f"{parts.scheme}://{parts.netloc}{parts.path}" and "@" not in parts.netloc and " " not in address
    return clean and parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0


KEYS = tuple(Stash2PlexConfig.model_fields)
SECRETS = frozenset({"plex_token"})


@dataclass(frozen=True)
class Settings:
    """The settings as they were found: usable, or with all that is wrong with them in words."""

    config: Stash2PlexConfig | None
    problems: tuple[str, ...]
    sources: Mapping[str, Source]


def resolve(
    in_stash: Mapping[str, Any], in_file: Mapping[str, Any], environment: Mapping[str, str] = os.environ
) -> Settings:
    """Take each setting from Stash, else from the file, else from the environment, else its default."""
    values: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    for key in KEYS:
        offers = (
            ("Stash", in_stash.get(key)),
            ("file", in_file.get(key)),
            ("environment", environment.get(_variable(key))),
        )
        source, value = next(((source, value) for source, value in offers if not _is_unset(value)), ("default", None))
        sources[key] = cast("Source", source)
        if source != "default":
            values[key] = value
    try:
        return Settings(Stash2PlexConfig(**values), (), sources)
    except ValidationError as errors:
        return Settings(None, tuple(_problems(errors, sources)), sources)


def read_settings(in_stash: Mapping[str, Any], file_text: str) -> Settings:
    """Read the settings from all three places; what is wrong with the file as a whole is among the problems."""
    in_file, problems = read_settings_file(file_text)
    settings = resolve(in_stash, in_file, os.environ)
    return replace(settings, problems=(*problems, *settings.problems))


def read_settings_file(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read `stash2plex.json`; return what it sets and what is wrong with it as a whole."""
    try:
        values: object = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return {}, ("stash2plex.json is no JSON; correct it or delete it.",)
    if not isinstance(values, dict):
        return {}, ("stash2plex.json must hold an object with settings; correct it or delete it.",)
    known = cast("dict[str, Any]", values)
    strangers = sorted(set(known) - set(KEYS))
    return known, tuple(f"stash2plex.json has {name!r:.60}, which is no setting." for name in strangers)


def unset_in_stash(in_stash: Mapping[str, Any], sources: Mapping[str, Source]) -> dict[str, Any]:
    """Return the defaults that Stash's page does not show yet.

    Only what no other source gives: written to Stash, a value from the file would win over the file for ever.
    """
    defaults = {key: field.default for key, field in Stash2PlexConfig.model_fields.items() if field.default != ""}
    return {
        key: value
        for key, value in defaults.items()
        if key not in SECRETS and in_stash.get(key) is None and sources[key] == "default"
    }


def allowed(key: str) -> str:
    """Say what a setting may be."""
    field = Stash2PlexConfig.model_fields[key]
    if isinstance(field.default, bool):
        return "on or off"
    if isinstance(field.default, int | float):
        low, high = (next(getattr(one, name) for one in field.metadata if hasattr(one, name)) for name in ("ge", "le"))
        return f"a {'whole ' if field.annotation is int else ''}number from {low:g} to {high:g}"
    return "text"


def describe(key: str) -> str:
    """Return what the settings page says of a setting: what it does, its default, what is allowed."""
    field = Stash2PlexConfig.model_fields[key]
    return f"{field.description} Default: {_shown_default(field.default)}. Allowed: {allowed(key)}."


def _shown_default(default: Any) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return f"{default:g}" if isinstance(default, int | float) else "none"


def _variable(key: str) -> str:
    return ENVIRONMENT_PREFIX + key.upper()


def _is_unset(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _problems(errors: ValidationError, sources: Mapping[str, Source]) -> Iterator[str]:
    for error in errors.errors(include_url=False, include_context=False):
        key = str(error["loc"][0])
        if error["type"] == "value_error":  # one of our own sentences
            yield f"{key} {error['msg'].removeprefix('Value error, ')}."
        else:
            shown = "is not usable" if key in SECRETS else f"is {error['input']!r}"[:80]
            yield f"{key} {shown}, set in {_place(key, sources[key])}; allowed is {allowed(key)}."


def _place(key: str, source: Source) -> str:
    return {"file": "stash2plex.json", "environment": _variable(key)}.get(source, source)
