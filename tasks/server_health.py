"""The health of the two servers: Stash and Plex are asked, and say OK or what to do."""

from collections.abc import Iterator

from plex.client import PlexClient
from plex.device_identity import load_identity
from plex.exceptions import PlexError
from plex.library import choose_libraries
from runtime.folder import DataFolder
from runtime.state_file import read_text
from runtime.version import VERSION
from stash.client import StashClient
from stash.exceptions import StashError
from sync_queue.session import Session
from validation.config import Stash2PlexConfig, read_settings
from worker.plex_line import path_map_problems

Said = tuple[str, bool, str]


def check_servers(session: Session, folder: DataFolder) -> Iterator[Said]:
    """Ask Stash; if it answers, look at the settings; if they are complete, ask Plex."""
    client = StashClient(session)
    try:
        state = client.plugin_state()
    except StashError as problem:
        yield "Stash", False, str(problem)
        return
    finally:
        client.close()
    yield "Stash", True, f"OK, at {session.scheme}://{session.host}:{session.port}."
    settings = read_settings(state.settings, read_text(folder.settings_file))
    problems = [*settings.problems, *path_map_problems(settings.config)]
    yield "Settings", not problems, " ".join(problems) or "OK."
    if settings.config is not None:
        yield _plex(settings.config, folder)


def _plex(config: Stash2PlexConfig, folder: DataFolder) -> Said:
    client = PlexClient(
        config.plex_url,
        config.plex_token.get_secret_value(),
        load_identity(folder.root, VERSION),
        connect_timeout=config.connect_timeout,
        read_timeout=config.read_timeout,
    )
    try:
        server = client.identify()
        libraries = choose_libraries(config.plex_library, client.libraries())
    except PlexError as problem:
        return "Plex", False, f"{problem}."
    finally:
        client.close()
    named = ", ".join(library.title for library in libraries)
    return "Plex", True, f"OK, '{server.name}' {server.version}; libraries: {named}."
