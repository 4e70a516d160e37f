"""Where the sweep stands, in words, as the worker has left it in its state."""

from collections.abc import Mapping

from tasks.moments import ago
from validation.json_shapes import as_object


def sweep_words(sweep: Mapping[str, object], now: float) -> str:
    """Say what it is doing or waits for, and how the last whole one went."""
    last = as_object(sweep.get("last")) or {}
    told = ""
    if sweep.get("running"):
        told += f" A sweep is running, {sweep.get('seen')} scenes so far."
    elif sweep.get("waits_for_stash"):
        told += " The next sweep waits for Stash's own jobs to end."
    elif sweep.get("problem"):
        told += f" The last sweep was broken off and will be tried again: {sweep['problem']}"
    if isinstance(at := last.get("at"), float):
        told += f" The last whole sweep, {ago(at, now)}, compared {last.get('scenes')} scenes in "
        told += f"{last.get('seconds')} s and queued {last.get('differing')}."
    return told
