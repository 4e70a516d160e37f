"""The pictures of a scene on their way to its item."""
