"""Where Plex sees the files that Stash sees: prefix rules, `/stash/prefix=>/plex/prefix; …`."""

from dataclasses import dataclass

from model.paths import SpelledPath, fold, is_windows, normalise, spelled
from model.sentences import quoted_path

ARROW = "=>"


class PathMapError(ValueError):
    """The text of a path map cannot be understood; all its problems, one sentence each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("path_map: " + "; ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class MapRule:
    """Whatever Stash has below `stash`, the server has below `target`. Both are normalised."""

    stash: str
    target: str

    def covers(self, folded_path: str) -> bool:
        prefix = fold(self.stash)
        return folded_path == prefix or folded_path.startswith(prefix + "/")

    def __str__(self) -> str:
        return f"{_shown(self.stash)}{ARROW}{_shown(self.target)}"

    def in_words(self) -> str:
        return f"{quoted_path(_shown(self.stash))} is {quoted_path(_shown(self.target))}"


@dataclass(frozen=True, slots=True)
class PathMap:
    """Rules, the longest prefix first; a path that no rule covers is the same on both sides.

    A map that was derived is a good guess, not a person's word: where it leads, sizes must not contradict.
    """

    rules: tuple[MapRule, ...] = ()
    is_derived: bool = False

    def to_target(self, stash_path: str) -> str:
        """Give the path under which Plex should know this file, normalised."""
        return self.lead(spelled(stash_path))[0]

    def lead(self, own: SpelledPath) -> tuple[str, bool]:
        """Give the path under which Plex should know this file, and whether only a derived rule says so."""
        rule = self._rule_of(own)
        if rule is None:
            return own.normal, False
        return rule.target + own.normal[len(rule.stash) :], self.is_derived

    def from_target(self, target_path: str) -> list[str]:
        """Give the paths that a file would have in Stash if `to_target` leads to this one, by whichever rule."""
        path = normalise(target_path)
        ruled = [rule.stash + path[len(rule.target) :] for rule in self.rules if path.startswith(f"{rule.target}/")]
        return [one for one in dict.fromkeys([*ruled, path]) if fold(self.to_target(one)) == fold(path)]

    def rule_for(self, path: str) -> MapRule | None:
        """Find the rule that says where this file of Stash's is, if one does."""
        return self._rule_of(spelled(path))

    def _rule_of(self, own: SpelledPath) -> MapRule | None:
        # A prefix of a Windows path is found without regard to case; one of a POSIX path with it.
        for rule in self.rules:
            if rule.covers(own.folded) and (own.is_windows or own.normal.startswith(rule.stash)):
                return rule
        return None

    def __str__(self) -> str:
        return "; ".join(map(str, self.rules))


def make_map(rules: list[MapRule], *, is_derived: bool = False) -> PathMap:
    """Build a map that tries the longest Stash prefix first, whatever the order given."""
    longest_first = sorted(rules, key=lambda rule: (-len(rule.stash), rule.stash, rule.target))
    return PathMap(tuple(longest_first), is_derived)


def parse_path_map(text: str) -> PathMap:
    """Read the setting; every problem is named, not only the first."""
    rules: list[MapRule] = []
    problems: list[str] = []
    for piece in text.replace("\n", ";").split(";"):
        if not piece.strip():
            continue
        rule = _parse_rule(piece.strip())
        if isinstance(rule, str):
            problems.append(rule)
        elif rule not in rules:
            rules.append(rule)
    problems.extend(_contradictions(rules))
    if problems:
        raise PathMapError(problems)
    return make_map(rules)


def _parse_rule(text: str) -> MapRule | str:
    """Give the rule, or the sentence that says what is wrong with it."""
    sides = [side.strip() for side in text.split(ARROW)]
    if len(sides) != 2:  # noqa: PLR2004 - a rule has two sides
        return f"{quoted_path(text)} must read /stash/prefix{ARROW}/plex/prefix"
    if not all(sides):
        return f"{quoted_path(text)} lacks the {'Stash' if not sides[0] else 'Plex'} prefix"
    for side, name in zip(sides, ("Stash", "Plex"), strict=True):
        if not side.startswith("/") and not is_windows(side):
            return f"{quoted_path(side)} is no absolute {name} path"
    return MapRule(normalise(sides[0]), normalise(sides[1]))


def _contradictions(rules: list[MapRule]) -> list[str]:
    first: dict[str, MapRule] = {}
    found: list[str] = []
    for rule in rules:
        earlier = first.setdefault(rule.stash, rule)
        if earlier.target != rule.target:
            stash, one, other = (quoted_path(_shown(prefix)) for prefix in (rule.stash, earlier.target, rule.target))
            found.append(f"{stash} cannot be both {one} and {other}")
    return found


def _shown(prefix: str) -> str:
    return prefix or "/"
