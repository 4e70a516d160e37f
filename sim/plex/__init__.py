"""A Plex Media Server that exists only here, with the quirks (and the bad ones) of the real one."""
