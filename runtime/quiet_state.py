"""State that is kept on disk if the disk lets us: work goes on without it."""

import logging
from typing import Any

from runtime.state_file import remove_state, write_state

log = logging.getLogger(__name__)


def save_quietly(path: str, state: dict[str, Any]) -> bool:
    """Write it; say so in the log if that cannot be done. What is in memory still counts."""
    try:
        write_state(path, state)
    except OSError as error:
        log.warning("%s could not be written: %s.", path, error.strerror)
        return False
    return True


def remove_quietly(path: str) -> None:
    try:
        remove_state(path)
    except OSError as error:
        log.warning("%s could not be removed: %s.", path, error.strerror)
