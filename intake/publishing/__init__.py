"""Having the servers show a file that is in its place: a port that Emby, Jellyfin and Plex stand behind."""
