"""What we know and did: scene states, baselines, pictures, the journal."""
