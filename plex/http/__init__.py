"""Requests to Plex and its answers: one session, lazy connection, XML within bounds."""
