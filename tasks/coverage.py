"""The coverage of the path map: how many of Stash's files Plex has where the map leads, and some that it has not."""

from plex.path_map_derivation import MeasuredMap, derive_path_map, measure_path_map
from tasks.plex_desk import PlexDesk
from worker.plex_line import given_path_map, stash_files


def measure(plex: PlexDesk) -> MeasuredMap:
    """Compare all files of both sides under the person's map, or under the one that is derived from them."""
    stash, parts = list(stash_files(plex.stash)), plex.line.index(plex.config).sized_paths()
    given = given_path_map(plex.config)
    return derive_path_map(stash, parts) if given is None else measure_path_map(given, stash, parts)
