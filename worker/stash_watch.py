"""The watch on Stash: our settings in it, whether we are switched on, whether it is there at all."""

import logging
from collections.abc import Mapping
from typing import Any

from runtime.redaction import Redactor
from runtime.state_file import read_text
from stash.client import PluginState, StashClient
from stash.exceptions import StashError, StashUnauthorized, StashUnreachable
from sync_queue.manager import QueueManager
from sync_queue.session import Session, is_same_session
from validation.config import Settings, Stash2PlexConfig, read_settings, unset_in_stash
from worker.clock import Clock
from worker.conditions import Conditions, ConditionsBoard
from worker.plex_line import path_map_problems
from worker.stash_jobs import StashJobs
from worker.stash_line import StashLine

log = logging.getLogger(__name__)

LOOK_EVERY_SECONDS = 15.0
GONE_AFTER_SECONDS = 300.0
KEEP_COOKIE_EVERY_SECONDS = 600.0  # it lives an hour; writing each renewal would keep a sleeping disk awake


class StashWatch:
    """Asks Stash now and then, posts the conditions of work, and knows when there is nothing left to stay for."""

    def __init__(
        self,
        queue: QueueManager,
        line: StashLine,
        board: ConditionsBoard,
        jobs: StashJobs,
        clock: Clock,
        settings_file: str,
        redactor: Redactor,
    ) -> None:
        self._queue = queue
        self._line = line
        self._board = board
        self._jobs = jobs
        self._clock = clock
        self._settings_file = settings_file
        self._redactor = redactor
        self.session: Session | None = None
        self._next_look_at = 0.0
        self._keep_cookie_at = 0.0
        self._silent_since: float | None = None
        self._disabled = False
        self._offered_defaults = False

    def look(self) -> None:
        """Ask Stash if it is time to, or if a hook has brought a new session while there is an obstacle."""
        now = self._clock.monotonic()
        session = self._queue.session()
        is_new, self.session = not is_same_session(session, self.session), session
        if now >= self._next_look_at or (is_new and self._board.read().obstacle):
            self._next_look_at = now + LOOK_EVERY_SECONDS
            self._ask(now)

    def reason_to_leave(self) -> str | None:
        if self._disabled:
            return "the plugin was disabled in Stash"
        if self._silent_since is not None and self._clock.monotonic() - self._silent_since >= GONE_AFTER_SECONDS:
            return "Stash has not answered for five minutes"
        return None

    def _ask(self, now: float) -> None:
        try:
            client = self._line.client()
            state = client.plugin_state()
        except StashError as problem:
            # One that answers is there; it only does not like us.
            is_silent = isinstance(problem, StashUnreachable)
            self._silent_since = (self._silent_since or now) if is_silent else None
            if isinstance(problem, StashUnauthorized):
                self._line.hang_up()
            self._post(self._board.read().config, str(problem))
            return
        self._silent_since = None
        self._disabled = not state.enabled
        self._jobs.note(state.jobs)
        self._keep_session(state, client, now)
        self._judge(state, client)

    def _keep_session(self, state: PluginState, client: StashClient, now: float) -> None:
        """Write down what opens Stash later: the key if there is one, else the renewed cookie."""
        if self.session is None:
            return
        self._redactor.learn(state.api_key, client.cookie, self.session.cookie)
        if state.api_key != self.session.api_key:
            self._queue.keep_api_key(state.api_key)
        if not state.api_key and client.cookie != self.session.cookie and now >= self._keep_cookie_at:
            self._keep_cookie_at = now + KEEP_COOKIE_EVERY_SECONDS
            self._queue.keep_renewed_cookie(self.session.cookie, client.cookie)

    def _judge(self, state: PluginState, client: StashClient) -> None:
        settings = read_settings(state.settings, read_text(self._settings_file))
        if settings.config is not None:  # before any work is begun by it
            self._redactor.learn(settings.config.plex_token.get_secret_value())
            self._redactor.hide_paths(on=settings.config.obfuscate_paths)
        self._offer_defaults(state.settings, settings, client)
        problems = [*settings.problems, *path_map_problems(settings.config)]
        if settings.config is None or problems:
            self._post(settings.config, f"The settings need you: {' '.join(problems)}")
        elif not settings.config.enabled:
            self._post(settings.config, "Syncing is switched off (setting: enabled). Edits are queued meanwhile.")
        else:
            self._post(settings.config, None)

    def _post(self, config: Stash2PlexConfig | None, obstacle: str | None) -> None:
        if self._board.post(Conditions(config, obstacle)):
            log.log(logging.WARNING if obstacle else logging.INFO, "%s", obstacle or "Ready to work.")

    def _offer_defaults(self, in_stash: Mapping[str, Any], settings: Settings, client: StashClient) -> None:
        """Show the defaults on Stash's settings page, once in a worker's life."""
        missing = unset_in_stash(in_stash, settings.sources)
        if self._offered_defaults or not missing:
            return
        self._offered_defaults = True
        try:
            client.add_settings(missing)
        except StashError as problem:
            log.warning("The defaults could not be written to Stash's settings page: %s", problem)
