"""The simulated Stash and Plex that tests, benchmarks and the demo run on."""
