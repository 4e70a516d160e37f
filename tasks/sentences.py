"""Sentences: what others say may lack its full stop."""


def ended(text: str) -> str:
    """Return the text with a stop at its end: Plex's errors have none."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
