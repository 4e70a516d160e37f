"""What a preview of all leaves: a line of JSON for each scene, and a last one with the numbers. Read by pages.

`after` is the place in the file, in bytes, at which the next page begins.
"""

import json
import os
from typing import IO, Any

from model.user_error import UserError
from tasks.answers import Change, PreviewCounts, PreviewPage, PreviewRow, TaskRow, as_json
from tasks.arguments import Page
from tasks.wording import iso

_TAIL_BYTES = 4096  # the last line is a few hundred bytes


def write_row(file: IO[str], row: PreviewRow) -> None:
    file.write(f"{json.dumps(as_json(row), ensure_ascii=True)}\n")


def write_summary(file: IO[str], ran_at: float, counts: PreviewCounts) -> None:
    file.write(f"{json.dumps({'ran_at': ran_at, 'counts': as_json(counts)})}\n")


def read_page(path: str, asked: Page, last_run: TaskRow | None, *, is_running: bool) -> PreviewPage:
    """Read a page; none, if no preview was ever made, or what is there is not ours."""
    try:
        with open(path, "rb") as file:
            return _read(file, asked, last_run, is_running=is_running)
    except FileNotFoundError:
        return PreviewPage(None, is_running, last_run, PreviewCounts(), (), None)
    except (ValueError, KeyError, TypeError) as error:
        raise UserError("What the last preview left cannot be read. Run Preview Changes again.") from error


def _read(file: IO[bytes], asked: Page, last_run: TaskRow | None, *, is_running: bool) -> PreviewPage:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _TAIL_BYTES, 0))
    tail = file.read().splitlines()[-1]
    summary, end = json.loads(tail), size - len(tail) - 1
    file.seek(_place(asked, end))
    rows: list[PreviewRow] = []
    while len(rows) < asked.limit and file.tell() < end:
        rows.append(_row(json.loads(file.readline())))
    following = str(file.tell()) if file.tell() < end else None
    counts = PreviewCounts(**summary["counts"])
    return PreviewPage(iso(summary["ran_at"]), is_running, last_run, counts, tuple(rows), following)


def _place(asked: Page, end: int) -> int:
    place = int(asked.after) if asked.after.isdigit() else 0 if not asked.after else -1
    if not 0 <= place <= end:
        raise UserError(f"after must be `next` of the page before; it is {asked.after!r:.60}.")
    return place


def _row(raw: dict[str, Any]) -> PreviewRow:
    changes, kept = (tuple(_change(one) for one in raw[name]) for name in ("changes", "kept"))
    return PreviewRow(
        raw["scene_id"], raw["title"], raw["target"], raw["verdict"], raw["sentence"], changes=changes, kept=kept
    )


def _change(raw: dict[str, Any]) -> Change:
    return Change(raw["field"], raw["old"], raw["new"], raw["why"], raw.get("stash"))
