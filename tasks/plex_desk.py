"""The desk of a task that works on Plex: settings, ledger and lines as the worker has them, for this one task."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from ledger.store import Ledger
from plex.device_identity import load_identity
from plex.exceptions import PlexError
from runtime.path_veil import remember_choice
from runtime.state_file import read_text
from runtime.version import VERSION
from stash.client import StashClient
from stash.exceptions import StashError
from stash.wire import Refusal
from sync_queue.manager import QueueManager
from tasks.desk import Desk, Teller
from validation.config import Stash2PlexConfig, read_settings
from worker.clock import SystemClock
from worker.plex_line import BadPathMap, PlexLine
from worker.stash_line import StashLine


@dataclass(frozen=True)
class PlexDesk:
    """What such a task is given. A worker may be at work on the same files meanwhile."""

    teller: Teller
    config: Stash2PlexConfig
    ledger: Ledger
    stash: StashClient
    line: PlexLine

    def now(self) -> float:
        return SystemClock().now()


@contextmanager
def open_plex_desk(desk: Desk) -> Generator[PlexDesk]:
    """Open it, and turn what the servers or the ledger complain of into a refusal."""
    queue = QueueManager(desk.folder.queue_dir)
    stash = StashLine(queue)
    try:
        with _lines(desk, stash) as (ledger, line):
            client = stash.client()
            config = _settings(desk, client)
            remember_choice(desk.folder, hide=config.obfuscate_paths)
            yield PlexDesk(desk.teller, config, ledger, client, line)
    except sqlite3.Error as error:
        raise Refusal(f"The ledger {desk.folder.ledger} cannot be used: {error}.") from error
    except (StashError, PlexError, BadPathMap) as problem:
        raise Refusal(str(problem)) from problem
    finally:
        stash.hang_up()
        queue.close()


@contextmanager
def _lines(desk: Desk, stash: StashLine) -> Generator[tuple[Ledger, PlexLine]]:
    ledger = Ledger(desk.folder.ledger)
    try:
        line = PlexLine(ledger, desk.folder.ledger, load_identity(desk.folder.root, VERSION), stash, SystemClock())
        try:
            yield ledger, line
        finally:
            line.close()
    finally:
        ledger.close()


def _settings(desk: Desk, client: StashClient) -> Stash2PlexConfig:
    """Resolve the settings as the worker does."""
    settings = read_settings(client.plugin_state().settings, read_text(desk.folder.settings_file))
    if settings.config is None or settings.problems:
        raise Refusal(f"The settings need you: {' '.join(settings.problems)}")
    return settings.config
