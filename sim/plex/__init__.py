"""A Plex Media Server that exists only here, with the manners (and the bad ones) of the real one."""
