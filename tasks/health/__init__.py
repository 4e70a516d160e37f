"""Every part that must work, looked at."""
