"""What needs a person, from the numbers and sentences of a status. Pure."""

from __future__ import annotations

from model.sentences import counted
from runtime.record import dataclass
from tasks.answers import Need, TargetStatus, WorkerStatus

TYPE_CHECKING = False  # typing takes time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS_NEED = "The settings need you"  # how the worker begins to say so
SWITCHED_OFF = "Syncing is switched off"
TRIED_AGAIN = "It is tried again."
NOT_SET_UP = "No server is set up yet: say where your Plex, Emby or Jellyfin is."
_STATES = {
    "ambiguous": ("could each be several items in", "could be one of several items in", "choose by hand"),
    "refused": ("have a value that does not go into", "has a value that does not go into", "correct it in Stash"),
    "failed": ("could not be written to", "could not be written to", "mend the cause and try again"),
    "waiting": ("are not found in", "is not found in", "not scanned yet, or the path map is wrong"),
}


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the worker says beside the numbers."""

    is_set_up: bool
    is_enabled: bool
    worker: WorkerStatus
    outages: tuple[str, ...]


def needs_you(
    conditions: Conditions, targets: tuple[TargetStatus, ...], need_access: frozenset[str]
) -> tuple[Need, ...]:
    """List what only a person can mend, the most urgent first. `need_access`: servers that refuse our key or token."""
    return (*_of_worker(conditions), *(need for one in targets if one.is_on for need in _of_target(one, need_access)))


def _of_worker(conditions: Conditions) -> Iterator[Need]:
    said = conditions.worker.obstacle or ""
    if not conditions.is_set_up:
        yield Need(None, "settings", 1, NOT_SET_UP, "settings", None)
    elif said.startswith(SETTINGS_NEED):
        yield Need(None, "settings", 1, said, "settings", None)
    elif _is_workers_own(said, conditions):
        yield Need(None, "worker", 1, said, "overview", None)


def _is_workers_own(said: str, conditions: Conditions) -> bool:
    """Tell whether this is neither a server's fault, which passes, nor what the person wanted."""
    if not said or conditions.worker.is_installing or said.endswith(TRIED_AGAIN) or said.startswith(SWITCHED_OFF):
        return False
    return not any(said in outage or outage in said for outage in conditions.outages)


def _of_target(target: TargetStatus, need_access: frozenset[str]) -> Iterator[Need]:
    if target.outage and target.target in need_access:
        yield Need(target.target, "access", 1, target.outage, "settings", None)
    for state, (several, one, to_do) in _STATES.items():
        if number := getattr(target.scenes, state):
            what = one if number == 1 else several
            sentence = f"{counted(number, 'scene')} {what} {target.name}: {to_do}."
            yield Need(target.target, state, number, sentence, "problems", state)
    if target.pictures:
        yield Need(target.target, "pictures", 1, target.pictures, "overview", None)
