"""The screen: where answers are shown. Plain lines here; colours and bars on a terminal are `rich_screen`'s."""

import json
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Protocol

from runtime.folder import DataFolder
from runtime.packages import PackageLoader, PackagesMissing
from stash.wire import NEUTRAL

Row = Sequence[object]


class Screen(Protocol):
    """Shows results on stdout, and beside them on stderr how the work goes."""

    def line(self, text: str, style: str = "") -> None: ...
    def facts(self, rows: Sequence[tuple[str, object]]) -> None: ...
    def table(self, columns: Sequence[str], rows: Sequence[Row]) -> None: ...
    def begin_anew(self) -> None: ...
    def log(self, sentence: str, *, ok: bool = True) -> None: ...
    def progress(self, fraction: float) -> None: ...
    def close(self) -> None: ...


def clean(value: object) -> str:
    """Write a value on one line, without anything that a terminal would obey: titles are typed by strangers."""
    return "" if value is None else str(value).translate(NEUTRAL)


class PlainScreen:
    """Lines and columns for a file, a pipe or a terminal without manners."""

    def line(self, text: str, style: str = "") -> None:  # noqa: ARG002 - a plain line has none
        print(clean(text))

    def facts(self, rows: Sequence[tuple[str, object]]) -> None:
        width = max((len(name) for name, _ in rows), default=0)
        for name, value in rows:
            print(f"{name:{width}}  {clean(value)}".rstrip())

    def table(self, columns: Sequence[str], rows: Sequence[Row]) -> None:
        lines = [columns, *([clean(cell) for cell in row] for row in rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(columns))]
        for line in lines:
            print("  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())

    def begin_anew(self) -> None:
        """Part what follows from what was shown before it."""
        print()

    def log(self, sentence: str, *, ok: bool = True) -> None:
        print(f"{'  ' if ok else '! '}{clean(sentence)}", file=sys.stderr)

    def progress(self, fraction: float) -> None:
        """A pipe has no use for it."""

    def close(self) -> None:
        pass


class JsonScreen(PlainScreen):
    """Keeps quiet: the answer itself is printed."""

    def log(self, sentence: str, *, ok: bool = True) -> None:
        pass


def print_json(answer: object, *, on_one_line: bool = False) -> None:
    print(json.dumps(answer, indent=None if on_one_line else 1), flush=True)


def open_screen(folder: DataFolder | None, *, as_json: bool) -> Screen:
    """Choose the screen; on a terminal, have rich installed as a task would, or say why there are no colours."""
    if as_json:
        return JsonScreen()
    if folder is None or not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        return PlainScreen()
    try:
        return _rich_screen(folder)
    except PackagesMissing as problem:
        print(f"! {problem}", file=sys.stderr)
        return PlainScreen()


def _rich_screen(folder: DataFolder) -> Screen:
    if find_spec("rich") is None:
        print("Getting the Python packages ready …", file=sys.stderr)
        PackageLoader(folder).load()
    from cli.rich_screen import RichScreen  # noqa: PLC0415 - only now is its package sure to be there

    return RichScreen()
