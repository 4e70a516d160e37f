"""The verdict: what a sync makes of a scene on a target."""

from enum import StrEnum


class Verdict(StrEnum):
    """What becomes of a scene, in the word that a person reads."""

    CHANGES = "would change"
    RIGHT = "right"
    UNMATCHED = "unmatched"
    AMBIGUOUS = "ambiguous"
    REFUSED = "refused"
    SKIPPED = "skipped"
