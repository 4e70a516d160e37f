"""Finding the data folder from a terminal, where no Stash says where it is."""

import os

from model.user_error import UserError
from runtime.folder import NAME, OVERRIDE, DataFolder
from runtime.launch import entry_script


def find_folder() -> DataFolder:
    """Return the folder that the plugin uses, and never a new one: that would say "the queue is empty"."""
    if chosen := os.environ.get(OVERRIDE):
        return DataFolder(chosen)
    candidates = [os.path.join(parent, NAME) for parent in _parents(os.path.dirname(entry_script()))]
    candidates.append(os.path.join(os.path.expanduser("~"), ".stash", NAME))
    for candidate in candidates:
        if os.path.isdir(os.path.join(candidate, "queue")):
            return DataFolder(candidate)
    raise UserError(
        "The data folder was not found above the plugin's folder nor in ~/.stash. It is the folder stash2plex beside "
        "Stash's config.yml; name it with --data-dir. (It is made by the first Save or task.)"
    )


def _parents(path: str) -> list[str]:
    parents = [os.path.dirname(path)]
    while os.path.dirname(parents[-1]) != parents[-1]:
        parents.append(os.path.dirname(parents[-1]))
    return parents
