"""The data folder: where everything this installation remembers lives."""

import os

OVERRIDE = "STASH2PLEX_DATA_DIR"
NAME = "stash2plex"


class TargetFolder:
    """The files of one target: what is known of its scenes, and how it stands with its server."""

    __slots__ = ("root",)

    def __init__(self, root: str) -> None:
        self.root = root

    @property
    def ledger(self) -> str:
        return os.path.join(self.root, "ledger.db")

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
    def pictures(self) -> str:
        """Pictures that ours took the place of, on servers that keep none themselves."""
        return os.path.join(self.root, "pictures")

    def make(self) -> None:
        """Create the folder, readable by its owner alone."""
        os.makedirs(self.root, mode=0o700, exist_ok=True)


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

    def target(self, name: str) -> TargetFolder:
        """Return the files of one target. Those of an older version, which knew only Plex, lie in the root until the
        worker has moved their ledger.
        """
        own, older = TargetFolder(os.path.join(self.root, "targets", name)), TargetFolder(self.root)
        is_older = name == "plex" and not os.path.exists(own.ledger) and os.path.exists(older.ledger)
        return older if is_older else own

    @property
    def targets_state(self) -> str:
        """Which targets are on and where they are, as the settings said last."""
        return os.path.join(self.root, "targets.json")

    @property
    def task_results(self) -> str:
        """The folder in which each task leaves what came of it."""
        return os.path.join(self.root, "tasks")

    @property
    def preview_rows(self) -> str:
        """What the last preview found, a scene a line, for a page to read."""
        return os.path.join(self.root, "preview.jsonl")

    @property
    def queue_dir(self) -> str:
        return os.path.join(self.root, "queue")

    @property
    def intake_dir(self) -> str:
        return os.path.join(self.root, "intake")

    @property
    def intake_lock(self) -> str:
        return os.path.join(self.intake_dir, "intake.lock")

    @property
    def intake_state(self) -> str:
        return os.path.join(self.intake_dir, "service.json")

    @property
    def worker_lock(self) -> str:
        return os.path.join(self.root, "worker.lock")

    @property
    def worker_log(self) -> str:
        return os.path.join(self.root, "worker.log")

    @property
    def worker_stderr(self) -> str:
        """What the worker wrote to stderr: nothing, unless it died before it had opened its log."""
        return os.path.join(self.root, "worker.err")

    @property
    def worker_state(self) -> str:
        return os.path.join(self.root, "worker.json")

    @property
    def privacy_state(self) -> str:
        return os.path.join(self.root, "privacy.json")

    @property
    def settings_file(self) -> str:
        return os.path.join(self.root, "stash2plex.json")

    @property
    def preview(self) -> str:
        """All that the last preview said; Stash's page of logs keeps thirty lines of it."""
        return os.path.join(self.root, "preview.txt")

    @property
    def offered_settings(self) -> str:
        """What the worker itself wrote to Stash's settings page: whatever else is there, a person chose."""
        return os.path.join(self.root, "offered_settings.json")

    @property
    def packages_dir(self) -> str:
        return os.path.join(self.root, "lib")

    def make(self) -> None:
        """Create the folder, readable by its owner alone. One that is there keeps its rights: it may be shared."""
        os.makedirs(self.root, mode=0o700, exist_ok=True)
