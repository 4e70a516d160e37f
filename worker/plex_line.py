"""The line to Plex: the client that the settings in force ask for, and the index and path map that belong to it."""

import json
import logging
from collections.abc import Iterator

from ledger.kept_names import FORGOTTEN_AT, MACHINE_AT
from ledger.store import Ledger
from plex.client import PlexClient
from plex.device_identity import DeviceIdentity
from plex.index import PlexIndex
from plex.index_store import IndexStore
from plex.path_map import PathMap, PathMapError, make_map, parse_path_map
from plex.path_map_derivation import SizedPath, derive_path_map, sample_share, sampled
from stash.client import StashClient
from validation.config import Stash2PlexConfig
from worker.clock import Clock
from worker.stash_line import StashLine

log = logging.getLogger(__name__)

REFRESH_EVERY_SECONDS = 300.0
LOOK_EVERY_SECONDS = 1.0
DERIVE_EVERY_SECONDS = 24 * 3600.0
DERIVE_AGAIN_SECONDS = 600.0  # Plex may just be reading its library for the first time
KEPT_MAP = "path_map"
IDENTIFY_EVERY_SECONDS = 15.0  # Plex drops a connection that idles for 20: who answers after that may be another


class BadPathMap(Exception):
    """The setting path_map cannot be understood; the text says why."""


class PlexLine:
    """Keeps client and index as long as the settings they were made from are in force. For one thread."""

    def __init__(self, ledger: Ledger, database: str, identity: DeviceIdentity, stash: StashLine, clock: Clock) -> None:
        self._ledger = ledger
        self._store = IndexStore(database)
        self._identity = identity
        self._stash = stash
        self._clock = clock
        self._made_from: tuple[object, ...] = ()
        self._client: PlexClient | None = None
        self._index: PlexIndex | None = None
        self._look_at = 0.0
        self._forgotten: str | None = None
        self._refresh_at = 0.0
        self._derived: tuple[PathMap, float] | None = None
        self._identify_at = 0.0

    def client(self, config: Stash2PlexConfig) -> PlexClient:
        wanted = (*connection_settings(config), config.plex_library, self._forgotten_at())
        if self._client is None or wanted != self._made_from:
            self.hang_up()
            self._client = open_client(config, self._identity, self._ledger)
            self._index = PlexIndex(self._store, self._client, config.plex_library)
            self._made_from = wanted
        return self._client

    def _forgotten_at(self) -> str | None:
        """Look now and then whether the task Clear Match Cache was run."""
        now = self._clock.monotonic()
        if now >= self._look_at:
            self._look_at = now + LOOK_EVERY_SECONDS
            self._forgotten = self._ledger.value(FORGOTTEN_AT)
        return self._forgotten

    def machine(self, config: Stash2PlexConfig) -> str:
        """Return who the server is, and remember it: nothing is written to another one at the same address."""
        client, now = self.client(config), self._clock.monotonic()
        if now >= self._identify_at:
            client.identify()
            self._identify_at = now + IDENTIFY_EVERY_SECONDS
        machine = client.server().machine_identifier
        keep_machine(self._ledger, config, machine)
        return machine

    def known_machine(self, config: Stash2PlexConfig) -> str | None:
        return known_machine(self._ledger, config)

    def index(self, config: Stash2PlexConfig) -> PlexIndex:
        """Return the index, brought up to date now and then."""
        self.client(config)
        assert self._index is not None
        now = self._clock.monotonic()
        if now >= self._refresh_at:
            done = self._index.refresh(self._clock.now())
            for one in done:
                log.info("Plex library '%s': %s, %d items.", one.library.title, one.how, one.items)
            if any(one.forgotten for one in done):
                self._ledger.look_again_where_item_is_gone(self._client_machine())
            self._refresh_at = now + REFRESH_EVERY_SECONDS
        return self._index

    def _client_machine(self) -> str:
        assert self._client is not None
        return self._client.server().machine_identifier

    def path_map(self, config: Stash2PlexConfig) -> PathMap:
        """Return the person's map, or the one derived from all files of both sides, which is kept for a day."""
        if (given := given_path_map(config)) is not None:
            return given
        self.client(config)
        now = self._clock.now()
        if self._derived is None:
            self._derived = _read_kept(self._ledger.value(KEPT_MAP), self._made_from_text())
        if self._derived is None or not 0 <= now - self._derived[1] < DERIVE_EVERY_SECONDS:
            self._derived = self._derive(config, now)
            self._ledger.keep_value(KEPT_MAP, _kept(*self._derived, self._made_from_text()))
        return self._derived[0]

    def _made_from_text(self) -> list[str]:
        """Say what a path map depends on: another server or library, or a person who wants all looked up anew."""
        url, *_, library, forgotten_at = self._made_from
        return [str(url), str(library), str(forgotten_at)]

    def _derive(self, config: Stash2PlexConfig, now: float) -> tuple[PathMap, float]:
        index = self.index(config)
        one_in = sample_share(index.count_files())
        measured = derive_path_map(
            sampled(stash_files(self._stash.client()), one_in), sampled(index.sized_paths(), one_in)
        )
        share = f"of one name in {one_in}: " if one_in > 1 else ""
        rules = "; ".join(rule.in_words() for rule in measured.path_map.rules)
        log.info("Path map found out by itself: %s (%s%s).", rules or "none needed", share, measured)
        if measured.warning:
            log.warning("%s", measured.warning)
        is_of_use = measured.found > 0
        return measured.path_map, now if is_of_use else now - DERIVE_EVERY_SECONDS + DERIVE_AGAIN_SECONDS

    def hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = self._index = self._derived = None
        self._refresh_at = self._identify_at = 0.0

    def close(self) -> None:
        self.hang_up()
        self._store.close()


def given_path_map(config: Stash2PlexConfig) -> PathMap | None:
    """Read the person's own map, if there is one."""
    try:
        return parse_path_map(config.path_map) if config.path_map else None
    except PathMapError as error:
        raise BadPathMap(str(error)) from error


def path_map_problems(config: Stash2PlexConfig | None) -> list[str]:
    """Say what is wrong with the setting path_map, which only we can read."""
    try:
        parse_path_map(config.path_map if config else "")
    except PathMapError as error:
        return [f"{str(error).rstrip('.')}."]
    return []


def connection_settings(config: Stash2PlexConfig) -> tuple[object, ...]:
    return config.plex_url, config.plex_token, config.connect_timeout, config.read_timeout


def open_client(config: Stash2PlexConfig, identity: DeviceIdentity, ledger: Ledger) -> PlexClient:
    return PlexClient(
        config.plex_url,
        config.plex_token.get_secret_value(),
        identity,
        connect_timeout=config.connect_timeout,
        read_timeout=config.read_timeout,
        expected_machine=known_machine(ledger, config),
    )


def known_machine(ledger: Ledger, config: Stash2PlexConfig) -> str | None:
    """Say who answered at this address last, without asking."""
    return ledger.value(f"{MACHINE_AT}{config.plex_url}")


def keep_machine(ledger: Ledger, config: Stash2PlexConfig, machine: str) -> None:
    if known_machine(ledger, config) != machine:
        ledger.keep_value(f"{MACHINE_AT}{config.plex_url}", machine)


def _kept(path_map: PathMap, at: float, of: list[str]) -> str:
    return json.dumps({"rules": str(path_map), "at": at, "of": of})


def _read_kept(text: str | None, of: list[str]) -> tuple[PathMap, float] | None:
    """Read the path map that another process found out, if it holds for these settings."""
    try:
        kept = json.loads(text or "null")
        if kept is None or kept["of"] != of:
            return None
        return make_map(list(parse_path_map(kept["rules"]).rules), is_derived=True), float(kept["at"])
    except (ValueError, TypeError, KeyError, PathMapError):
        return None


def stash_files(client: StashClient) -> Iterator[SizedPath]:
    return (SizedPath(path, size) for page in client.scene_files() for path, size in page)
