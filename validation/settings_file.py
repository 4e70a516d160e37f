"""The settings that stand in `stash2plex.json`, as JSON says them. Standard library only: intake is a small process."""

import json
from typing import Any, cast


def parse_settings_file(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read the file's text; return what it sets and what is wrong with it as a whole."""
    try:
        text = text.removeprefix("\ufeff")  # some editors of Windows put it before every text
        values: object = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return {}, ("stash2plex.json is no JSON; correct it or delete it.",)
    if not isinstance(values, dict):
        return {}, ("stash2plex.json must hold an object with settings; correct it or delete it.",)
    return cast("dict[str, Any]", values), ()
