"""What is done to one scene on one target: prepare, match, decide, apply, record; pictures; undo; preview."""
