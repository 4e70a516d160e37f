"""Taking back what was written."""
