"""Writing: an item changed and sent back whole."""
