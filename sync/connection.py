"""The connection to a target: the client that the settings in force ask for, with its index and path map."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ledger.index_store import IndexStore
from ledger.store import Ledger
from ledger.values import FORGOTTEN_AT, LAST_SWEEP, SERVER_AT
from matching.derivation import MapOf, SizedPath, derive_path_map, sample_share, sampled
from matching.path_map import PathMap, PathMapError, make_map, parse_path_map
from model.match import Match
from model.scene import SceneFile
from model.server import ServerIdentity
from model.targets import PATH_MAP_OF, TITLES
from plan.fields import wants_collections
from runtime.clock import Clock
from sync.index import PathIndex, Refreshed, is_walk_due
from sync.ports import Source
from sync.stash_connection import StashConnection
from sync.target import Target
from validation.config import Stash2PlexConfig

log = logging.getLogger(__name__)

REFRESH_EVERY_SECONDS = 300.0
LOOK_EVERY_SECONDS = 1.0
DERIVE_EVERY_SECONDS = 24 * 3600.0
DERIVE_AGAIN_SECONDS = 600.0  # Plex may just be reading its library for the first time
KEPT_MAP = "path_map"
IDENTIFY_EVERY_SECONDS = 15.0  # Plex drops a connection that idles for 20: who answers after that may be another


class BadPathMap(Exception):
    """The setting path_map cannot be understood; the text says why."""


Connect = Callable[[Stash2PlexConfig, str | None], Target]
"""Makes the client of one target by the settings; the name of the server that is expected to answer, if any is."""


@dataclass(frozen=True, slots=True)
class BoundTarget:
    """A target as one batch has it: all of the batch is decided by the same settings, client, index and path map."""

    config: Stash2PlexConfig
    client: Target
    name: str
    """What people call it."""
    server: ServerIdentity
    index: PathIndex
    path_map: PathMap

    @property
    def server_id(self) -> str:
        return self.server.server_id

    def find(self, files: Sequence[SceneFile], pinned: str | None = None, *, may_ask: bool = True) -> Match:
        """Find the item of a scene's files, in the index or by asking the server. Raises TargetError."""
        return self.index.resolve(
            files, self.path_map, pinned=pinned, ignore_case=self.server.ignores_case, may_ask=may_ask
        )


class TargetConnection:
    """Keeps client and index as long as the settings they were made from are in force. For one thread."""

    def __init__(
        self, name: str, ledger: Ledger, database: str, connect: Connect, stash: StashConnection, clock: Clock
    ) -> None:
        self.name = name
        self._ledger = ledger
        self._store = IndexStore(database)
        self._connect = connect
        self._stash = stash
        self._clock = clock
        self._config: Stash2PlexConfig | None = None
        self._made_from: tuple[object, ...] = ()
        self._client: Target | None = None
        self._index: PathIndex | None = None
        self._look_at = 0.0
        self._forgotten: str | None = None
        self._refresh_at = 0.0
        self._derived: tuple[PathMap, float] | None = None
        self._identify_at = 0.0
        self._has_lost_items = False
        self._swept: str | None = None

    def bind(self, config: Stash2PlexConfig) -> BoundTarget:
        """Give all that a batch needs, connected and up to date. Raises BadPathMap, TargetError and StashError."""
        now = self._clock.monotonic()
        client = self._client_at(now, config)
        server = self._identify(client, now, config)
        return BoundTarget(config, client, client.name, server, self._index_at(now), self._map(config))

    def client(self, config: Stash2PlexConfig) -> Target:
        return self._client_at(self._clock.monotonic(), config)

    def _client_at(self, now: float, config: Stash2PlexConfig) -> Target:
        forgotten_at = self._forgotten_at(now)
        if self._client is not None and config is self._config and forgotten_at == self._made_from[-1]:
            return self._client
        self._config, library = config, config.target(self.name).library
        wanted = (*connection_settings(config, self.name), wants_collections(config), library, forgotten_at)
        if self._client is None or wanted != self._made_from:
            self.disconnect()
            self._client = self._connect(config, known_server(self._ledger, config, self.name))
            self._index = PathIndex(self._store, self._client, library)
            self._made_from = wanted
        return self._client

    def _forgotten_at(self, now: float) -> str | None:
        """Look now and then whether the task Clear Match Cache was run."""
        if now >= self._look_at:
            self._look_at = now + LOOK_EVERY_SECONDS
            self._forgotten = self._ledger.values.get(FORGOTTEN_AT)
        return self._forgotten

    def server_id(self, config: Stash2PlexConfig) -> str:
        """Return who the server is, and remember it: nothing is written to another one at the same address."""
        now = self._clock.monotonic()
        return self._identify(self._client_at(now, config), now, config).server_id

    def _identify(self, client: Target, now: float, config: Stash2PlexConfig) -> ServerIdentity:
        if now >= self._identify_at:
            client.identify()
            self._identify_at = now + IDENTIFY_EVERY_SECONDS
        server = client.server()
        keep_server(self._ledger, config, self.name, server.server_id)
        return server

    def known_server(self, config: Stash2PlexConfig) -> str | None:
        return known_server(self._ledger, config, self.name)

    def index(self, config: Stash2PlexConfig) -> PathIndex:
        """Return the index, brought up to date now and then."""
        now = self._clock.monotonic()
        self._client_at(now, config)
        return self._index_at(now)

    def _index_at(self, now: float) -> PathIndex:
        assert self._index is not None
        if now >= self._refresh_at:
            done = self._index.refresh(self._clock.now())
            for one in done:
                log.info("%s library '%s': %s, %d items.", TITLES[self.name], one.library.title, one.how, one.items)
            if any(one.how is Refreshed.WALKED for one in done):  # also after one whose worker died before this
                self._has_lost_items |= self._ledger.scenes.mark_stale_where_item_is_gone(self._client_server()) > 0
            self._refresh_at = now + REFRESH_EVERY_SECONDS
        return self._index

    def tick(self, config: Stash2PlexConfig) -> str | None:
        """Keep the index up to date although nobody looks for anything; say why scenes must be looked at again.

        It is walked when that is due, and after a sweep read for changes if scenes wait for their files.
        """
        files, swept = self._store.count_parts(), self._ledger.values.get(LAST_SWEEP)
        is_awaited = (
            swept != self._swept and self._clock.monotonic() >= self._refresh_at and self._ledger.scenes.has_waiting()
        )
        if is_awaited or is_walk_due(self._store.walks(), self._clock.now()):
            self.server_id(config)  # another server at this address would make the index be forgotten
            self.index(config)
            self._swept = swept
        has_lost, self._has_lost_items = self._has_lost_items, False
        if has_lost:
            return f"items are gone from {TITLES[self.name]}"
        has_new = self._store.count_parts() > files and self._ledger.scenes.has_waiting()
        return f"{TITLES[self.name]} has new files" if has_new else None

    def _client_server(self) -> str:
        assert self._client is not None
        return self._client.server().server_id

    def path_map(self, config: Stash2PlexConfig) -> PathMap:
        """Return the person's map, or the one derived from all files of both sides, which is kept for a day."""
        if given_path_map(config, self.name) is None:
            self.client(config)
        return self._map(config)

    def _map(self, config: Stash2PlexConfig) -> PathMap:
        if (given := given_path_map(config, self.name)) is not None:
            return given
        now = self._clock.now()
        if self._derived is None:
            self._derived = _read_kept(self._ledger.values.get(KEPT_MAP), self._made_from_text())
        if self._derived is None or not 0 <= now - self._derived[1] < DERIVE_EVERY_SECONDS:
            self._derived = self._derive(config, now)
            self._ledger.values.set(KEPT_MAP, _kept(*self._derived, self._made_from_text()))
        return self._derived[0]

    def _made_from_text(self) -> list[str]:
        """Say what a path map depends on: another server or library, or a person who wants all looked up anew."""
        url, *_, library, forgotten_at = self._made_from
        return [str(url), str(library), str(forgotten_at)]

    def _derive(self, config: Stash2PlexConfig, now: float) -> tuple[PathMap, float]:
        index = self.index(config)
        one_in = sample_share(index.count_files())
        measured = derive_path_map(
            sampled(stash_files(self._stash.client()), one_in), sampled(index.sized_paths(), one_in), map_of(self.name)
        )
        share = f"of one name in {one_in}: " if one_in > 1 else ""
        rules = "; ".join(rule.in_words() for rule in measured.path_map.rules)
        log.info("Path map found out by itself: %s (%s%s).", rules or "none needed", share, measured)
        if measured.warning:
            log.warning("%s", measured.warning)
        is_of_use = measured.found > 0
        return measured.path_map, now if is_of_use else now - DERIVE_EVERY_SECONDS + DERIVE_AGAIN_SECONDS

    def disconnect(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = self._index = self._derived = None
        self._refresh_at = self._identify_at = 0.0

    def close(self) -> None:
        self.disconnect()
        self._store.close()


def map_of(target: str) -> MapOf:
    """Name the server and the setting of a target's path map, for sentences."""
    return MapOf(TITLES[target], PATH_MAP_OF[target])


def given_path_map(config: Stash2PlexConfig, name: str) -> PathMap | None:
    """Read the person's own map for a target, if there is one."""
    text = config.target(name).path_map
    try:
        return parse_path_map(text) if text else None
    except PathMapError as error:
        raise BadPathMap(str(error)) from error


def path_map_problems(config: Stash2PlexConfig | None) -> list[str]:
    """Say what is wrong with the path maps of the targets that are on, which only we can read."""
    problems: list[str] = []
    for name in config.targets if config else ():
        try:
            given_path_map(config, name) if config else None
        except BadPathMap as error:
            problems.append(f"{str(error).rstrip('.')}.")
    return problems


def connection_settings(config: Stash2PlexConfig, name: str) -> tuple[object, ...]:
    target = config.target(name)
    return target.url, target.key, config.connect_timeout, config.read_timeout


def known_server(ledger: Ledger, config: Stash2PlexConfig, name: str) -> str | None:
    """Say who answered at this address last, without asking."""
    return ledger.values.get(f"{SERVER_AT}{config.target(name).url}")


def keep_server(ledger: Ledger, config: Stash2PlexConfig, name: str, server_id: str) -> None:
    if known_server(ledger, config, name) != server_id:
        ledger.values.set(f"{SERVER_AT}{config.target(name).url}", server_id)


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


def stash_files(client: Source) -> Iterator[SizedPath]:
    return (SizedPath(path, size) for page in client.scene_files() for path, size in page)
