"""What was done: the journal, undo, and what tasks left."""
