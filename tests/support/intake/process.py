"""Intake as people run it: the real script in processes of their own, beside a simulated WordPress."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
SCRIPT = str(ROOT / "Stash2Plex.py")


class IntakeInstallation:
    """One machine: its data folder, its environment, and the service that runs there or not."""

    def __init__(self, folder, site=None, *, host="nas", watch=None, library=None, **environment):
        self.folder = folder
        self.watch, self.library = watch or folder / "watch", library or folder / "library"
        for path in (folder, self.watch, self.library):
            path.mkdir(parents=True, exist_ok=True)
        self.data = folder / "data"
        ours = ("STASH2PLEX_", "DB_", "API_", "EMBY_", "JELLYFIN_", "PLEX_")
        known = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.environment = {
            **known,
            "WATCH_DIR": str(self.watch),
            "DESTINATION_DIR": str(self.library),
            "STASH2PLEX_DATA_DIR": str(self.data),
            "STASH2PLEX_INTAKE_HOST": host,
            "STASH2PLEX_STABLE_SECONDS": "0.3",
            **({"API_BASE_URL": site.base_url, "API_TOKEN": site.token} if site else {}),
            **environment,
        }
        self.service = None

    def start(self):
        with (self.folder / "service.err").open("ab") as errors:
            self.service = subprocess.Popen(
                [sys.executable, SCRIPT, "intake", "run"], env=self.environment, stdin=subprocess.DEVNULL, stderr=errors
            )
        return self.service

    def stop(self):
        """Stop it as Docker and systemd do; return its exit code."""
        self.service.send_signal(signal.SIGTERM)
        return self.service.wait(20)

    def kill(self):
        if self.service is not None:
            with contextlib.suppress(ProcessLookupError):
                self.service.kill()
            self.service.wait()

    def log(self):
        return (self.folder / "service.err").read_text() if (self.folder / "service.err").exists() else ""

    def run(self, *arguments, stdin=b""):
        return subprocess.run(
            [sys.executable, SCRIPT, "intake", *arguments],
            env=self.environment,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
        )

    def ask(self, *arguments, code=0):
        """Run a verb with --json and return its answer."""
        done = self.run(*arguments, "--json")
        assert done.returncode == code, (arguments, done.stdout, done.stderr)
        return json.loads(done.stdout)

    def wait_for(self, condition, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.log()[-3000:]
            time.sleep(0.1)

    def wait_for_counts(self, seconds=30, **wanted):
        def is_so():
            counts = self.ask("status")
            return all(counts[name] == number for name, number in wanted.items())

        self.wait_for(is_so, seconds)

    def drop(self, name, content=b"a film"):
        (self.watch / name).write_bytes(content)

    def placed(self):
        return sorted(path.relative_to(self.library).as_posix() for path in self.library.rglob("*") if path.is_file())
