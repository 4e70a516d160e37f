"""The library: items, tags, pictures, edits, and the scans that find files."""
