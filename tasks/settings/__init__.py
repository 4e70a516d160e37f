"""Settings, libraries, the path map, and what is remembered of servers."""
