"""What can go wrong with the store.

StoreError
├── StoreAway      it cannot be used now: away, full, locked, refusing; it is tried again
│   └── StoreForeign   somebody else's table, or one of a newer version: nothing is read or written
├── LeaseLost      the row belongs to another claim by now: what was to be written changes nothing
├── RowBusy        a worker has the row in hand; a person's wish must wait
├── PathTaken      another row is about the file that lies at that path now
└── RowUnknown     there is no such row
"""


class StoreError(Exception):
    """The text is a sentence for a person and carries no secret."""


class StoreAway(StoreError):
    """An obstacle for all rows and a failure of none."""


class StoreForeign(StoreAway):
    """The database is not ours to touch."""


class LeaseLost(StoreError):
    """Another worker has taken the row over."""


class RowBusy(StoreError):
    """Somebody works on it."""


class PathTaken(StoreError):
    """A path on a host holds one file at a time."""

    def __init__(self) -> None:
        super().__init__(
            "Another file has come to the path of that row, and has a row of its own; `intake list` shows it. "
            "See to that one first."
        )


class RowUnknown(StoreError):
    """No row has this number."""
