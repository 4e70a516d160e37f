"""Probes that do as they are told."""


class NoProbe:
    """A Plex that is always well."""

    def ask(self, config):
        pass

    def circumstances(self, config):
        return config


class ScriptedProbe:
    """A Plex that is away as long as `error` is set; counts how often it was asked, and when."""

    def __init__(self, clock):
        self._clock = clock
        self.error = None
        self.asked_at = []

    def ask(self, config):
        self.asked_at.append(self._clock.now())
        if self.error is not None:
            raise self.error

    def circumstances(self, config):
        return config
