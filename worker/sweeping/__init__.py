"""The sweep: a walk over all scenes that finds what no hook told."""
