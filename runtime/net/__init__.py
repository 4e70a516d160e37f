"""What is let in from a network, and what its faults are called."""
