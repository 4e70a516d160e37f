"""The merges: three ways for a scalar, by element for a set. Pure, and blind to what the fields are called."""

from collections.abc import Sequence
from dataclasses import dataclass

from model.item import name_key, same_text
from plan.decision import Why


@dataclass(frozen=True, slots=True)
class ScalarSides:
    """The three sides of a scalar. `ours` is what we wrote last, None if we never did."""

    stash: str
    shown: str
    ours: str | None
    is_locked: bool
    has_locks: bool = True  # where the server has no such lock, a missing one says nothing
    is_personal: bool = False  # a person alone fills it in, as no agent knows what to put there


def is_same(one: str, other: str) -> bool:
    """Tell whether two texts are one, spaces and forms of accents aside; mostly they are equal."""
    return one == other or same_text(one, other)


def merge_scalar(sides: ScalarSides, *, preserve: bool) -> Why:
    """Decide whether Stash's value goes in.

    A person's edit locks the field; a refresh or a rebuild changes only what is not locked. So a value that is not ours
    and not locked was not chosen by anybody. Where there is no lock, a value that took the place of ours was chosen.
    """
    if is_same(sides.stash, sides.shown) and not _is_spaced_anew(sides):
        return Why.RIGHT
    if not sides.stash:
        is_still_ours = sides.ours is not None and is_same(sides.ours, sides.shown)
        return Why.REMOVED if is_still_ours else Why.STASH_EMPTY
    is_a_persons = sides.is_locked or sides.is_personal
    if sides.ours is None:
        return Why.SERVER_EDIT if sides.shown and is_a_persons and preserve else Why.NEW
    if is_same(sides.ours, sides.shown):
        return Why.CHANGED
    is_chosen = sides.is_locked or (bool(sides.shown) and (sides.is_personal or not sides.has_locks))
    return _after_change_in_plex(sides, is_chosen=is_chosen, preserve=preserve)


def _is_spaced_anew(sides: ScalarSides) -> bool:
    """Tell whether Stash's text differs from what we wrote last in line breaks or spaces alone.

    It is sent then, and once only: where the server folds them, the baseline still knows what was sent.
    """
    is_anew = sides.ours is not None and sides.ours != sides.stash and is_same(sides.ours, sides.stash)
    return is_anew and sides.shown != sides.stash


def _after_change_in_plex(sides: ScalarSides, *, is_chosen: bool, preserve: bool) -> Why:
    stash_changed = not is_same(sides.stash, sides.ours or "")
    if not is_chosen:
        return Why.CHANGED if stash_changed else Why.LOST
    if not stash_changed:
        return Why.SERVER_EDIT if preserve else Why.LOST
    return Why.SERVER_WINS if preserve else Why.STASH_WINS


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
    """What one source of names does to a list: adds, takes out, leaves out for a person; what is its own afterwards."""

    wanted: tuple[str, ...]
    add: tuple[str, ...]
    remove: tuple[str, ...]
    left_out: tuple[str, ...]
    ours: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetSides:
    """The sides of a list, for one source of names.

    `ours` is what this source added, `found` what it wanted and others had put there. `beside` is what any source of
    ours added to the same list: if this one wants it too, it is ours as well. `is_guarded`: a person's edits are
    preserved, and the list is locked, as it is where one edited it, or has no lock; a refresh or a rebuild changes no
    locked list.
    """

    stash: Sequence[str]
    shown: Sequence[str]
    ours: Sequence[str] = ()
    found: Sequence[str] = ()
    beside: Sequence[str] = ()
    is_guarded: bool = False


def merge_set(sides: SetSides) -> SetMerge:
    """Add what Stash has, take out only what we once added. What others put there stays.

    What was there at the last sync, and is not shown by a guarded list, a person took out. It stays out as long as
    Stash has the name.
    """
    wanted, shown, own = folded(sides.stash), folded(sides.shown), folded(sides.ours)
    known = folded([*sides.beside, *sides.ours]).keys()
    absent = wanted.keys() - shown.keys()
    left_out = absent & (known | folded(sides.found).keys()) if sides.is_guarded else set[str]()
    is_ours = known | (absent - left_out)
    return SetMerge(
        wanted=tuple(wanted.values()),
        add=tuple(name for key, name in wanted.items() if key in absent - left_out),
        remove=tuple(shown[key] for key in own if key in shown and key not in wanted),
        left_out=tuple(name for key, name in wanted.items() if key in left_out),
        ours=tuple(name for key, name in wanted.items() if key in is_ours),
        found=tuple(name for key, name in wanted.items() if key not in is_ours),
    )


def folded(names: Sequence[str]) -> dict[str, str]:
    """Key names by what they are compared by; the first spelling stays."""
    keyed: dict[str, str] = {}
    for name in names:
        keyed.setdefault(name_key(name), name)
    return keyed
