"""Plugins: their manifests, and how Stash runs them."""
