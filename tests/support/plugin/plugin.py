"""The plugin as Stash has it: a copy in a plugins folder, run as a process of its own with JSON on stdin."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from ledger.baseline import Baseline
from ledger.records import ItemSync, PictureRecord
from ledger.states import PictureState
from ledger.store import Ledger
from plan.fields import settings_text
from runtime.folder import DataFolder
from runtime.lock import is_held
from sim.stash.plugins.manifest import load_manifest
from stash.client import StashClient
from sync.pictures.covers import screenshot_stamp, wanted_kinds
from sync_queue.session import Session
from tests.support.plugin.adjustments import Adjustments
from validation.metadata import fingerprint_of

ROOT = Path(__file__).parents[3]
MACHINE = "a-plex-server"
PACKAGES = (
    "hooks",
    "tasks",
    "cli",
    "intake",
    "worker",
    "sync",
    "matching",
    "model",
    "plan",
    "ledger",
    "stash",
    "plex",
    "mediabrowser",
    "sync_queue",
    "validation",
    "runtime",
)


def copy_source(plugin_dir):
    for name in PACKAGES:
        shutil.copytree(ROOT / name, plugin_dir / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Stash2Plex.py", "Stash2Plex.yml", "requirements.txt", "requirements-postgres.txt"):
        shutil.copy(ROOT / name, plugin_dir)


class InstalledPlugin:
    """A copy of the plugin in `<folder>/plugins/Stash2Plex`, with Stash's config in `<folder>`."""

    def __init__(self, folder, python=sys.executable, fill=copy_source, source=""):
        self.config_dir = folder
        self.plugin_dir = folder / "plugins" / source / "Stash2Plex"
        self.script = self.plugin_dir / "Stash2Plex.py"
        self.journal = folder / "journal.txt"
        self.python = python
        self.data = DataFolder(str(folder / "stash2plex"))
        self.plugin_dir.mkdir(parents=True)
        fill(self.plugin_dir)
        if "COVERAGE_PROCESS_CONFIG" in os.environ:
            self._let_coverage_in()
        self._adjustments = Adjustments(self.plugin_dir)
        self.interpreter_options = load_manifest(self.plugin_dir / "Stash2Plex.yml").exec[1:-1]

    def _let_coverage_in(self):
        """Have Stash start Python with its site packages: coverage gets into a process by a .pth file."""
        manifest = self.plugin_dir / "Stash2Plex.yml"
        told = yaml.safe_load(manifest.read_text())
        told["exec"] = [word for word in told["exec"] if word not in ("-E", "-S")]
        manifest.write_text(yaml.safe_dump(told, sort_keys=False))

    # What a test changes in it: for processes that start from now on

    def adjust(self, name, value):
        """Let a constant of the product, such as worker.process.BEAT_SECONDS, have another value."""
        self._adjustments.set_value(name, value)

    def replace(self, name, double, **knows):
        """Let a class of tests/support, named as module:Class, stand in for one of the product; `knows` it is told."""
        self._adjustments.set_double(name, double, knows)

    def kill_at(self, when, name, flag):
        """Have a process kill itself before or after this function, once for each time that the flag is set."""
        self._adjustments.set_kill(when, name, flag)

    def record_work(self, seconds=0.0):
        """Let the worker note every scene in the journal instead of what it would do."""
        double = "tests.support.plugin.recording_pipeline:RecordingPipeline"
        self.replace("sync.scenes.pipeline.ScenePipeline", double, journal=str(self.journal), seconds=seconds)

    def install_version(self, version):
        """Do what an update does that brings nothing but its number."""
        text = f'"""The version of this code."""\n\nVERSION = "{version}"\n'
        (self.plugin_dir / "runtime" / "version.py").write_text(text)

    @property
    def own_entry(self):
        """The product's entry itself, also where the script is one that adjusts."""
        return self._adjustments.own_entry

    def know_all_scenes(self, stash, settings):
        """Let the ledger say that every scene is synced as it is in Stash, so that a sweep finds nothing to do."""
        self.data.make()
        ledger = Ledger(self.data.target("plex").ledger)
        client = StashClient(Session("http", "127.0.0.1", stash.port, stash.login().removeprefix("session="), 0.0))
        ledger.values.set(f"machine {settings.plex_url}", MACHINE)
        for page in client.all_scenes():
            for scene in page:
                _remember(ledger, scene, settings)
        client.close()
        ledger.close()

    # Running it

    def request(self, args, port=9, cookie="test-cookie-1234"):
        connection = {
            "Scheme": "http",
            "Host": "0.0.0.0",
            "Port": port,
            "SessionCookie": {"Name": "session", "Value": cookie},
            "Dir": str(self.config_dir),
            "PluginDir": str(self.plugin_dir),
        }
        return json.dumps({"server_connection": connection, "args": args}).encode()

    def hook(self, scene_id, port=9, trigger="Scene.Update.Post", sent=None, fields=("id", "title")):
        context = {"id": scene_id, "type": trigger, "input": sent or {"id": str(scene_id)}, "inputFields": list(fields)}
        return self.run(self.request({"mode": "hook", "hookContext": context}, port))

    def run(self, stdin, *arguments, environment=None, timeout=300):
        """Run it as Stash does, or as a person who types arguments: wait for the end of stdout and for the exit."""
        return Finished(
            subprocess.run(
                [self.python, str(self.script), *arguments] if arguments else self._command_of_stash(),
                input=stdin,
                capture_output=True,
                timeout=timeout,
                check=False,
                cwd="/",
                env={**os.environ, "PYTHONPATH": str(self.plugin_dir.parent), **(environment or {})},
            )
        )

    def start(self, stdin):
        """Start it and do not wait, so that it can be killed."""
        with tempfile.TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            command = self._command_of_stash()
            return subprocess.Popen(command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/")

    def _command_of_stash(self):
        return [self.python, *self.interpreter_options, str(self.script)]

    # The worker

    def worker_pids(self):
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and self._is_worker(entry)]

    def _is_worker(self, entry):
        try:
            command = (entry / "cmdline").read_bytes().split(b"\0")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False
        return b"worker" in command and self.data.root.encode() in command and state != "Z"

    def wait_for_worker(self, seconds=60):
        """Wait until one worker holds the lock and all others are gone; return its process id."""
        wait_until(lambda: is_held(self.data.worker_lock) and len(self.worker_pids()) == 1, seconds)
        return self.worker_pids()[0]

    def kill_workers(self, number=signal.SIGKILL):
        """End all workers, also one that a hook was just about to start."""
        told = set()

        def all_gone():
            found = set(self.worker_pids())
            for pid in found - told:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            told.update(found)
            return not found

        wait_until(all_gone)

    def log(self):
        path = Path(self.data.worker_log)
        return path.read_text() if path.exists() else ""

    def work_done(self):
        """Return the journal as (word, scene, pid, moment)."""
        if not self.journal.exists():
            return []
        lines = [line.split() for line in self.journal.read_text().splitlines()]
        return [(word, int(scene), int(pid), float(moment)) for word, scene, pid, moment in lines]

    def finished_scenes(self):
        return {scene for word, scene, _, _ in self.work_done() if word == "end"}


def _remember(ledger, scene, settings):
    fingerprint = fingerprint_of(scene, settings_text(settings, "plex"))
    place = {"item_id": str(scene.id), "server_id": MACHINE}
    sync = ItemSync(scene_id=scene.id, **place, path="", fingerprint=fingerprint, baseline=Baseline(), entries=())
    ledger.record_syncs([sync], run_id=0, now=1.0)
    picture = {"digest": "", "key": "", "state": PictureState.SHOWN, "sentence": "", "at": 1.0}
    stamp = screenshot_stamp(scene.screenshot)
    pictures = [PictureRecord(scene.id, kind.value, **place, stamp=stamp, **picture) for kind in wanted_kinds(settings)]
    ledger.record_pictures(pictures, now=1.0)


class Finished:
    """A process that has ended, held to Stash's protocol."""

    def __init__(self, done):
        self.stdout, self.stderr, self.code = done.stdout, done.stderr, done.returncode

    @property
    def document(self):
        """The one document on stdout; anything else fails."""
        assert self.stdout.count(b"\n") == 1
        document = json.loads(self.stdout)
        assert set(document) in ({"output"}, {"error"})
        return document

    @property
    def output(self):
        assert "output" in self.document, self.document
        return self.document["output"]

    @property
    def error(self):
        assert "error" in self.document, self.document
        return self.document["error"]

    def assert_protocol(self):
        assert self.code == 0
        assert self.document
        for line in self.stderr.splitlines():
            assert line[:1] == b"\x01", line
            assert line[2:3] == b"\x02", line
        assert b"Traceback" not in self.stdout + self.stderr


def wait_until(claim, seconds=60.0):
    """Wait for what must come. The time is for a machine that is busy with other tests: only a failure takes it."""
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.02)
