"""The targets there can be: servers that show what Stash says, by the name under which settings and files know them."""

PLEX, EMBY, JELLYFIN = "plex", "emby", "jellyfin"
TARGETS = (PLEX, EMBY, JELLYFIN)
TITLES = {PLEX: "Plex", EMBY: "Emby", JELLYFIN: "Jellyfin"}
PATH_MAP_OF = {PLEX: "path_map", EMBY: "emby_path_map", JELLYFIN: "jellyfin_path_map"}
"""The setting that holds the path map of each."""
