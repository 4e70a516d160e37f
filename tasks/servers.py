"""The way from an action to Stash and to targets: packages first, then the settings, then the servers.

What needs a package is imported after `load_packages`: it may just have been installed.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from model.user_error import UserError
from runtime.packages import INSTALLING, PackageLoader, PackagesMissing
from tasks.context import TaskContext
from tasks.wording import ended

if TYPE_CHECKING:
    from stash.client import StashClient
    from sync.context import TargetContext
    from sync.stash_connection import StashConnection
    from validation.config import Settings, Stash2PlexConfig


def load_packages(context: TaskContext) -> None:
    """Have the packages importable, or say what to do."""
    try:
        PackageLoader(context.folder).load()
    except PackagesMissing as problem:
        raise UserError(str(problem)) from problem


def describe_packages(context: TaskContext) -> str:
    """Say, where an action only queues, why nothing happens yet: the worker's packages are not there."""
    loader = PackageLoader(context.folder)
    if not loader.missing():
        return ""
    return f" {INSTALLING if loader.is_installing() else loader.problem() or INSTALLING}"


@contextmanager
def open_stash(context: TaskContext) -> Generator[StashConnection]:
    """Open the connection to Stash; it is asked when its client is."""
    load_packages(context)
    from sync.stash_connection import StashConnection  # noqa: PLC0415 - only now are its packages sure to be there
    from sync_queue.manager import QueueManager  # noqa: PLC0415 - as above

    with closing(QueueManager(context.folder.queue_dir)) as queue:
        connection = StashConnection(queue)
        try:
            yield connection
        finally:
            connection.disconnect()


def settings_of(context: TaskContext, client: StashClient) -> Settings:
    """Resolve the settings as the worker does, and note whether paths are to be hidden in logs."""
    from runtime.privacy.path_pseudonyms import remember_choice  # noqa: PLC0415 - as above
    from sync.settings import settings_in_force  # noqa: PLC0415 - as above

    settings = settings_in_force(client.plugin_state().settings, context.folder)
    if settings.config is not None:
        remember_choice(context.folder, hide=settings.config.obfuscate_paths)
    return settings


def describe_settings(settings: Settings) -> str:
    return f"The settings need you: {' '.join(settings.problems)}"


def usable_config(context: TaskContext, client: StashClient) -> Stash2PlexConfig:
    """Return the settings in force, or say what is wrong with them."""
    settings = settings_of(context, client)
    if settings.config is None or settings.problems:
        raise UserError(describe_settings(settings))
    return settings.config


@contextmanager
def open_targets(context: TaskContext, chosen: str | None) -> Generator[list[TargetContext]]:
    """Open the targets that an action is about; what a server or a ledger complains of becomes a sentence."""
    load_packages(context)
    from model.errors import TargetError  # noqa: PLC0415 - as above
    from stash.exceptions import StashError  # noqa: PLC0415 - as above
    from sync.connection import BadPathMap  # noqa: PLC0415 - as above

    try:
        with open_stash(context) as stash, ExitStack() as opened:
            config = usable_config(context, stash.client())
            targets: list[TargetContext] = []
            for name in context.targets(chosen):
                opened.enter_context(context.ledger_errors(name))
                opening = context.opening().open_target(context.folder, config, name, stash, context.reporter)
                targets.append(opened.enter_context(opening))
            yield targets
    except (StashError, TargetError, BadPathMap) as problem:
        raise UserError(ended(str(problem))) from problem


@contextmanager
def open_target(context: TaskContext, chosen: str | None) -> Generator[TargetContext]:
    """Open the one target that an action is about."""
    with open_targets(context, context.one_target(chosen)) as (target,):
        yield target
