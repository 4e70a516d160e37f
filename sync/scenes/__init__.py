"""The words of a scene on their way to its items."""
