"""Which targets are on, and where they are, as the settings said last. Standard library only, and little of it.

Stash has the settings, and asking it takes a network; so those who read them (the worker every few seconds, the action
that saves them) leave here what the status needs.
"""

from __future__ import annotations

from model.targets import PLEX, TARGETS, TITLES
from runtime.record import dataclass
from validation.json_shapes import as_object, as_text


@dataclass(frozen=True, slots=True)
class KnownTarget:
    """One target. `is_on`: it has an address and what opens it."""

    target: str
    is_on: bool
    url: str | None = None

    @property
    def name(self) -> str:
        return TITLES[self.target]


@dataclass(frozen=True, slots=True)
class KnownTargets:
    """All targets, in the order of TARGETS. `is_enabled`: the main switch. `is_known`: the settings have been read."""

    targets: tuple[KnownTarget, ...]
    is_enabled: bool = True
    is_known: bool = True

    @property
    def on(self) -> tuple[str, ...]:
        """Name those that are on; Plex, if none is: a person then learns what it lacks."""
        return tuple(one.target for one in self.targets if one.is_on) or (PLEX,)


def targets_from(state: dict[str, object]) -> KnownTargets:
    """Read what was kept; of a state that makes no sense, Plex is on, and its address is not known."""
    kept = as_object(state.get("targets"))
    if kept is None:
        return KnownTargets((KnownTarget(PLEX, is_on=True),), is_known=False)
    known = tuple(_target(name, as_object(kept[name]) or {}) for name in TARGETS if name in kept)
    return KnownTargets(known, state.get("is_enabled") is not False)


def targets_in(config: object) -> KnownTargets:
    """Read from the settings in force which targets are on; from None, settings that cannot be used, none is."""
    on: tuple[str, ...] = getattr(config, "targets", (PLEX,) if config is not None else ())
    known = tuple(KnownTarget(name, name in on, getattr(config, f"{name}_url", "") or None) for name in TARGETS)
    return KnownTargets(known, getattr(config, "enabled", True))


def state_of(known: KnownTargets) -> dict[str, object]:
    """Return what is to be kept."""
    targets = {one.target: {"is_on": one.is_on, "url": one.url} for one in known.targets}
    return {"targets": targets, "is_enabled": known.is_enabled}


def _target(name: str, raw: dict[str, object]) -> KnownTarget:
    return KnownTarget(name, raw.get("is_on") is True, as_text(raw.get("url")) or None)
