"""How many codes are found right in the names of other projects' tests, and in how many names that hold none.

Usage: python bench/score_codes.py [FOLDER]   (codes.tsv: file name, code, source; no-codes.txt: a name a line)
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.support.promises import Promise, judge  # noqa: E402 - a script finds the project beside it
from intake.naming.codes import Candidate, find_codes, read_code  # noqa: E402

FOLDER = ROOT.parent / "shared" / "samples" / "codes"
LEAST_RIGHT, LEAST_CERTAIN, MOST_INVENTED = 97.0, 84.0, 1.0


@dataclass(frozen=True)
class Row:
    name: str
    expected: str
    source: str
    found: Candidate | None

    @property
    def right(self) -> bool:
        if self.found is None or not self.expected:
            return self.found is None and not self.expected
        return self.found.code.key == read_code(self.expected).key

    @property
    def right_by_certain_finds(self) -> bool:
        if self.found is None or not self.found.is_certain:
            return not self.expected
        return self.right


def best(path: str) -> Candidate | None:
    folder, _, name = path.rpartition("/")
    return next(iter(find_codes(name, folder.rpartition("/")[2])), None)


def read_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [Row(name, expected, source, best(name)) for name, expected, source in rows]


def contradictions(rows: Sequence[Row]) -> dict[str, set[str]]:
    """List the names for which other projects expect different codes, in one normal form."""
    expected: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        expected[row.name.lower()].add(read_code(row.expected).key if row.expected else "none")
    return {name: keys for name, keys in expected.items() if len(keys) > 1}


def percent(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not (folder / "codes.tsv").is_file():
        print(f"There are no names to measure with: {folder}/codes.tsv is missing. Nothing was measured.")
        return
    rows = read_rows(folder / "codes.tsv")
    names = (folder / "no-codes.txt").read_text(encoding="utf-8").splitlines()
    invented = [name for name in names if (found := best(name)) and found.is_certain]

    print("Not as expected:")
    for row in rows:
        if not row.right:
            shown = row.found.code.text if row.found else "none"
            print(f"  {row.name[:60]:60} {shown:>18}, not {row.expected or 'none'} ({row.source.rpartition(':')[0]})")
    print("Other projects contradict each other:")
    for name, keys in contradictions(rows).items():
        print(f"  {name[:60]:60} {' | '.join(sorted(keys))}")
    print("A certain code in a name that holds none:", *(f"  {name}" for name in invented), sep="\n")

    right, certain = sum(row.right for row in rows), sum(row.right_by_certain_finds for row in rows)
    sys.exit(
        judge(
            [
                Promise(
                    f"right, guesses counted: {percent(right, len(rows))}",
                    f"at least {LEAST_RIGHT} %",
                    kept=100 * right >= LEAST_RIGHT * len(rows),
                ),
                Promise(
                    f"right by certain finds alone: {percent(certain, len(rows))}",
                    f"at least {LEAST_CERTAIN} %",
                    kept=100 * certain >= LEAST_CERTAIN * len(rows),
                ),
                Promise(
                    f"a certain code where there is none: {percent(len(invented), len(names))}",
                    f"at most {MOST_INVENTED} %",
                    kept=100 * len(invented) <= MOST_INVENTED * len(names),
                ),
            ]
        )
    )


if __name__ == "__main__":
    main()
