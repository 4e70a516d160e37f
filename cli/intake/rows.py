"""Rows as they are shown: as a table for people, as objects for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from cli.screen import clean
from intake.sources.work import parse_json
from intake.store.row import Row

COLUMNS = ("ID", "Movie Code", "Status", "Retries", "Error", "Updated")
_LEAST_WIDTHS = (3, 10, 6, 7, 24, 7)
_LONGEST_ERROR = 70
_MOMENTS = ("due_at", "next_retry_at", "lease_until", "created_at", "updated_at")
_JSON = ("metadata_json", "plan_json", "candidates_json", "published_json")


def row_object(row: Row) -> dict[str, Any]:
    """Write a row as JSON has it: moments in ISO 8601, what is JSON inside as that, an empty text as null."""
    values = asdict(row)
    moments = {name: _iso(values[name]) for name in _MOMENTS}
    inside = {name: parse_json(values[name]) if values[name] else None for name in _JSON}
    texts = {name: value or None for name, value in values.items() if isinstance(value, str)}
    return {**values, **texts, **moments, **inside}


def row_lines(rows: Sequence[Row], max_retries: int) -> list[str]:
    """Write rows as a table."""
    cells = [_cells(row, max_retries) for row in rows]
    widths = [max(least, *(len(line[at]) for line in [COLUMNS, *cells])) for at, least in enumerate(_LEAST_WIDTHS)]
    rules = tuple("─" * len(name) for name in COLUMNS)
    return [
        "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (COLUMNS, rules, *cells)
    ]


def _cells(row: Row, max_retries: int) -> tuple[str, ...]:
    error = clean(row.error_message)
    shown = error if len(error) <= _LONGEST_ERROR else error[: _LONGEST_ERROR - 1] + "…"
    updated = datetime.fromtimestamp(row.updated_at).astimezone().strftime("%Y-%m-%d %H:%M")
    return str(row.id), clean(row.movie_code), row.status, f"{row.retry_count}/{max_retries}", shown, updated


def _iso(moment: float | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
