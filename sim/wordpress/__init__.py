"""A simulated WordPress with the plug-ins that the search and its tokens come from."""
