"""The watch on Stash: our settings in it, whether we are switched on, whether it is there at all."""

import logging
from collections.abc import Callable

from model.targets import TARGETS
from runtime.clock import Clock
from runtime.folder import DataFolder
from runtime.privacy.redaction import Redactor
from stash.client import PluginState, StashClient
from stash.exceptions import StashError, StashRefused, StashUnauthorized, StashUnreachable
from sync.connection import path_map_problems
from sync.settings import keep_targets, settings_in_force
from sync.stash_connection import StashConnection
from sync_queue.manager import QueueManager
from sync_queue.session import Session, is_same_session
from validation.config import Settings, Stash2PlexConfig
from worker.conditions import Conditions, CurrentConditions
from worker.stash.changes import StashChanges
from worker.stash.jobs import StashJobs
from worker.stash.settings_page import SettingsPage

log = logging.getLogger(__name__)

LOOK_EVERY_SECONDS = 15.0
SILENT_LOOK_SECONDS = 5.0
GONE_AFTER_SECONDS = 300.0
DISABLED_SECONDS = 3600.0
SNAPSHOT_SHARE = 0.05  # of Stash's time at most: a large library on a slow disk is asked less often
KEEP_COOKIE_EVERY_SECONDS = 600.0  # it lives an hour; writing each renewal would keep a sleeping disk awake


class StashWatch:
    """Asks Stash now and then, sets the conditions of work, and knows when there is nothing left to stay for."""

    def __init__(
        self,
        queue: QueueManager,
        stash: StashConnection,
        conditions: CurrentConditions,
        jobs: StashJobs,
        changes: StashChanges,
        ask_for_sweep: Callable[[str], None],
        clock: Clock,
        folder: DataFolder,
        redactor: Redactor,
    ) -> None:
        self._queue = queue
        self._stash = stash
        self._conditions = conditions
        self._jobs = jobs
        self._changes = changes
        self._ask_for_sweep = ask_for_sweep
        self._clock = clock
        self._folder = folder
        self._page = SettingsPage(folder)
        self._redactor = redactor
        self.session: Session | None = None
        self._next_look_at = self._next_snapshot_at = 0.0
        self._keep_cookie_at = 0.0
        self._silent_since: float | None = None
        self._disabled_since: float | None = None
        self.notice: str | None = None
        self.targets = queue.targets()

    def tick(self) -> None:
        """Ask Stash if it is time to, if it failed a lane, or if a new session has come while there is an obstacle."""
        now = self._clock.monotonic()
        session = self._queue.session()
        is_new, self.session = not is_same_session(session, self.session), session
        is_doubted = self._conditions.take_doubt()
        if now >= self._next_look_at or is_doubted or (is_new and self._conditions.get().obstacle):
            self._next_look_at = now + LOOK_EVERY_SECONDS
            self._ask(now)
            if self._silent_since is not None:
                self._next_look_at = now + SILENT_LOOK_SECONDS

    def reason_to_leave(self) -> str | None:
        now = self._clock.monotonic()
        if self._disabled_since is not None and now - self._disabled_since >= DISABLED_SECONDS:
            return "the plugin has been disabled in Stash for an hour"
        if self._silent_since is not None and now - self._silent_since >= GONE_AFTER_SECONDS:
            return "Stash has not answered for five minutes"
        return None

    def _ask(self, now: float) -> None:
        try:
            client = self._stash.client()
            state = self._read_state(client, now)
        except StashError as problem:
            # One that answers is there; it only does not like us.
            is_silent = isinstance(problem, StashUnreachable)
            self._silent_since = (self._silent_since or now) if is_silent else None
            if isinstance(problem, StashUnauthorized):
                self._stash.disconnect()
            self._set_conditions(self._conditions.get().config, str(problem))
            return
        self._silent_since = None
        if state.enabled and self._disabled_since is not None:
            self._ask_for_sweep("the plugin is enabled again")  # Stash has called no hook meanwhile
        self._disabled_since = None if state.enabled else (self._disabled_since or now)
        self._keep_session(state, client, now)
        self._apply(state, client)

    def _read_state(self, client: StashClient, now: float) -> PluginState:
        """Read our settings and what else tells of changes; the latter may fail, and may not cost Stash much."""
        if now >= self._next_snapshot_at:
            try:
                seen = client.snapshot(self._jobs.ids_to_ask_for)
                known = self._jobs.search_on(seen.jobs, client.known_jobs)
            except StashRefused as problem:  # its database is busy; our settings are not in it
                log.debug("Stash does not tell what has changed: %s", problem)
            else:
                self._next_snapshot_at = now + (self._clock.monotonic() - now) / SNAPSHOT_SHARE
                self._jobs.note(seen.plugin.jobs, known)
                self._changes.note(seen.scenes, seen.performers)
                return seen.plugin
        state = client.plugin_state()
        self._jobs.note(state.jobs)
        return state

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

    def _apply(self, state: PluginState, client: StashClient) -> None:
        self._page.tell_what_vanished(state)
        settings = settings_in_force(state.settings, self._folder)
        if settings.config is not None:  # before any work is begun by it
            self._redactor.learn(*(settings.config.target(name).key.get_secret_value() for name in TARGETS))
            self._keep_targets(settings.config.targets)
            self._redactor.hide_paths(on=settings.config.obfuscate_paths)
        self._page.keep_true(state, settings, client)
        keep_targets(self._folder, settings.config)
        self._warn(settings)
        problems = [*settings.problems, *path_map_problems(settings.config)]
        if not state.enabled:
            self._set_conditions(settings.config, "The plugin is disabled in Stash (Settings > Plugins).")
        elif settings.config is None or problems:
            self._set_conditions(settings.config, f"The settings need you: {' '.join(problems)}")
        elif not settings.config.enabled:
            self._set_conditions(
                settings.config, "Syncing is switched off (setting: enabled). Edits are queued meanwhile."
            )
        else:
            self._set_conditions(settings.config, None)

    def _keep_targets(self, names: tuple[str, ...]) -> None:
        """Let hooks know which targets are on; the process sees whether they are those that it was built for."""
        if names != self.targets:
            self._queue.keep_targets(names)
            self.targets = names

    def _set_conditions(self, config: Stash2PlexConfig | None, obstacle: str | None) -> None:
        if self._conditions.set(Conditions(config, obstacle)):
            log.log(logging.WARNING if obstacle else logging.INFO, "%s", obstacle or "Ready to work.")

    def _warn(self, settings: Settings) -> None:
        """Say once what a person should know of the settings although it stops nothing."""
        before, self.notice = self.notice, " ".join(settings.warnings) or None
        if self.notice and self.notice != before:
            log.warning("%s", self.notice)
