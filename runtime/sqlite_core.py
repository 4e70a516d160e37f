"""SQLite as a hook can afford it: the C module alone, as `sqlite3`.

The package of that name brings datetime. The C module itself brings functools, for nothing but `lru_cache`, and so
collections, operator, keyword, reprlib and types: together a third of an interpreter's start. While it is imported, the
C half of `lru_cache` stands in for functools; where that is there already, or Python has no such half, nothing does.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing and collections.abc cost the hook time that only a type checker has
if TYPE_CHECKING:
    import sqlite3
else:
    import _functools

    class _Functools:
        """As much of functools as `_sqlite3` asks for; what it gives is the very type that functools gives."""

        @staticmethod
        def lru_cache(maxsize: int) -> object:
            return lambda function: _functools._lru_cache_wrapper(function, maxsize, False, tuple)  # noqa: FBT003, SLF001 - as functools calls it

    stands_in = "functools" not in sys.modules and hasattr(_functools, "_lru_cache_wrapper")
    if stands_in:
        sys.modules["functools"] = _Functools
    try:
        import _sqlite3 as sqlite3
    finally:
        if stands_in:
            del sys.modules["functools"]

__all__ = ["sqlite3"]
