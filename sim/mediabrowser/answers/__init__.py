"""The answers of the simulated server, one file for each part of its API."""
