"""Scenes: listed, explained, previewed, queued, mapped by hand, left out."""
