"""The pictures of items: files on the server, and what it showed before us."""
