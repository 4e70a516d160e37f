"""The settings: what they are called, what they may be, where they come from, what is wrong with them."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, cast, get_args
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

from model.targets import EMBY, JELLYFIN, PLEX, TARGETS, TITLES
from validation.intake_config import KEYS as INTAKE_KEYS
from validation.settings_file import parse_settings_file

ENVIRONMENT_PREFIX = "STASH2PLEX_"
WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}

HOURS = {"never": 0, "hourly": 1, "daily": 24, "weekly": 168}  # as another plugin of this id has them

Source = Literal["Stash", "file", "environment", "default"]
Offers = Mapping[str, Sequence[Any]]
"""What the worker has written to Stash's page by itself, by setting."""


def _switch(value: Any) -> Any:
    return value if isinstance(value, bool) else WORDS.get(str(value).strip().lower(), value)


def _hours(value: Any) -> Any:
    return HOURS.get(value.strip().lower(), value) if isinstance(value, str) else value


def _word(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _address(value: Any) -> Any:
    return value.strip().rstrip("/") if isinstance(value, str) else value


Switch = Annotated[bool, Field(strict=True), BeforeValidator(_switch)]
Text = Annotated[str, BeforeValidator(_trimmed)]
Address = Annotated[str, BeforeValidator(_address)]


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """What the settings say of one server. `key` is the token of Plex, the API key of the others."""

    name: str
    url: str
    key: SecretStr
    library: str
    path_map: str

    @property
    def title(self) -> str:
        return TITLES[self.name]


class Stash2PlexConfig(BaseModel):
    """Every setting with its default; `description` is what Stash's settings page and the README say."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    plex_url: Address = Field(
        "", description="Start here: where your Plex server is, for example http://192.168.1.10:32400."
    )
    plex_token: SecretStr = Field(
        SecretStr(""), description="Start here: your Plex token. The link beside the plugin's name says how to find it."
    )
    plex_library: Text = Field("", description="Plex libraries, separated by commas. Empty: all with videos.")
    emby_url: Address = Field("", description="Where your Emby server is, for example http://192.168.1.10:8096.")
    emby_api_key: SecretStr = Field(
        SecretStr(""), description="An API key of Emby (its dashboard: Advanced, API keys)."
    )
    emby_library: Text = Field("", description="Emby libraries, separated by commas. Empty: all with videos.")
    emby_path_map: Text = Field("", description="Like path_map, for Emby.")
    jellyfin_url: Address = Field(
        "", description="Where your Jellyfin server is, for example http://192.168.1.10:8096."
    )
    jellyfin_api_key: SecretStr = Field(SecretStr(""), description="An API key of Jellyfin (its dashboard: API keys).")
    jellyfin_library: Text = Field("", description="Jellyfin libraries, separated by commas. Empty: all with videos.")
    jellyfin_path_map: Text = Field("", description="Like path_map, for Jellyfin.")
    enabled: Switch = Field(default=True, description="Off: edits are queued, and nothing is written to a server.")
    max_retries: int = Field(5, ge=1, le=20, description="How often a failed job is tried before it is given up.")
    poll_interval: float = Field(0.25, ge=0.1, le=60, description="Seconds between two looks for new jobs.")
    strict_matching: Switch = Field(default=True, description="Write only where the match is certain.")
    preserve_plex_edits: Switch = Field(default=True, description="Keep what somebody changed on a server by hand.")
    connect_timeout: float = Field(5, ge=0.5, le=60, description="Seconds to wait for a connection to a server.")
    read_timeout: float = Field(30, ge=1, le=600, description="Seconds to wait for an answer from a server.")
    max_tags: int = Field(100, ge=1, le=500, description="At most so many tags of a scene become genres.")
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
    sync_parent_studio: Switch = Field(default=False, description="The studio's parent studio, as a collection.")
    sync_performer_collections: Switch = Field(default=False, description="Performers, as collections.")
    sync_banner: Switch = Field(default=False, description="Cover, as banner on Emby and Jellyfin.")
    tags_as: Annotated[Literal["genres", "tags", "both"], BeforeValidator(_word)] = Field(
        "genres", description="What tags become."
    )
    content_rating: Text = Field("", max_length=50, description="The content rating of all scenes, such as XXX.")
    title_format: Text = Field(
        "",
        max_length=200,
        description="What becomes the title: {performers} - {title}; also {studio}, {date}, {code}. Empty: the title.",
    )
    collection_prefix: Text = Field("", max_length=50, description="What stands before the names of our collections.")
    trigger_plex_scan: Switch = Field(default=False, description="Ask the servers to scan the folder of a new scene.")
    only_organized: Switch = Field(default=False, description="Sync only scenes marked as organized.")
    path_map: Text = Field(
        "",
        description="Where Plex sees Stash's folders: /stash=>/plex; /more=>/others. Empty: found out by itself.",
    )
    reconcile_interval: Annotated[float, BeforeValidator(_hours)] = Field(
        1,
        ge=0,
        le=168,
        description="Hours between two checks of all scenes. 0: only at start.",
    )
    debug_logging: Switch = Field(default=False, description="Write more into the worker's log.")
    obfuscate_paths: Switch = Field(default=False, description="Hide folder and file names in logs.")

    @field_validator("plex_token", "emby_api_key", "jellyfin_api_key")
    @classmethod
    def _without_spaces(cls, value: SecretStr) -> SecretStr:
        return SecretStr(value.get_secret_value().strip())

    @field_validator("title_format")
    @classmethod
    def _a_format(cls, value: str) -> str:
        names = re.findall(r"{([^{}]*)}", value)
        strangers = [name for name in names if name not in TITLE_PARTS]
        if strangers or ("{" in re.sub(r"{[^{}]*}", "", value)):
            raise ValueError(f"knows {', '.join(f'{{{name}}}' for name in TITLE_PARTS)}, and no other braces")
        if value and "title" not in names:
            raise ValueError("must have {title} in it, or all scenes of a day would be called alike")
        return value

    def target(self, name: str) -> TargetSettings:
        """Give what is set for one server, usable or not."""
        known: Mapping[str, TargetSettings] = {
            PLEX: TargetSettings(PLEX, self.plex_url, self.plex_token, self.plex_library, self.path_map),
            EMBY: TargetSettings(EMBY, self.emby_url, self.emby_api_key, self.emby_library, self.emby_path_map),
            JELLYFIN: TargetSettings(
                JELLYFIN, self.jellyfin_url, self.jellyfin_api_key, self.jellyfin_library, self.jellyfin_path_map
            ),
        }
        return known[name]

    @property
    def targets(self) -> tuple[str, ...]:
        """Name the servers that are switched on: an address and a key are set, and both make sense."""
        return tuple(name for name in TARGETS if self.target(name).url and not _target_problems(self.target(name)))


TITLE_PARTS = ("title", "performers", "studio", "date", "code")
KEY_OF = {PLEX: "plex_token", EMBY: "emby_api_key", JELLYFIN: "jellyfin_api_key"}
_PORTS = {PLEX: 32400, EMBY: 8096, JELLYFIN: 8096}


def _target_problems(target: TargetSettings) -> list[str]:
    """Say what keeps a server from being used, of which something is set."""
    url, key, problems = target.url, target.key.get_secret_value(), list[str]()
    if not url:
        problems.append(f"{target.name}_url is not set.")
    elif not _is_server_address(url):
        example = f"http://192.168.1.10:{_PORTS[target.name]}"
        problems.append(f"{target.name}_url must be an address such as {example} and no more.")
    if not key:
        problems.append(f"{KEY_OF[target.name]} is not set.")
    elif not key.isascii() or not key.isprintable() or " " in key:
        what = "token" if target.name == PLEX else "key"
        problems.append(f"{KEY_OF[target.name]} cannot be a {what} of {target.title}; copy it again.")
    return problems


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
SECRETS = frozenset(KEY_OF.values())
DEFAULTS: Mapping[str, Any] = {key: field.default for key, field in Stash2PlexConfig.model_fields.items()}
FRACTIONS = frozenset(key for key, field in Stash2PlexConfig.model_fields.items() if field.annotation is float)
ON_WHEN_IN_DOUBT = frozenset({"strict_matching", "preserve_plex_edits", "only_organized", "obfuscate_paths"})


@dataclass(frozen=True)
class Settings:
    """The settings as they were found: usable, or with all that is wrong with them in words.

    `warnings` are what a person should know and what stops no work.
    """

    config: Stash2PlexConfig | None
    problems: tuple[str, ...]
    sources: Mapping[str, Source]
    warnings: tuple[str, ...] = ()


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
    overruled = tuple(
        f"stash2plex.json sets {key}, but Stash's settings page does so too, and wins."
        for key in KEYS
        if sources[key] == "Stash" and not _is_unset(in_file.get(key)) and in_file[key] != in_stash[key]
    )
    try:
        settings = Settings(Stash2PlexConfig(**values), (), sources, overruled)
    except ValidationError as errors:
        settings = _after(errors, values, sources, overruled)
    return _with_targets(settings, values)


def _with_targets(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Say what is wrong with the servers: a problem if none can be used, else a warning about those that cannot."""
    texts = {key: str(value) for key, value in values.items() if isinstance(value, str | int)}
    servers = Stash2PlexConfig.model_validate({key: texts[key] for key in _SERVER_KEYS if key in texts})
    found = {name: _target_problems(servers.target(name)) for name in TARGETS if _is_begun(servers.target(name))}
    if servers.targets:
        if settings.config is not None:  # what is wrong has been mended, and stops nothing
            settings = replace(settings, problems=(), warnings=(*settings.warnings, *settings.problems))
        left_out = (f"{TITLES[name]} is left out: {' '.join(problems)}" for name, problems in found.items() if problems)
        return replace(settings, warnings=(*settings.warnings, *left_out))
    problems = [text for texts in (found or {PLEX: _target_problems(servers.target(PLEX))}).values() for text in texts]
    return replace(settings, config=None, problems=(*problems, *settings.problems))


def _is_begun(target: TargetSettings) -> bool:
    return bool(target.url or target.key.get_secret_value())


_SERVER_KEYS = tuple(f"{name}_url" for name in TARGETS) + tuple(KEY_OF.values())


def _after(
    errors: ValidationError, values: Mapping[str, Any], sources: Mapping[str, Source], warnings: tuple[str, ...]
) -> Settings:
    """Do without numbers and switches that make no sense, and name them; what is wrong with a text needs a person.

    A text says where to and what is written: by another one all items of a library would be written anew.
    """
    problems, found = tuple(_problems(errors, sources)), errors.errors(include_url=False, include_context=False)
    keys = [str(error["loc"][0]) for error in found]
    if any(_cautious(key) is None for key in keys):
        return Settings(None, problems, sources, warnings)
    mended: dict[str, Any] = {**values, **{key: _cautious(key) for key in keys}}
    config = Stash2PlexConfig(**mended)
    taken = tuple(f"{text} Until then it is {shown(_cautious(key))}." for key, text in zip(keys, problems, strict=True))
    return Settings(config, taken, sources, warnings)


def _cautious(key: str) -> bool | float | None:
    """Say what a setting that makes no sense is taken for; a text is not guessed at."""
    default = DEFAULTS[key]
    if isinstance(default, bool):
        return key in ON_WHEN_IN_DOUBT
    return default if isinstance(default, int | float) else None


def read_settings(in_stash: Mapping[str, Any], file_text: str, offers: Offers | None = None) -> Settings:
    """Read the settings from all three places; what is wrong with the file as a whole is among the problems.

    What the worker itself has offered to Stash's page is nobody's choice: there the file and the environment count.
    """
    in_file, problems = read_settings_file(file_text)
    chosen = {key: value for key, value in in_stash.items() if not is_offer(offers or {}, key, value)}
    settings = resolve(chosen, in_file, os.environ)
    return replace(settings, problems=(*problems, *settings.problems))


def read_settings_file(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read `stash2plex.json`; return what it sets and what is wrong with it as a whole."""
    known, problems = parse_settings_file(text)
    strangers = sorted(set(known) - set(KEYS) - set(INTAKE_KEYS))
    return known, problems or tuple(f"stash2plex.json has {name!r:.60}, which is no setting." for name in strangers)


def default_offers() -> Offers:
    """Return what a worker offered that kept no book of it."""
    return {key: (on_page(key, default),) for key, default in DEFAULTS.items() if key not in SECRETS}


def is_offer(offers: Offers, key: str, value: Any) -> bool:
    """Tell whether a value on Stash's page was put there by the worker; a person may have chosen the same."""
    return any(is_same_value(value, one) for one in offers.get(key, ()))


def is_same_value(one: Any, other: Any) -> bool:
    """Compare as JSON does, to which true is not 1."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def page_values(settings: Settings) -> dict[str, Any]:
    """Return what Stash's page should show of the settings that nobody has chosen there: what is in force."""
    known = {key: on_page(key, getattr(settings.config, key, DEFAULTS[key])) for key in KEYS if key not in SECRETS}
    is_sure = {key: settings.config is not None or settings.sources[key] == "default" for key in KEYS}
    return {key: value for key, value in known.items() if settings.sources[key] != "Stash" and is_sure[key]}


def on_page(key: str, value: Any) -> Any:
    """Return a value as Stash's page stores it. It reads numbers without their fraction, so such are texts there."""
    return f"{value:g}" if key in FRACTIONS else value


def allowed(key: str) -> str:
    """Say what a setting may be."""
    field = Stash2PlexConfig.model_fields[key]
    if isinstance(field.default, bool):
        return "on or off"
    if isinstance(field.default, int | float):
        low, high = (next(getattr(one, name) for one in field.metadata if hasattr(one, name)) for name in ("ge", "le"))
        return f"a {'whole ' if field.annotation is int else ''}number from {low:g} to {high:g}"
    if choices := choices_of(key):
        return f"{', '.join(choices[:-1])} or {choices[-1]}"
    return "text"


def choices_of(key: str) -> tuple[str, ...]:
    """List what a setting with a few allowed words may be; empty for all others."""
    return get_args(Stash2PlexConfig.model_fields[key].annotation)


def describe(key: str) -> str:
    """Return what the settings page says of a setting, in short: what it does, and what it is if nobody sets it."""
    field = Stash2PlexConfig.model_fields[key]
    if isinstance(field.default, bool):
        return f"{field.description} Default: {shown(field.default)}."
    if isinstance(field.default, int | float):
        return f"{field.description} {allowed(key).capitalize()}. Default: {shown(field.default)}."
    if choices_of(key):
        return f"{field.description} {allowed(key).capitalize()}. Default: {field.default}."
    return str(field.description)


def shown(value: Any) -> str:
    """Return a value in the words of the settings page."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return f"{value:g}"
    return value if isinstance(value, str) and value else "none"


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
