"""The socket and the site: who may see what."""
