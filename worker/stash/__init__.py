"""The watch on Stash: settings, its own jobs, what has changed without a hook."""
