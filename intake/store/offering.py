"""Which row a found file belongs to: decided from the rows that its path has had. Pure."""

from collections.abc import Sequence

from intake.store.port import Offered
from intake.store.row import BEFORE_PLACED, GONE, FoundFile, Row, Status, Step

HOSTLESS = ""


def decide_offer(
    rows: Sequence[Row], found: FoundFile, host: str, leased: frozenset[int]
) -> tuple[Offered, Row | None]:
    """Say what an offer means, and for which row. `leased` are those that a worker has in hand.

    A row knows the file that lies at its path by `identity`; once the file has been moved away there is none.
    """
    if any(row.is_being_undone for row in rows):  # it lies there because it is being brought back
        return Offered.BUSY, None
    if known := [row for row in rows if row.identity == found.identity]:
        gone = next((row for row in known if _was_gone(row) and row.id not in leased), None)
        return (Offered.BACK, gone) if gone else (Offered.KNOWN, None)
    row = next((row for row in rows if _is_about_what_lies_there(row) and row.host in (host, HOSTLESS)), None)
    if row is None:
        return Offered.NEW, None
    if row.id in leased or row.step is Step.PLANNED:  # a plan may have been carried out; whoever resumes it finds out
        return Offered.BUSY, row
    return (Offered.RENEWED if row.identity else Offered.KNOWN), row


def _was_gone(row: Row) -> bool:
    return row.status is Status.ERROR and row.error_kind == GONE and row.step in BEFORE_PLACED


def _is_about_what_lies_there(row: Row) -> bool:
    return row.step in BEFORE_PLACED and row.status is not Status.COMPLETED
