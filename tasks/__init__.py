"""What a person or a page asks of us through Stash: tasks and operations, one table, mode to function."""
