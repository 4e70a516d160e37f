"""Everything that talks to Plex."""
