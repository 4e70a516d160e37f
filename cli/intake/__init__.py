"""What is typed after `Stash2Plex.py intake`."""
