"""The watch on our own code: an update on disk is noticed when it has come to rest."""

from runtime.code_stamp import code_stamp

QUIET_LOOKS = 2  # an update deletes and writes files one by one


class CodeWatch:
    """Compares the plugin's files with what they were when this process began."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._original = self._last = self._stamp()
        self._quiet_looks = 0

    def is_replaced(self) -> bool:
        """Say whether the files differ and have not changed during the last looks."""
        current = self._stamp()
        self._quiet_looks = self._quiet_looks + 1 if current == self._last else 0
        self._last = current
        return current != self._original and self._quiet_looks >= QUIET_LOOKS

    def _stamp(self) -> int | None:
        try:
            return code_stamp(self._root)
        except OSError:  # a file vanished under our eyes: an update is going on
            return None
