"""The health of the servers: Stash and the targets are asked, and say OK or what to do."""

from collections.abc import Iterator

from matching.libraries import choose_libraries, missing_libraries
from model.errors import LibraryNotFound, TargetError
from model.targets import TITLES
from plan.fields import wants_collections
from stash.client import StashClient
from stash.exceptions import StashError
from sync.connection import path_map_problems
from sync.context import AskedServer
from sync.settings import settings_in_force
from sync_queue.session import Session
from tasks.answers import Finding
from tasks.context import TaskContext
from tasks.health.check import failed, passed
from validation.config import Stash2PlexConfig


def check_servers(
    context: TaskContext, session: Session, targets: tuple[str, ...], *, thorough: bool = True
) -> Iterator[Finding]:
    """Ask Stash; if it answers, look at the settings; if they are complete, ask each target.

    If `thorough`, say also what in its options works against us, though it keeps nothing from being sent.
    """
    client = StashClient(session)
    try:
        state = client.plugin_state()
    except StashError as problem:
        yield failed("Stash", str(problem))
        return
    finally:
        client.close()
    yield passed("Stash", f"at {session.url}.")
    settings = settings_in_force(state.settings, context.folder)
    problems = [*settings.problems, *path_map_problems(settings.config), *settings.warnings]
    yield failed("Settings", " ".join(problems)) if problems else passed("Settings")
    if settings.config is not None:
        for target in targets:
            yield from _target(context, settings.config, target, thorough=thorough)


def _target(context: TaskContext, config: Stash2PlexConfig, target: str, *, thorough: bool) -> Iterator[Finding]:
    name = TITLES[target]
    try:
        with context.opening().open_server(context.folder, config, target) as server:
            identity = server.identify()
            url = getattr(config, f"{target}_url")
            yield passed(name, f"'{identity.name}' {identity.version} at {url}.", target)
            yield _rights(server, target)
            yield _libraries(server, getattr(config, f"{target}_library"), target)
            if thorough:
                yield from _options(server, config, target)
    except LibraryNotFound as problem:
        yield failed("Libraries", f"{problem}.", target)
    except TargetError as problem:
        yield failed(name, f"{problem}.", target)


def _libraries(server: AskedServer, wanted: str, target: str) -> Finding:
    libraries = server.libraries()
    chosen = choose_libraries(wanted, libraries, TITLES[target])
    said = ", ".join(f"'{library.title}' ({library.type})" for library in chosen)
    missing = ", ".join(f"'{name}'" for name in missing_libraries(wanted, libraries))
    if missing:
        return failed("Libraries", f"{said}; none is called {missing}.", target)
    return passed("Libraries", f"{said}.", target)


def _options(server: AskedServer, config: Stash2PlexConfig, target: str) -> Iterator[Finding]:
    chosen = choose_libraries(config.target(target).library, server.libraries())
    advice = server.advice({one.key for one in chosen}, with_collections=wants_collections(config))
    for sentence in advice:
        yield failed("Library options", f"{sentence}.", target)
    if not advice and target != "plex":
        yield passed("Library options", target=target)


def _rights(server: AskedServer, target: str) -> Finding:
    part, whose = ("Token", "the owner's") if target == "plex" else ("Key", "an administrator's")
    if server.may_edit():
        return passed(part, f"{whose}; it may edit.", target)
    advice = (
        f"It is not {whose}, so {TITLES[target]} lets it read and not edit. Take {whose} {part.lower()} (see README)."
    )
    return failed(part, advice, target)
