"""The settings of intake: what they are called, what they may be, where they come from, what is wrong with them.

Each can stand in `stash2plex.json`, in the environment as `STASH2PLEX_…`, and some under the names that the service's
first users know (`WATCH_DIR`, `DATABASE_URL` …). The file wins, then the longer name.
"""

import math
import os
import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast
from urllib.parse import SplitResult, unquote, urlsplit

ENVIRONMENT_PREFIX = "STASH2PLEX_"
FILE = "stash2plex.json"
MOST_SHOWN = 80
SHORTEST_SECRET = 4  # a shorter one is in every other word

_SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SWITCHES = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class WrongValue(ValueError):
    """A value that cannot be used; the text says what is wrong with it if `allowed` does not say it all."""


Parse = Callable[[object], Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """How a value is read, and what is allowed."""

    parse: Parse
    allowed: str
    is_secret: bool = False


# --- how values are read ------------------------------------------------------------------------------------------


def _text(raw: object) -> str:
    if isinstance(raw, str):
        return raw.strip()
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise WrongValue
    return str(raw)


def _words(raw: object) -> tuple[str, ...]:
    """Read a list, or a text with commas."""
    members = cast("list[object]", raw) if isinstance(raw, list) else _text(raw).split(",")
    return tuple(filter(None, map(_text, members)))


def _pairs(raw: object) -> Mapping[str, str]:
    """Read an object, or a text such as `title=name; performers=cast`."""
    if isinstance(raw, dict):
        return {_text(key): _text(value) for key, value in cast("dict[object, object]", raw).items()}
    pieces = [piece.partition("=") for piece in _text(raw).split(";") if piece.strip()]
    if not all(sign and key.strip() and value.strip() for key, sign, value in pieces):
        raise WrongValue
    return {key.strip(): value.strip() for key, _, value in pieces}


def _paths(raw: object) -> Mapping[str, str]:
    """Read an object, or a text such as `/here=>/there; /mnt/b=>/media/b`."""
    if isinstance(raw, dict):
        return {_text(key): _text(value) for key, value in cast("dict[object, object]", raw).items()}
    pieces = [piece.partition("=>") for piece in _text(raw).split(";") if piece.strip()]
    if not all(sign and key.strip() and value.strip() for key, sign, value in pieces):
        raise WrongValue
    return {key.strip(): value.strip() for key, _, value in pieces}


def _folder(raw: object) -> str:
    path = _text(raw)
    if not path.isprintable() and any("\udc80" <= letter <= "\udcff" for letter in path):
        raise WrongValue("is not UTF-8; rename the folder")
    if not os.path.isabs(path):
        raise WrongValue
    return os.path.normpath(path)


def _name(raw: object) -> str:
    name = _text(raw)
    if "/" in name or name in {".", ".."}:
        raise WrongValue
    return name


def _switch(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    if (word := _text(raw).lower()) not in _SWITCHES:
        raise WrongValue
    return _SWITCHES[word]


def _size(raw: object) -> int:
    match = re.fullmatch(r"(\d{1,15}(?:\.\d+)?) ?([kmgt]?)i?b?", _text(raw).lower())
    if match is None:
        raise WrongValue
    return int(float(match[1]) * _SIZES[match[2]])


def _address(raw: object) -> str:
    address = _text(raw).rstrip("/")
    parts = _split(address)
    if "@" in parts.netloc or parts.query or parts.fragment or " " in address:
        raise WrongValue("has more in it than an address")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise WrongValue
    return address


def _database(raw: object) -> str:
    """Check an address whose password may hold anything: unescaped, a part of it would pass for a host and be shown."""
    address = _text(raw)
    if _PAIRS_OF_LIBPQ.fullmatch(address):
        return address
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise WrongValue from error
    hosts = parts.netloc.rpartition("@")[2].split(",")  # several, of which the first that answers is taken
    if parts.scheme not in ("postgresql", "postgres") or not all(map(_HOST_AND_PORT.fullmatch, hosts)):
        raise WrongValue
    rest = parts.path + parts.query + parts.fragment
    if parts.netloc.count("@") > 1 or "@" in rest or parts.fragment:
        raise WrongValue("has a password with @, /, ? or # in it; write them as %40, %2F, %3F and %23")
    return address


_PAIRS_OF_LIBPQ = re.compile(r"\s*(?:[a-z_]+\s*=\s*(?:'(?:[^'\\]|\\.)*'|[^\s'\\]*)\s*)+")
_PASSWORD_OF_LIBPQ = re.compile(r"(?:^|\s)password\s*=\s*(?:'((?:[^'\\]|\\.)*)'|([^\s'\\]*))")
_HOST_AND_PORT = re.compile(r"(?:\[[^\[\]]*\]|[^:\[\]]*)(?::\d{0,5})?")


def _password_of(address: str) -> tuple[str, ...]:
    """Return the password of a database's address, as it is written there and as it is meant."""
    if pair := _PASSWORD_OF_LIBPQ.search(address):
        return (pair[1] or pair[2] or "",)
    password = urlsplit(address).password or ""
    return (password, unquote(password))


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        raise WrongValue from error
    return parts


def _number(low: float, high: float, *, whole: bool = False) -> Kind:
    def parse(raw: object) -> float:
        try:
            number = float(_text(raw))
        except ValueError as error:
            raise WrongValue from error
        if not math.isfinite(number) or not low <= number <= high or (whole and number % 1):
            raise WrongValue
        return int(number) if whole else number

    return Kind(parse, f"a {'whole ' if whole else ''}number from {low:g} to {high:g}")


def _numbers(low: float, high: float) -> Kind:
    one = _number(low, high)
    return Kind(
        lambda raw: tuple(one.parse(word) for word in _words(raw)),
        f"numbers from {low:g} to {high:g} with commas between them",
    )


def _one_of(*names: str) -> Kind:
    def parse(raw: object) -> str:
        if (name := _text(raw).lower()) not in names:
            raise WrongValue
        return name

    return Kind(parse, " or ".join(names))


def _some_of(*names: str) -> Kind:
    def parse(raw: object) -> tuple[str, ...]:
        words = tuple(word.lower() for word in _words(raw))
        if not set(words) <= set(names):
            raise WrongValue
        return words

    return Kind(parse, f"any of {', '.join(names)}, with commas between them")


TEXT = Kind(_text, "text")
SECRET = Kind(_text, "text", is_secret=True)
WORDS = Kind(_words, "words with commas between them")
FOLDER = Kind(_folder, "the full path of a folder")
NAME = Kind(_name, "a name without a slash")
PAIRS = Kind(_pairs, "pairs such as title=name; performers=cast")
SWITCH = Kind(_switch, "on or off")
SIZE = Kind(_size, "bytes, or a size such as 50 MB")
PATHS = Kind(_paths, "pairs such as /here=>/there; /mnt/b=>/media/b")
ADDRESS = Kind(_address, "an address such as http://192.168.1.10:8096")
DATABASE = Kind(_database, "an address such as postgresql://user:password@host:5432/database", is_secret=True)


def _setting(kind: Kind, description: str, default: Any = "", *names: str) -> Any:
    metadata = {"kind": kind, "description": description, "names": names}
    if kind in (PAIRS, PATHS):
        return field(default_factory=dict[str, str], metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class IntakeConfig:
    """Every setting with its default; `description` is what the README says."""

    watch_dir: str = _setting(FOLDER, "Where finished downloads arrive.", "", "WATCH_DIR")
    watch_anchor: str = _setting(NAME, "A file in watch_dir that is missing when its drive is not mounted.")
    destination_dir: str = _setting(FOLDER, "Where files are brought.", "", "DESTINATION_DIR")
    destination_anchor: str = _setting(NAME, "The same for destination_dir.")
    database_url: str = _setting(DATABASE, "PostgreSQL, for several machines. Empty: SQLite.", "", "DATABASE_URL")
    db_host: str = _setting(TEXT, "The same in parts: the server.", "", "DB_HOST")
    db_port: int = _setting(_number(1, 65535, whole=True), "Its port.", 5432, "DB_PORT")
    db_name: str = _setting(TEXT, "The database.", "emby_processor", "DB_NAME")
    db_user: str = _setting(TEXT, "Its user.", "emby", "DB_USER")
    db_password: str = _setting(SECRET, "Its password.", "", "DB_PASSWORD")
    api_base_url: str = _setting(
        ADDRESS, "The WordPress search, for example http://host/wp-json/emby/v1.", "", "API_BASE_URL"
    )
    api_token: str = _setting(SECRET, "Its bearer token.", "", "API_TOKEN")
    api_refresh_token: str = _setting(SECRET, "What a new token is got with when it runs out.", "", "API_REFRESH_TOKEN")
    api_refresh_path: str = _setting(TEXT, "Where it is got. Empty: below /wp-json, as usual.")
    search_paths: tuple[str, ...] = _setting(WORDS, "The searches there.", ("/missav/search", "/javguru/search"))
    search_code_name: str = _setting(TEXT, "What the code is called in the question.", "moviecode")
    search_fields: Mapping[str, str] = _setting(PAIRS, "What fields are called in the answer, where they differ.")
    search_order: tuple[str, ...] = _setting(
        _some_of("sidecar", "stash", "wordpress"),
        "Who is asked, and in which order.",
        ("sidecar", "stash", "wordpress"),
    )
    stash_url: str = _setting(ADDRESS, "Your Stash. Empty: the one that this plugin lives in, if any.")
    stash_api_key: str = _setting(SECRET, "Its API key.")
    stash_path_map: Mapping[str, str] = _setting(PATHS, "Where it sees folders that have another name here.")
    stash_hub: bool = _setting(
        SWITCH,
        "Describe files in Stash, whose plugin then tells the servers, instead of telling them from here.",
        False,  # noqa: FBT003 - a default like any other
    )
    emby_url: str = _setting(ADDRESS, "Your Emby server.", "", "EMBY_BASE_URL")
    emby_api_key: str = _setting(SECRET, "Its API key.", "", "EMBY_API_KEY")
    emby_parent_folder_id: str = _setting(
        TEXT, "The folder to scan where one alone cannot be.", "", "EMBY_PARENT_FOLDER_ID"
    )
    emby_path_map: Mapping[str, str] = _setting(PATHS, "Where it sees folders that have another name here.")
    emby_scan_retry_delays: tuple[float, ...] = _setting(
        _numbers(0, 86400),
        "Seconds between looks for a new item.",
        (2.0, 4.0, 8.0, 16.0, 32.0, 64.0),
        "EMBY_SCAN_RETRY_DELAYS",
    )
    jellyfin_url: str = _setting(ADDRESS, "Your Jellyfin server.", "", "JELLYFIN_BASE_URL")
    jellyfin_api_key: str = _setting(SECRET, "Its API key.", "", "JELLYFIN_API_KEY")
    jellyfin_parent_folder_id: str = _setting(TEXT, "As emby_parent_folder_id.")
    jellyfin_path_map: Mapping[str, str] = _setting(PATHS, "As emby_path_map.")
    plex_url: str = _setting(ADDRESS, "Your Plex server.", "", "PLEX_URL")
    plex_token: str = _setting(SECRET, "Its token.", "", "PLEX_TOKEN")
    plex_library: str = _setting(TEXT, "The libraries to look into, with commas between them. Empty: all with videos.")
    plex_path_map: Mapping[str, str] = _setting(PATHS, "As emby_path_map.")
    item_title: str = _setting(TEXT, "The title that servers show; {file} is the file's name.", "{code} {title}")
    video_extensions: tuple[str, ...] = _setting(WORDS, "What counts as a video. Empty: all that are known.", ())
    min_size: int = _setting(SIZE, "Smaller files are left alone.", 1)
    ignored_folders: tuple[str, ...] = _setting(WORDS, "Folders that are passed over beside the usual ones.", ())
    stable_seconds: float = _setting(_number(0, 86400), "How long a file must not have changed.", 10.0)
    folder_template: str = _setting(TEXT, "The folder below destination_dir.", "{performer}")
    name_template: str = _setting(TEXT, "The name there.", "{performers} - [{sub}] {code} {title}")
    wide_characters: bool = _setting(
        SWITCH,
        "Full-width letters for those that Windows forbids. Off: underscores.",
        True,  # noqa: FBT003 - a default like any other
    )
    folder_aliases: Mapping[str, str] = _setting(PAIRS, "Other spellings of a performer's folder.")
    move_mode: str = _setting(_one_of("move", "hardlink", "copy", "hardlink_or_copy"), "How files get there.", "move")
    on_exists: str = _setting(_one_of("ask", "keep_both"), "What to do where another file has the name.", "ask")
    verify: str = _setting(_one_of("samples", "full"), "How much of a copy is read again.", "samples")
    max_retries: int = _setting(_number(0, 100, whole=True), "How often a failed step is tried again.", 3)
    retry_minutes: tuple[float, ...] = _setting(_numbers(0, 10080), "Minutes between these tries.", (1.0, 5.0, 15.0))
    intake_host: str = _setting(
        TEXT, "The name of this machine's folders; the same on machines that share them. Empty: the machine's."
    )

    @property
    def host(self) -> str:
        return self.intake_host or socket.gethostname() or "this machine"

    @property
    def uses_postgres(self) -> bool:
        return bool(self.database_url or self.db_host)

    @property
    def secrets(self) -> tuple[str, ...]:
        plain = (getattr(self, key) for key in KEYS if kind_of(key).is_secret)
        return tuple(dict.fromkeys(filter(None, (*plain, *_password_of(self.database_url)))))


SETTINGS = {one.name: one for one in fields(IntakeConfig)}
KEYS = tuple(SETTINGS)


@dataclass(frozen=True)
class IntakeSettings:
    """The settings as they were found, and all that is wrong with them in sentences; a wrong one has its default."""

    config: IntakeConfig
    problems: tuple[str, ...]
    wrong: frozenset[str] = frozenset()  # the settings that were found, and cannot be used


def resolve_intake(in_file: Mapping[str, Any], environment: Mapping[str, str]) -> IntakeSettings:
    """Take each setting from the file, else from the environment, else its default."""
    values: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for key in KEYS:
        found = next(((place, raw) for place, raw in _offers(key, in_file, environment) if not _is_unset(raw)), None)
        if found is None:
            continue
        place, raw = found
        try:
            values[key] = kind_of(key).parse(raw)
        except WrongValue as wrong:
            problems[key] = _problem(key, place, raw, str(wrong), _secrets(in_file, environment))
    return IntakeSettings(IntakeConfig(**values), tuple(problems.values()), frozenset(problems))


def kind_of(key: str) -> Kind:
    return cast("Kind", SETTINGS[key].metadata["kind"])


def variables(key: str) -> tuple[str, ...]:
    """Name the environment's variables for a setting, the one that wins first."""
    return (ENVIRONMENT_PREFIX + key.upper(), *SETTINGS[key].metadata["names"])


def shown_name(key: str) -> str:
    """Name a setting as most people set it."""
    return variables(key)[-1]


def _offers(key: str, in_file: Mapping[str, Any], environment: Mapping[str, str]) -> list[tuple[str, object]]:
    return [(FILE, in_file.get(key)), *((name, environment.get(name)) for name in variables(key))]


def _is_unset(raw: object) -> bool:
    return raw is None or (isinstance(raw, str) and not raw.strip())


def _secrets(in_file: Mapping[str, Any], environment: Mapping[str, str]) -> frozenset[str]:
    """Collect what must never be shown, wherever it was put by mistake."""
    offers = [str(raw) for key in KEYS if kind_of(key).is_secret for _, raw in _offers(key, in_file, environment)]
    return frozenset(raw for raw in offers if len(raw) >= SHORTEST_SECRET)


def _may_be_shown(key: str, raw: object, secrets: frozenset[str]) -> bool:
    """Tell whether a wrong value can be repeated: none that has, or may have, a password or a key in it."""
    text = str(raw)
    is_address = kind_of(key) is ADDRESS
    has_more = any(sign in text for sign in ("@?#=" if is_address else "@"))
    return not kind_of(key).is_secret and not has_more and not any(secret in text for secret in secrets)


def _problem(key: str, place: str, raw: object, complaint: str, secrets: frozenset[str]) -> str:
    kind = kind_of(key)
    name = f"{key} in {FILE}" if place == FILE else place
    shown = complaint or (f"is {raw!r}"[:MOST_SHOWN] if _may_be_shown(key, raw, secrets) else "is not usable")
    return f"{name} {shown}; allowed is {kind.allowed}."
