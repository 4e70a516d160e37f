"""Puts the parts of intake together from its settings. The one module that names stores and sources.

What only some settings need is imported only then: a service without PostgreSQL needs no psycopg, one without Stash
none of its packages.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from urllib.parse import urlsplit

from intake.moving.disk import Verify
from intake.moving.plan import Destination, MoveMode, OnExists
from intake.naming.names import FIELDS, TITLE_FIELDS, BadTemplate, check_template
from intake.naming.noise import VIDEO_EXTENSIONS
from intake.publishing.port import Publisher
from intake.publishing.replaced_pictures import forget_oldest
from intake.publishing.server_paths import PathMap
from intake.service.file_plan import Rules
from intake.service.file_work import OwnerOfFiles
from intake.sources.guarded import GuardedSource
from intake.sources.port import MetadataSource
from intake.sources.sidecar import SidecarSource
from intake.sources.work import JSON_NAMES
from intake.store.port import IntakeStore
from intake.store.sqlite_store import SqliteStore
from intake.watching.gate import GateRules
from intake.watching.root import Root
from model.errors import TargetError
from model.targets import EMBY, JELLYFIN, PLEX, TITLES
from runtime.folder import DataFolder
from runtime.packages import POSTGRES_REQUIREMENTS, REQUIREMENTS, PackageLoader
from runtime.state_file import read_text
from sync.target import Target
from sync_queue.queue_file import connect
from sync_queue.session import Session, read_session
from validation.intake_config import IntakeConfig, IntakeSettings, resolve_intake, shown_name
from validation.settings_file import parse_settings_file

NEEDED_TO_RUN = ("watch_dir", "destination_dir")


class WrongSettings(Exception):
    """Settings cannot be used; the text has a line for each."""


def read_intake_settings(folder: DataFolder | None, environment: Mapping[str, str] = os.environ) -> IntakeSettings:
    """Read the settings and all that is wrong with them, but for names in the file that are nobody's."""
    in_file, problems = parse_settings_file(read_text(folder.settings_file) if folder else "")
    settings = resolve_intake(in_file, environment)
    config = settings.config
    return replace(settings, problems=(*problems, *settings.problems, *_contradictions(config)))


def require(settings: IntakeSettings, *keys: str) -> IntakeConfig:
    """Return the settings if all are right and these are set; raise WrongSettings with all problems at once."""
    missing = [
        f"{shown_name(key)} is not set ({key} in stash2plex.json)."
        for key in keys
        if not getattr(settings.config, key) and key not in settings.wrong
    ]
    if problems := [*settings.problems, *missing]:
        raise WrongSettings("\n".join(problems))
    return settings.config


def _contradictions(config: IntakeConfig) -> list[str]:
    """Find what no single setting shows."""
    problems: list[str] = []
    watched, destination = config.watch_dir, config.destination_dir
    if watched and destination:
        one, other = (os.path.realpath(path) + os.sep for path in (watched, destination))
        if one.startswith(other) or other.startswith(one):
            problems.append(
                f"WATCH_DIR ({watched}) and DESTINATION_DIR ({destination}) lie in each other; files would be taken "
                "in again and again. Choose two folders beside each other."
            )
    for key, fields in (("name_template", FIELDS), ("folder_template", FIELDS), ("item_title", TITLE_FIELDS)):
        try:
            check_template(getattr(config, key), fields)
        except BadTemplate as error:
            problems.append(f"{shown_name(key)}: {error}")
    problems += [
        f"{shown_name(f'{name}_url')} is set and {shown_name(f'{name}_{key}')} is not."
        for name, key in (("emby", "api_key"), ("jellyfin", "api_key"), ("plex", "token"))
        if getattr(config, f"{name}_url") and not getattr(config, f"{name}_{key}")
    ]
    if strangers := sorted(set(config.search_fields) - set(JSON_NAMES)):
        problems.append(f"search_fields has {', '.join(strangers)}; allowed are {', '.join(JSON_NAMES)}.")
    return problems


def load_packages(folder: DataFolder, config: IntakeConfig) -> None:
    """Make importable what these settings need, installing it if it is not there; raises PackagesMissing."""
    loader = PackageLoader(folder, REQUIREMENTS, *([POSTGRES_REQUIREMENTS] if config.uses_postgres else []))
    loader.use_installed()
    wanted = [
        *(["requests"] if config.api_base_url else []),
        *(["requests", "tenacity"] if config.emby_url or config.jellyfin_url or config.plex_url else []),
        *(["plexapi"] if config.plex_url else []),
        *(["requests", "stashapi"] if find_session(folder, config) else []),
        *(["psycopg"] if config.uses_postgres else []),
    ]
    if any(find_spec(module) is None for module in wanted):
        loader.load()


def open_store(folder: DataFolder, config: IntakeConfig, worker: str) -> IntakeStore:
    """Open a connection to where the rows are."""
    if not config.uses_postgres:
        return SqliteStore(folder.intake_dir, config.host, worker)
    from intake.store.postgres_store import PostgresStore  # noqa: PLC0415 - optional

    return PostgresStore(conninfo(config), config.host, worker)


def conninfo(config: IntakeConfig) -> str:
    """Say how PostgreSQL is reached, as its own library reads it."""
    if config.database_url:
        return config.database_url
    known = {
        "host": config.db_host,
        "port": str(config.db_port),
        "dbname": config.db_name,
        "user": config.db_user,
        "password": config.db_password,
    }
    return " ".join(f"{name}='{_escaped(value)}'" for name, value in known.items() if value)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "\\'")


def make_rules(config: IntakeConfig) -> Rules:
    destination = Destination(
        Root(config.destination_dir, config.destination_anchor),
        config.folder_template,
        config.name_template,
        config.wide_characters,
        config.folder_aliases,
    )
    return Rules(
        Root(config.watch_dir, config.watch_anchor),
        destination,
        MoveMode(config.move_mode),
        OnExists(config.on_exists),
        Verify(config.verify),
        _extensions(config),
    )


def make_gate(config: IntakeConfig) -> GateRules:
    return GateRules(_extensions(config), config.min_size, frozenset(config.ignored_folders))


def _extensions(config: IntakeConfig) -> frozenset[str]:
    return frozenset(one.lower().lstrip(".") for one in config.video_extensions) or VIDEO_EXTENSIONS


def make_sources(folder: DataFolder, config: IntakeConfig) -> list[MetadataSource]:
    """Build the sources that are set, in their order."""
    built: list[MetadataSource] = []
    for name in config.search_order:
        if name == "sidecar":
            built.append(SidecarSource())
        elif name == "stash" and (session := find_session(folder, config)):
            built.append(_stash_source(session, PathMap(config.stash_path_map)))
        elif name == "wordpress" and config.api_base_url:
            built.append(_wordpress_source(folder, config))
    return built


def _stash_source(session: Session, paths: PathMap) -> MetadataSource:
    from intake.sources.stash_source import StashSource  # noqa: PLC0415 - optional
    from stash.client import StashClient  # noqa: PLC0415 - as above

    return GuardedSource(StashSource(lambda: StashClient(session), paths))


def _wordpress_source(folder: DataFolder, config: IntakeConfig) -> MetadataSource:
    from intake.sources.wordpress import WordPressSettings, WordPressSource, token_file  # noqa: PLC0415 - optional

    settings = WordPressSettings(
        config.api_base_url,
        config.api_token,
        config.api_refresh_token,
        config.api_refresh_path,
        config.search_paths,
        config.search_code_name,
        config.search_fields,
    )
    return GuardedSource(WordPressSource(settings, token_file(folder.intake_dir)))


def find_session(folder: DataFolder, config: IntakeConfig) -> Session | None:
    """Say how Stash is reached: as the settings have it, or as the plugin's last hook did; None if there is none."""
    if config.stash_url:
        parts = urlsplit(config.stash_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return Session(parts.scheme, parts.hostname or "", port, "", 0.0, config.stash_api_key)
    if not os.path.isdir(folder.queue_dir):
        return None
    connection = connect(folder.queue_dir)
    try:
        return read_session(connection)
    finally:
        connection.close()


def make_file_owner(folder: DataFolder, config: IntakeConfig) -> OwnerOfFiles | None:
    """Return Stash, if it is set: it moves the files that it knows."""
    session = find_session(folder, config)
    if session is None:
        return None
    from intake.service.stash_files import StashFiles  # noqa: PLC0415 - optional
    from stash.client import StashClient  # noqa: PLC0415 - as above

    return StashFiles(lambda: StashClient(session), PathMap(config.stash_path_map))


def make_publishers(folder: DataFolder, config: IntakeConfig) -> list[Publisher]:
    """Build the servers that are set; Stash alone, where it is the hub."""
    if config.stash_hub:
        return [_hub(folder, config)]
    return [_publisher(folder, config, name) for name in (EMBY, JELLYFIN, PLEX) if getattr(config, f"{name}_url")]


def _hub(folder: DataFolder, config: IntakeConfig) -> Publisher:
    session = find_session(folder, config)
    if session is None:
        raise WrongSettings("STASH2PLEX_STASH_HUB is on, and no Stash is known. Set STASH2PLEX_STASH_URL.")
    from intake.publishing.guarded import GuardedPublisher  # noqa: PLC0415 - optional
    from intake.publishing.picture_fetch import PictureFetcher  # noqa: PLC0415 - as above
    from intake.publishing.stash_hub import StashHub  # noqa: PLC0415 - as above
    from stash.hub import HubClient  # noqa: PLC0415 - as above

    return GuardedPublisher(StashHub(lambda: HubClient(session), PathMap(config.stash_path_map), PictureFetcher()))


def _publisher(folder: DataFolder, config: IntakeConfig, name: str) -> Publisher:
    from intake.publishing.guarded import GuardedPublisher  # noqa: PLC0415 - optional
    from intake.publishing.picture_fetch import PictureFetcher  # noqa: PLC0415 - as above
    from intake.publishing.target_publisher import ShownAs, TargetPublisher  # noqa: PLC0415 - as above

    try:
        target = _target(folder, config, name)
    except TargetError as error:  # nobody was asked: what was set cannot be sent
        raise WrongSettings(f"{TITLES[name]}: {error}.") from error
    shown_as = ShownAs(
        PathMap(getattr(config, f"{name}_path_map")),
        getattr(config, f"{name}_library", ""),
        getattr(config, f"{name}_parent_folder_id", ""),
        config.item_title,
    )
    return GuardedPublisher(TargetPublisher(target, shown_as, PictureFetcher()))


def _target(folder: DataFolder, config: IntakeConfig, name: str) -> Target:
    from worker.adapters import Server, open_adapter  # noqa: PLC0415 - optional

    replaced = os.path.join(folder.intake_dir, "replaced_pictures", name)
    forget_oldest(replaced)
    key = config.plex_token if name == PLEX else getattr(config, f"{name}_api_key")
    return open_adapter(folder.root, Server(name, getattr(config, f"{name}_url"), key, replaced))
