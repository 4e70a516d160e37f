"""A clock that moves only when it is told to."""


class FakeClock:
    def __init__(self, now=1_000.0):
        self.time = now

    def now(self):
        return self.time

    def monotonic(self):
        return self.time

    def advance(self, seconds):
        self.time += seconds
