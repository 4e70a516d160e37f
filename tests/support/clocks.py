"""A clock that moves only when it is told to."""


class FakeClock:
    def __init__(self, now=1_000.0):
        self.time = now
        self._set_by = 0.0

    def now(self):
        return self.time + self._set_by

    def monotonic(self):
        return self.time

    def advance(self, seconds):
        self.time += seconds

    def set_wall(self, seconds):
        """Somebody sets the wall clock forward, or back; spans are not touched."""
        self._set_by += seconds
