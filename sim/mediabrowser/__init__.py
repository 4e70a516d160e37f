"""An Emby or Jellyfin server that exists only here, with the quirks of the real ones."""
