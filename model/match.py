"""A match: which item a scene is, how sure that is, and what was turned down."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from model.item import Part


class MatchConfidence(IntEnum):
    """How sure we are; only HIGH is written under `strict_matching`."""

    NONE = 0
    LOW = 1
    HIGH = 2


class MatchRule(StrEnum):
    """What decided."""

    PINNED = "pinned"
    EXACT_PATH = "exact_path"
    SUFFIX_SIZE = "suffix_size"
    NAME_SIZE = "name_size"
    NAME_DURATION = "name_duration"
    NAME_ONLY = "name_only"
    AMBIGUOUS = "ambiguous"
    NOTHING = "nothing"

    @property
    def score(self) -> float:
        """How much it counts against another rule."""
        return _SCORES[self]


_SCORES = {
    MatchRule.PINNED: 1.0,
    MatchRule.EXACT_PATH: 0.95,
    MatchRule.SUFFIX_SIZE: 0.9,
    MatchRule.NAME_SIZE: 0.8,
    MatchRule.NAME_DURATION: 0.7,
    MatchRule.NAME_ONLY: 0.4,
    MatchRule.AMBIGUOUS: 0.2,
    MatchRule.NOTHING: 0.0,
}
_HIGH_RULES = frozenset(rule for rule, score in _SCORES.items() if score >= _SCORES[MatchRule.NAME_DURATION])


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """A candidate that was not taken, and why."""

    part: Part
    why: str


@dataclass(frozen=True, slots=True)
class Match:
    """The answer, fit to be shown to a person."""

    rule: MatchRule
    item_id: str | None = None
    part: Part | None = None
    turned_down: tuple[TurnedDown, ...] = ()
    also: tuple["Match", ...] = ()  # other items that files of this scene surely are
    other_parts: tuple[str, ...] = ()  # files of the item that are not this scene's: it may be shared
    note: str = ""

    @property
    def all(self) -> "tuple[Match, ...]":
        """All items that are the scene's, the main one first."""
        return (self, *self.also)

    @property
    def confidence(self) -> MatchConfidence:
        if self.rule is MatchRule.NOTHING:
            return MatchConfidence.NONE
        return MatchConfidence.HIGH if self.rule in _HIGH_RULES else MatchConfidence.LOW

    @property
    def score(self) -> float:
        return self.rule.score

    @property
    def candidates(self) -> tuple[str, ...]:
        """All items a person may choose from, the matched one first."""
        rest = sorted({refused.part.item_id for refused in self.turned_down} - {self.item_id})
        return (self.item_id, *rest) if self.item_id is not None else tuple(rest)


class Verdict(StrEnum):
    """What becomes of a scene, in the word that a person reads."""

    CHANGES = "would change"
    RIGHT = "right"
    UNMATCHED = "unmatched"
    AMBIGUOUS = "ambiguous"
    REFUSED = "refused"
    SKIPPED = "skipped"
