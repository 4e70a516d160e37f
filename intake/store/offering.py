"""Which row a found file belongs to: decided from the rows that its path has had. Pure."""

from collections.abc import Sequence

from intake.store.port import Offered
from intake.store.row import BEFORE_PLACED, FoundFile, Row, Status, Step

HOSTLESS = ""


def decide_offer(
    rows: Sequence[Row], found: FoundFile, host: str, leased: frozenset[int]
) -> tuple[Offered, Row | None]:
    """Say what an offer means, and for which row. `leased` are those that a worker has in hand.

    A row knows the file that lies at its path by `identity`; once the file has been moved away there is none.
    """
    if any(row.identity == found.identity for row in rows):
        return Offered.KNOWN, None
    row = next((row for row in rows if _is_about_what_lies_there(row) and row.host in (host, HOSTLESS)), None)
    if row is None:
        return Offered.NEW, None
    if row.id in leased or row.step is Step.PLANNED:  # a plan may have been carried out; whoever resumes it finds out
        return Offered.BUSY, row
    return (Offered.RENEWED if row.identity else Offered.KNOWN), row


def _is_about_what_lies_there(row: Row) -> bool:
    return row.step in BEFORE_PLACED and row.status is not Status.COMPLETED
