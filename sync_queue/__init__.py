"""Jobs on disk."""
