"""The version of this code; the manifest, pyproject.toml and the changelog are held to it by a test."""

VERSION = "0.1.0"
