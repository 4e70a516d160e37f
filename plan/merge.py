"""The merges: three ways for a scalar, by element for a set. Pure, and blind to what the fields are called."""

from collections.abc import Sequence
from dataclasses import dataclass

from plan.decision import Why
from plex.item import same_text


@dataclass(frozen=True, slots=True)
class ScalarSides:
    """The three sides of a scalar. `ours` is what we wrote last, None if we never did."""

    stash: str
    plex: str
    ours: str | None
    is_locked: bool
    has_locks: bool = True  # a rating has none, so a missing lock says nothing of it


def merge_scalar(sides: ScalarSides, *, preserve: bool) -> Why:
    """Decide whether Stash's value goes in.

    A person's edit in Plex locks the field; a refresh or a rebuild changes only what is not locked. So a value that is
    not ours and not locked was not chosen by anybody.
    """
    if same_text(sides.stash, sides.plex) and not _is_spaced_anew(sides):
        return Why.RIGHT
    if not sides.stash:
        is_still_ours = sides.ours is not None and same_text(sides.ours, sides.plex)
        return Why.REMOVED if is_still_ours else Why.STASH_EMPTY
    is_chosen_in_plex = bool(sides.plex) and (sides.is_locked or not sides.has_locks)
    if sides.ours is None:
        return Why.PLEX_EDIT if is_chosen_in_plex and preserve else Why.NEW
    if same_text(sides.ours, sides.plex):
        return Why.CHANGED
    return _after_change_in_plex(sides, is_chosen=is_chosen_in_plex or sides.is_locked, preserve=preserve)


def _is_spaced_anew(sides: ScalarSides) -> bool:
    """Tell whether Stash's text differs from what we wrote last in line breaks or spaces alone.

    It is sent then, and once only: where Plex folds them, the baseline still knows what was sent.
    """
    is_anew = sides.ours is not None and sides.ours != sides.stash and same_text(sides.ours, sides.stash)
    return is_anew and sides.plex != sides.stash


def _after_change_in_plex(sides: ScalarSides, *, is_chosen: bool, preserve: bool) -> Why:
    stash_changed = not same_text(sides.stash, sides.ours or "")
    if not is_chosen:
        return Why.CHANGED if stash_changed else Why.LOST
    if not stash_changed:
        return Why.PLEX_EDIT if preserve else Why.LOST
    return Why.PLEX_WINS if preserve else Why.STASH_WINS


def is_ours_now(sides: ScalarSides, why: Why) -> str | None:
    """Return what counts as written by us after this decision.

    A locked value that equals Stash's is taken for ours: after a lost ledger it would otherwise pass for a person's.
    """
    if why.writes:
        return sides.stash
    if why is Why.RIGHT and (sides.ours is not None or sides.is_locked):
        return sides.stash
    return sides.ours


@dataclass(frozen=True, slots=True)
class SetMerge:
    """What one source of names does to a list: adds, takes out, and holds as its own afterwards."""

    wanted: tuple[str, ...]
    add: tuple[str, ...]
    remove: tuple[str, ...]
    ours: tuple[str, ...]


def merge_set(stash: Sequence[str], plex: Sequence[str], ours: Sequence[str], beside: Sequence[str] = ()) -> SetMerge:
    """Add what Stash has, take out only what we once added. What others put there stays.

    `beside` is what another source of ours added to the same list: if this one wants it too, it is ours as well.
    """
    wanted, shown, own = folded(stash), folded(plex), folded(ours)
    known = {**folded(beside), **own}
    return SetMerge(
        wanted=tuple(wanted.values()),
        add=tuple(name for key, name in wanted.items() if key not in shown),
        remove=tuple(shown[key] for key in own if key in shown and key not in wanted),
        ours=tuple(name for key, name in wanted.items() if key in known or key not in shown),
    )


def folded(names: Sequence[str]) -> dict[str, str]:
    """Key names as Plex compares them, without regard to case; the first spelling stays."""
    keyed: dict[str, str] = {}
    for name in names:
        keyed.setdefault(name.casefold(), name)
    return keyed
