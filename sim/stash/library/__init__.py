"""What the simulated Stash holds, how it is found, and what happens to it without a Save."""
