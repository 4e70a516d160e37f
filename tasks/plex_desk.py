"""The desk of a task that works on Plex: settings, ledger and lines as the worker has them, for this one task."""

from collections.abc import Generator
from contextlib import closing, contextmanager
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
from tasks.ledger_desk import ledger_errors
from tasks.sentences import ended
from validation.config import Settings, Stash2PlexConfig, read_settings
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


@dataclass(frozen=True)
class Lines:
    """The ways to ledger, Stash and Plex, before anybody was asked anything."""

    ledger: Ledger
    stash: StashLine
    plex: PlexLine


@contextmanager
def open_plex_desk(desk: Desk) -> Generator[PlexDesk]:
    """Open it, and turn what the servers or the ledger complain of into a refusal."""
    with ledger_errors(desk), open_lines(desk) as lines:
        try:
            client = lines.stash.client()
            settings = settings_of(desk, client)
            if settings.config is None or settings.problems:
                raise Refusal(told_settings(settings))
            yield PlexDesk(desk.teller, settings.config, lines.ledger, client, lines.plex)
        except (StashError, PlexError, BadPathMap) as problem:
            raise Refusal(ended(str(problem))) from problem


@contextmanager
def open_lines(desk: Desk) -> Generator[Lines]:
    with closing(QueueManager(desk.folder.queue_dir)) as queue, closing(Ledger(desk.folder.ledger)) as ledger:
        stash, identity = StashLine(queue), load_identity(desk.folder.root, VERSION)
        line = PlexLine(ledger, desk.folder.ledger, identity, stash, SystemClock())
        try:
            yield Lines(ledger, stash, line)
        finally:
            line.close()
            stash.hang_up()


def settings_of(desk: Desk, client: StashClient) -> Settings:
    """Resolve the settings as the worker does."""
    settings = read_settings(client.plugin_state().settings, read_text(desk.folder.settings_file))
    if settings.config is not None:
        remember_choice(desk.folder, hide=settings.config.obfuscate_paths)
    return settings


def told_settings(settings: Settings) -> str:
    return f"The settings need you: {' '.join(settings.problems)}"
