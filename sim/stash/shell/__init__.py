"""The browser's side of the simulated Stash: its web app's shell, behind a proxy with a path prefix."""
