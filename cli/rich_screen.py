"""The screen of a terminal: tables, colours and a progress bar, by rich."""

from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from cli.screen import Row, clean

STYLES = {
    "synced": "green",
    "right": "green",
    "queued": "cyan",
    "would change": "cyan",
    "new": "cyan",
    "waiting": "yellow",
    "skipped": "dim",
    "undone": "dim",
    "gone": "dim",
    "ambiguous": "magenta",
    "outage": "red",
    "blocked": "red",
    "refused": "red",
    "failed": "red",
    "OK": "green",
    "!": "bold red",
}


class RichScreen:
    """Everything goes through Text: what looks like rich's own markup in a title is a title."""

    def __init__(self, console: Console | None = None, aside: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._aside = aside or Console(stderr=True, highlight=False)
        self._progress: Progress | None = None
        self._bar: TaskID | None = None

    def line(self, text: str, style: str = "") -> None:
        self._end_progress()
        self._console.print(Text(clean(text), style=STYLES.get(style, style)), soft_wrap=True)

    def facts(self, rows: Sequence[tuple[str, object]]) -> None:
        self._end_progress()
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="bold")
        for name, value in rows:
            grid.add_row(name, _cell(value))
        self._console.print(grid)

    def table(self, columns: Sequence[str], rows: Sequence[Row]) -> None:
        self._end_progress()
        table = Table(header_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*map(_cell, row))
        self._console.print(table)

    def begin_anew(self) -> None:
        self._console.clear()

    def log(self, sentence: str, *, ok: bool = True) -> None:
        self._aside.print(Text(clean(sentence), style="" if ok else "yellow"), soft_wrap=True)

    def progress(self, fraction: float) -> None:
        if self._progress is None:
            columns = (TextColumn("{task.percentage:3.0f} %"), BarColumn(), TimeRemainingColumn())
            self._progress = Progress(*columns, console=self._aside, transient=True)
            self._bar = self._progress.add_task("", total=1.0)
            self._progress.start()
        assert self._bar is not None
        self._progress.update(self._bar, completed=min(max(fraction, 0.0), 1.0))

    def close(self) -> None:
        self._end_progress()

    def _end_progress(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def _cell(value: object) -> Text:
    text = clean(value)
    return Text(text, style=STYLES.get(text, ""))
