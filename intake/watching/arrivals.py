"""Arrivals: the files of a scan that are new, wanted and finished; the others with the reason why not."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from intake.watching.gate import GateRules, Refusal, refuse
from intake.watching.quiet import QuietTable
from intake.watching.root import Root
from intake.watching.scan import scan
from intake.watching.seen import SeenFile


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What one look at the folder has found. `look_again_at`, on the caller's clock, is infinity if nothing waits."""

    ready: tuple[SeenFile, ...]
    refused: tuple[tuple[SeenFile, Refusal], ...]
    troubles: tuple[Refusal, ...]
    look_again_at: float


class ArrivalFinder:
    """Looks at one watched folder, again and again."""

    def __init__(self, root: Root, rules: GateRules, quiet: QuietTable) -> None:
        self._root = root
        self._rules = rules
        self._quiet = quiet

    def find(self, is_known: Callable[[SeenFile], bool], now: float) -> Arrivals:
        """Scan, and let each file that is not known yet through the gate. What is ready stays so until it is known."""
        seen = scan(self._root, self._rules.ignored_folders)
        names: defaultdict[str, set[str]] = defaultdict(set)
        for file in seen.files:
            names[file.folder].add(file.name)
        ready: list[SeenFile] = []
        refused: list[tuple[SeenFile, Refusal]] = []
        waiting: set[str] = set()
        for file in sorted((one for one in seen.files if not is_known(one)), key=lambda one: one.relative):
            refusal = refuse(file, names[file.folder], self._rules)
            if refusal is None:
                waiting.add(file.path)
                refusal = self._quiet.look(file, now)
            if refusal is None:
                ready.append(file)
            else:
                refused.append((file, refusal))
        self._quiet.keep_only(waiting)
        return Arrivals(tuple(ready), tuple(refused), seen.troubles, self._quiet.look_again_at())
