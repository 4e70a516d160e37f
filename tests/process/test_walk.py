"""A new user's walk through everything there is, from the release zip: every task, every operation, every verb.

It is one test because each step stands on the one before it. What is added to the tables without a step here fails.
"""

import json
import re
import shlex
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cli.parser import VERBS
from sim.plex.faults import status
from sim.plex.server import SimPlex
from sim.stash.errors import ResolverError
from sim.stash.simulator import SimStash
from tasks.table import OPERATIONS, TASKS
from tests.support.machine.terminal import run_in_terminal
from tests.support.plugin.package import build_source, unpacking
from tests.support.plugin.plugin import InstalledPlugin, wait_until

LACKING = 5  # the scene that Plex has not
REJECTED = 2  # the scene whose edit Plex will not take
PATIENCE = 90.0
UNSET = "plex_url is not set. plex_token is not set."

CLOSING_LINES = {
    "queue_status": r"\d+ jobs? due, \d+ later, .* 1 given up; a worker is running\.",
    "health_check": r"1 of 13 parts needs you\.",  # the job that was given up
    "purge_dlq": r"0 jobs forgotten, given up more than 30 days ago\.",
    "retry_failed": r"1 given-up job to be tried again\.",
    "all": r"All scenes will be compared with Plex; \d+ jobs? waiting now\.",
    "process_queue": r"\d+ jobs? had to be done, and none is left\. |Nothing was due; to be tried later: \d+\.",
    "recent": r"Changed in the last 24 hours and queued: 12 of 12 scenes\.",
    "preview": r"Of 12 scenes: \d+ would change, .* 1 unmatched, .* Nothing was written;",
    "clear_dlq": r"\d given-up jobs? forgotten\.",
    "reconcile": r"All scenes will be checked for what Stash did not report; \d+ jobs? waiting now\.",
    "clear_queue": r"\d+ waiting jobs? removed\.",
    "undo_last_run": r"\d+ values? of \d+ scenes? put back, ",
    "clear_match_cache": r"\d+ files? of Plex forgotten",
}

OPERATION_STEPS = [
    ("status", {}, "queue"),
    ("scenes", {"state": "synced", "limit": 3}, "next"),
    ("explain", {"scene_id": LACKING}, "targets"),
    ("dead_letters", {}, "dead_letters"),
    ("retry", {"all": True}, "revived"),
    ("discard", {"all": True}, "discarded"),
    ("test_connection", {}, "findings"),
    ("libraries", {}, "libraries"),
    ("path_map", {}, "rules"),
    ("settings_schema", {}, "groups"),
    ("save_settings", {"values": {"max_tags": 90}}, "saved"),
    ("search_items", {"query": "clips"}, "items"),
    ("ignore_scene", {"scene_id": LACKING}, "sentence"),
    ("ignore_scene", {"ids": [LACKING], "ignore": False}, "sentence"),
    ("scan_scene", {"scene_id": 1}, "ok"),
    ("preview_scene", {"scene_id": 1}, "targets"),
    ("sync_scenes", {"ids": [1]}, "queued"),
    ("map_scene", {"scene_id": LACKING, "item_id": "{spare}"}, "item_path"),
    ("unmap_scene", {"scene_id": LACKING}, "item_id"),
    ("journal", {"scene_id": 1}, "entries"),
    ("undo_plan", {"scene_id": 1}, "items"),
    ("undo", {"scene_id": 1}, "put_back"),
    ("preview_result", {"limit": 2}, "counts"),
    ("last_task", {}, "tasks"),
    ("intake", {}, "rows"),
    ("intake_retry", {"id": 1}, "ok"),
    ("intake_set_code", {"id": 1, "code": "ABC-123"}, "ok"),
    ("intake_undo", {"id": 1}, "ok"),
]

LOOKS = [
    ("status", 0),
    ("list", 0),
    ("list --state dead", 0),
    (f"explain {LACKING}", 0),
    ("explain 9999", 1),
    ("preview", 0),
    ("preview 1", 0),
    ("journal", 0),
    ("journal --scene 1", 0),
    ("doctor", 0),
    ("logs -n 5", 0),
    ("diagnostics --out {new}.zip", 0),
    ("diagnostics --out {new}/none/x.zip", 1),
]
REFUSED = [
    ("sync", 2),
    ("retry", 2),
    ("retry 77", 1),
    (f"map {LACKING}", 2),
    (f"map {LACKING} 99999999", 1),
    ("undo --run 999", 1),
    ("undo --all", 2),
    ("ignore", 2),
    ("reset queue", 2),
]
ACTS = [
    ("sync 1", 0),
    ("sync --all --wait", 0),
    ("retry --all", 0),
    ("purge --days 7", 0),
    (f"map {LACKING} {{spare}}", 0),
    (f"map {LACKING} --clear", 0),
    (f"map {LACKING} --clear", 1),
    (f"ignore {LACKING}", 0),
    (f"ignore {LACKING} --off", 0),
    ("undo --scene 3", 0),
    ("undo", 0),
    ("reset queue dead-letters matches --yes", 0),
]
NOT_WALKED = {"worker", "demo", "intake"}  # it works all the time; has no servers in the zip; has a walk of its own

RECORDER = """#!/bin/sh
call=$(mktemp -d {folder}/XXXXXXXX)
cat >"$call/stdin"
{python} "$@" <"$call/stdin" >"$call/stdout"
code=$?
cat "$call/stdout"
exit $code
"""


class Walk:
    """What a user has: a Stash with a password, a Plex, and what can be pressed and typed."""

    def __init__(self, folder):
        self.folder = folder
        self.plugin = InstalledPlugin(
            folder / "stash", fill=unpacking(build_source(folder / "dist")), source="community"
        )
        self.plex = SimPlex(items=5)
        self.stash = SimStash(scenes=12, config_dir=self.plugin.config_dir)
        self.typed = []
        self._numbers = iter(range(1, 1000))
        self.keys = {scene.id: self._add_item(scene) for scene in self._scenes() if scene.id != LACKING}
        self.spare = self.plex.item_ids()[0]

    def _scenes(self):
        return list(self.stash.library.scenes.values())

    def _add_item(self, scene):
        file = scene.files[0]
        path = file.path.replace("/data/clips", "/data/scenes/clips")
        return self.plex.add_item(path, file.size, int(file.duration * 1000))

    def __enter__(self):
        self.plex.start()
        self.stash.start()
        self.stash.set_credentials("somebody")
        self.stash.generate_api_key()
        self.stash.install_plugin(self.plugin.plugin_dir, python=self._recorder())
        return self

    def __exit__(self, kind, *_):
        self.plugin.kill_workers()
        self.stash.stop()
        self.plex.__exit__(kind)

    def _recorder(self):
        """A Python that keeps what Stash gives and gets."""
        (self.folder / "calls").mkdir()
        script = self.folder / "python"
        script.write_text(RECORDER.format(folder=self.folder / "calls", python=shlex.quote(self.plugin.python)))
        script.chmod(0o755)
        return str(script)

    # --- what a user does -----------------------------------------------------------------------------------------

    def configure(self, **settings):
        given = {"plex_url": self.plex.url, "plex_token": self.plex.token, **settings}
        query = 'mutation($input: Map!) { configurePlugin(plugin_id: "Stash2Plex", input: $input) }'
        self.stash.graphql(query, {"input": given})

    def press(self, mode):
        """Run the manifest's task of this mode as Stash's page does; return what it logged."""
        (task,) = [one for one in self.manifest_tasks() if one.default_args["mode"] == mode]
        query = 'mutation($name: String) { runPluginTask(plugin_id: "Stash2Plex", task_name: $name) }'
        before = len(self.stash.logs)
        job = self.stash.jobs.find(int(self.stash.graphql(query, {"name": task.name})["runPluginTask"]))
        assert job.done.wait(PATIENCE), task.name
        assert (job.status, job.error) == ("FINISHED", None)
        return [entry for entry in self.stash.logs[before:] if entry.level != "debug"]

    def manifest_tasks(self):
        return self.stash.plugins.installed["Stash2Plex"].manifest.tasks

    def ask(self, mode, **args):
        query = 'mutation($args: Map) { runPluginOperation(plugin_id: "Stash2Plex", args: $args) }'
        return self.stash.graphql(query, {"args": {"mode": mode, **args}})["runPluginOperation"]

    def type(self, line):
        """Type a line after `python3 Stash2Plex.py`; what it printed is held to what holds for all."""
        new = self.folder / f"typed-{next(self._numbers)}"
        done = self.plugin.run(b"", *line.format(new=new, spare=self.spare).split(), timeout=PATIENCE)
        self.typed.append((line, done))
        assert b"Traceback" not in done.stdout + done.stderr, line
        return done

    # --- what they see --------------------------------------------------------------------------------------------

    def title(self, scene_id):
        return self.stash.library.scenes[scene_id].title

    def shows(self, scene_id):
        return self.plex.item(self.keys[scene_id]).title

    def wait_for_rest(self):
        """Until nothing is due, and the worker has no more to do."""

        def rests():
            queue = self.ask("status")["queue"]
            return not queue["due"] and not queue["claimed"]

        wait_until(rests, PATIENCE)

    def secrets(self):
        cookies = {self._cookie(call / "stdin") for call in (self.folder / "calls").iterdir()}
        return {self.plex.token, self.stash.settings.api_key, *cookies} - {""}

    @staticmethod
    def _cookie(stdin):
        return json.loads(stdin.read_bytes())["server_connection"]["SessionCookie"]["Value"]


@pytest.mark.timeout(400)
def test_a_new_user_walks_through_everything(tmp_path):
    with Walk(tmp_path) as walk:
        without_settings(walk)
        first_sync(walk)
        a_dead_letter(walk)
        every_task(walk)
        every_operation(walk)
        a_scene_that_plex_lacks(walk)
        every_verb(walk)
        slips(walk)
        a_terminal(walk)
        nothing_was_said_that_must_not_be(walk)


def without_settings(walk):
    told = walk.type("status")
    assert (told.code, b"The data folder was not found" in told.stderr) == (1, True)
    said = [entry.text for entry in walk.press("health_check")]
    assert f"[Plugin / Stash2Plex] Settings: {UNSET}" in said
    assert said[-1] == "[Plugin / Stash2Plex] 1 of 9 parts needs you."
    assert [entry.level for entry in walk.press("preview")] == ["error"]
    wait_until(lambda: UNSET.encode() in walk.type("status").stdout, PATIENCE)
    with pytest.raises(ResolverError, match=re.escape(UNSET)):
        walk.ask("preview_scene", scene_id=1)


def first_sync(walk):
    """Preview before anything is written, as the README advises; then the worker's own first sweep."""
    walk.configure(enabled=False)
    lines = [entry.text for entry in walk.press("preview")]
    assert "Of 12 scenes: 11 would change" in lines[-1]
    assert "11 would change" in walk.type("preview").stdout.decode()
    assert walk.ask("preview_scene", scene_id=1)["targets"][0]["verdict"] == "would change"
    assert walk.plex.journal.writes() == []
    walk.configure()
    wait_until(lambda: all(walk.shows(one) == walk.title(one) for one in walk.keys if walk.title(one)), PATIENCE)
    walk.wait_for_rest()


def a_dead_letter(walk):
    walk.plex.faults.add(status(400), kind="edit")
    walk.stash.save_scene(REJECTED, title="Plex will not have it")
    wait_until(lambda: walk.ask("status")["queue"]["dead"] == 1, PATIENCE)
    walk.plex.faults.clear()
    assert f"scene {REJECTED}" in walk.type("list --state dead").stdout.decode()


def every_task(walk):
    assert {task.default_args["mode"] for task in walk.manifest_tasks()} == set(CLOSING_LINES) == set(TASKS)
    for mode, line in CLOSING_LINES.items():
        *_, closing = walk.press(mode)
        assert closing.level == "info", closing
        assert re.search(line, closing.text), closing
    assert walk.shows(REJECTED) != "Plex will not have it"  # the run that brought it was undone
    walk.press("all")
    walk.press("process_queue")
    wait_until(lambda: walk.shows(REJECTED) == "Plex will not have it", PATIENCE)


def every_operation(walk):
    assert {mode for mode, _, _ in OPERATION_STEPS} == set(OPERATIONS)
    for mode, args, field in OPERATION_STEPS:
        given = {name: walk.spare if value == "{spare}" else value for name, value in args.items()}
        answer = walk.ask(mode, **given)
        assert answer["api"] == 2, mode
        assert field in answer, mode
    assert walk.shows(1) != walk.title(1)
    with pytest.raises(ResolverError, match="There is no task or operation 'explode'"):
        walk.ask("explode")


def a_scene_that_plex_lacks(walk):
    """It is explained, settled by hand, taken back, and the item is as it was."""
    walk.ask("undo", scene_id=LACKING)
    before = walk.plex.item(walk.spare).title
    (story,) = walk.ask("explain", scene_id=LACKING)["targets"]
    assert story["match"]["item_id"] is None
    assert "nothing in Plex is called" in story["plan"]["sentence"]
    walk.ask("map_scene", scene_id=LACKING, item_id=walk.spare)
    wait_until(lambda: walk.plex.item(walk.spare).title == walk.title(LACKING), PATIENCE)
    walk.wait_for_rest()
    walk.ask("unmap_scene", scene_id=LACKING)
    walk.ask("undo", scene_id=LACKING)
    assert walk.plex.item(walk.spare).title == before


def every_verb(walk):
    assert {line.split()[0] for line, _ in LOOKS + REFUSED + ACTS} == set(VERBS) - NOT_WALKED
    walk.wait_for_rest()
    writes = len(walk.plex.journal.writes())
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda step: as_line_and_as_json(walk, *step), LOOKS + REFUSED))
    assert len(walk.plex.journal.writes()) == writes  # neither who looks nor who is refused changes anything
    for line, code in ACTS:
        as_line_and_as_json(walk, line, code)


def as_line_and_as_json(walk, line, code):
    told = walk.type(line)
    assert told.code == code, (line, told.stdout, told.stderr)
    assert told.stderr or told.stdout or line.startswith("retry"), line
    if line.endswith("--clear") and not code:
        return  # it cannot be done twice
    answer = walk.type(f"{line} --json")
    assert answer.code == code, (line, answer.stdout, answer.stderr)
    document = json.loads(answer.stdout)
    assert isinstance(document, dict), line
    assert answer.stderr == b"", line


def slips(walk):
    for line in ("explode", "explain", "explain x", "list --state lost", "status extra", "reset everything"):
        told = walk.type(line)
        assert (told.code, told.stdout) == (2, b"")
        assert told.stderr.startswith(b"usage: Stash2Plex.py"), line
    nowhere = walk.type("--data-dir /nonexistent status --json")
    assert nowhere.code == 1
    assert "is not the plugin's data folder" in json.loads(nowhere.stdout)["error"]
    assert not Path("/nonexistent").exists()


def _heed_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def a_terminal(walk):
    seen, code = run_in_terminal(walk.plugin, "list", columns=80)
    plain = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", seen)
    assert code == 0
    assert max(map(len, plain.splitlines())) <= 80
    command = [walk.plugin.python, str(walk.plugin.script), "status", "--watch"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # As a terminal starts it: tests that run in the background ignore the signal, and so would their children.
    with subprocess.Popen(command, **pipes, cwd="/", preexec_fn=_heed_interrupts) as watching:  # noqa: PLW1509 - this process has no threads
        assert watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        _, said = watching.communicate(timeout=PATIENCE)
    assert (watching.returncode, said) == (130, b"")


def nothing_was_said_that_must_not_be(walk):
    calls = [call / "stdout" for call in (walk.folder / "calls").iterdir()]
    answers = [call.read_bytes() for call in calls]
    for answer in answers:
        assert answer.count(b"\n") == 1
        assert set(json.loads(answer)) <= {"output", "error"}
    logged = "\n".join(entry.text for entry in walk.stash.logs) + walk.plugin.log()
    typed = b"".join(done.stdout + done.stderr for _, done in walk.typed)
    said = logged + (b"".join(answers) + typed).decode()
    assert "Traceback" not in said
    assert not [secret for secret in walk.secrets() if secret in said]
    assert walk.plex.disasters == []
