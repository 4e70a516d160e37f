"""The health of the two servers: Stash and Plex are asked, and say OK or what to do."""

from collections.abc import Iterator

from plex.client import PlexClient
from plex.device_identity import load_identity
from plex.exceptions import LibraryNotFound, PlexError
from plex.library import choose_libraries, missing_libraries
from runtime.folder import DataFolder
from runtime.state_file import read_text
from runtime.version import VERSION
from stash.client import StashClient
from stash.exceptions import StashError
from sync_queue.session import Session
from tasks.finding import Finding, ill, well
from validation.config import Stash2PlexConfig, read_settings
from worker.plex_line import path_map_problems


def check_servers(session: Session, folder: DataFolder) -> Iterator[Finding]:
    """Ask Stash; if it answers, look at the settings; if they are complete, ask Plex."""
    client = StashClient(session)
    try:
        state = client.plugin_state()
    except StashError as problem:
        yield ill("Stash", str(problem))
        return
    finally:
        client.close()
    yield well("Stash", f"at {session.url}.")
    settings = read_settings(state.settings, read_text(folder.settings_file))
    problems = [*settings.problems, *path_map_problems(settings.config)]
    yield ill("Settings", " ".join(problems)) if problems else well("Settings")
    if settings.config is not None:
        yield from _plex(settings.config, folder)


def _plex(config: Stash2PlexConfig, folder: DataFolder) -> Iterator[Finding]:
    client = PlexClient(
        config.plex_url,
        config.plex_token.get_secret_value(),
        load_identity(folder.root, VERSION),
        connect_timeout=config.connect_timeout,
        read_timeout=config.read_timeout,
    )
    try:
        server = client.identify()
        yield well("Plex", f"'{server.name}' {server.version} at {config.plex_url}.")
        yield _rights(client)
        libraries = client.libraries()
        chosen = choose_libraries(config.plex_library, libraries)
        told = ", ".join(f"'{library.title}' ({library.type})" for library in chosen)
        missing = ", ".join(f"'{name}'" for name in missing_libraries(config.plex_library, libraries))
        yield ill("Libraries", f"{told}; none is called {missing}.") if missing else well("Libraries", f"{told}.")
    except LibraryNotFound as problem:
        yield ill("Libraries", f"{problem}.")
    except PlexError as problem:
        yield ill("Plex", f"{problem}.")
    finally:
        client.close()


def _rights(client: PlexClient) -> Finding:
    if client.is_owner():
        return well("Token", "the owner's; it may edit.")
    return ill(
        "Token", "It is not the owner's, so Plex lets it read and not edit. Take the owner's token (see README)."
    )
