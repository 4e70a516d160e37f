"""The data folder: where everything this installation remembers lives."""

import os

OVERRIDE = "STASH2PLEX_DATA_DIR"
NAME = "stash2plex"


class DataFolder:
    """Names every file below the data folder; touches the disk only in `make()`.

    It lies beside Stash's config.yml, not in the plugin's folder: that one is replaced by updates.
    """

    __slots__ = ("root",)

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(root)

    @classmethod
    def of_stash(cls, config_dir: str) -> "DataFolder":
        """Return the folder of the Stash whose config.yml lies in `config_dir`."""
        return cls(os.environ.get(OVERRIDE) or os.path.join(config_dir, NAME))

    @property
    def queue_dir(self) -> str:
        return os.path.join(self.root, "queue")

    @property
    def ledger(self) -> str:
        return os.path.join(self.root, "ledger.db")

    @property
    def worker_lock(self) -> str:
        return os.path.join(self.root, "worker.lock")

    @property
    def worker_log(self) -> str:
        return os.path.join(self.root, "worker.log")

    @property
    def worker_last_words(self) -> str:
        """What a worker wrote to stderr, which is nothing unless it died before it had a log."""
        return os.path.join(self.root, "worker.err")

    @property
    def worker_state(self) -> str:
        return os.path.join(self.root, "worker.json")

    @property
    def circuit(self) -> str:
        return os.path.join(self.root, "circuit_breaker.json")

    @property
    def recovery(self) -> str:
        return os.path.join(self.root, "recovery_state.json")

    @property
    def stats(self) -> str:
        return os.path.join(self.root, "stats.json")

    @property
    def privacy_state(self) -> str:
        return os.path.join(self.root, "privacy.json")

    @property
    def settings_file(self) -> str:
        return os.path.join(self.root, "stash2plex.json")

    @property
    def packages_dir(self) -> str:
        return os.path.join(self.root, "lib")

    def make(self) -> None:
        """Create the folder, readable by its owner alone. One that is there keeps its rights: it may be shared."""
        os.makedirs(self.root, mode=0o700, exist_ok=True)
