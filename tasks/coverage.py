"""The coverage of the path map: how many of Stash's files Plex has where the map leads, and some that it has not."""

from plex.path_map import PathMapError, parse_path_map
from plex.path_map_derivation import MeasuredMap, SizedPath, derive_path_map, measure_path_map
from tasks.plex_desk import PlexDesk
from worker.plex_line import BadPathMap


def measure(plex: PlexDesk) -> MeasuredMap:
    """Compare all files of both sides under the person's map, or under the one that is derived from them."""
    stash = [SizedPath(path, size) for page in plex.stash.scene_files() for path, size in page]
    parts = plex.line.index(plex.config).sized_paths()
    if not plex.config.path_map:
        return derive_path_map(stash, parts)
    try:
        return measure_path_map(parse_path_map(plex.config.path_map), stash, parts)
    except PathMapError as error:
        raise BadPathMap(str(error)) from error
