"""An update of an item, and what it can wipe."""
