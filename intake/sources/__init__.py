"""Where a file's metadata comes from: a port, and what is behind it."""
