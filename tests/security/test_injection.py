"""Names that try to be something else: a line of the log, a level of Stash's, a path, a statement."""

import logging
import os
import re
import unicodedata
from pathlib import Path

import pytest

from ledger.store import Ledger
from runtime.privacy.redaction import Redactor
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from tests.support.plugin.plugin import InstalledPlugin, wait_until
from worker.log_file import _Formatter

FORGED = "2026-01-01 00:00:00,000 ERROR   forged"
CONTROLS = [chr(code) for code in (*range(32), *range(127, 160), 0x2028, 0x2029)]
LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) +\S|    \| ")

EVIL = (
    f"a\n{FORGED}\r\x01e\x02forged\x1b[31m\u2028\x85../../../../tmp/evil'); DROP TABLE scene; --\" $HOME %s {{0}} `id`"
)
FILES_OF_OURS = {
    "circuit_breaker.json",
    "data.db",
    "device.json",
    "ledger.db",
    "packages.json",
    "packages.lock",
    "preview.json",
    "preview.jsonl",
    "preview.lock",
    "preview.txt",
    "queue_status.json",
    "queue_status.lock",
    "targets.json",
    "offered_settings.json",
    "privacy.json",
    "recovery_state.json",
    "stats.json",
    "worker.err",
    "worker.json",
    "worker.lock",
    "worker.log",
}


def formatted(message, *arguments, error=None):
    info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("x", logging.INFO, "x.py", 1, message, arguments, info)
    return _Formatter(Redactor()).format(record)


@pytest.mark.parametrize("control", CONTROLS)
def test_no_control_character_reaches_the_log(control):
    line = formatted("scene:1: %s", f"a{control}b")
    assert control not in line
    assert len(line.splitlines()) == 1


def test_a_trace_cannot_pass_for_lines_of_the_log():
    lines = formatted("A bug of ours.", error=ValueError(EVIL)).split("\n")
    assert lines[0].endswith("A bug of ours.")
    assert all(line.startswith("    | ") for line in lines[1:])
    assert not [line for line in lines if any(control in line for control in CONTROLS)]


def test_percent_signs_and_braces_in_names_are_just_that():
    assert formatted("%s", "100 %s %(x)d {0}").endswith("100 %s %(x)d {0}")


@pytest.fixture
def plugin(tmp_path):
    installed = InstalledPlugin(tmp_path)
    yield installed
    installed.kill_workers()


def test_evil_names_are_only_names_from_stash_to_plex(plugin, tmp_path):
    with SimPlex(items=1) as plex, SimStash(scenes=3, config_dir=plugin.config_dir) as stash:
        stash.configure_plugin(
            "Stash2Plex",
            {"plex_url": plex.url, "plex_token": plex.token, "trigger_plex_scan": True, "debug_logging": True},
        )
        stash.install_plugin(plugin.plugin_dir, python=plugin.python)
        known, unknown = (stash.library.scenes[number].files[0] for number in (1, 2))
        known.path = f"/data/{EVIL}.mp4"
        unknown.path = f"/data/other {EVIL}/../{EVIL} unknown.mp4"
        key = plex.add_item(known.path.replace("/data/", "/films/"), known.size, int(known.duration * 1000))
        stash.save_scene(1, title=EVIL, details=EVIL, director=EVIL, code=EVIL)
        stash.save_scene(2, title=EVIL)
        wait_until(lambda: "forged" in plex.item(key).title)
        wait_until(lambda: "scene:2: Not in Plex yet" in plugin.log())
        runs = [plugin.run(plugin.request({"mode": mode}, stash.port)) for mode in ("preview", "queue_status", EVIL)]
        assert not [entry for entry in stash.logs if entry.level == "error"]
        assert plex.disasters == []
        plugin.kill_workers()

    assert not [line for line in plugin.log().split("\n")[:-1] if not LOG_LINE.match(line)]
    for run in runs:
        run.assert_protocol()
        assert {line[1:2] for line in run.stderr.split(b"\n")[:-1]} <= {b"i", b"w", b"d", b"p"}
    written = {
        name.removesuffix("-wal").removesuffix("-shm") for _, _, names in os.walk(plugin.data.root) for name in names
    }
    assert written <= FILES_OF_OURS
    shown = Path(plugin.data.preview).read_text(encoding="utf-8")
    assert not [one for one in shown if one != "\n" and unicodedata.category(one) == "Cc"]
    ledger = Ledger(plugin.data.target("plex").ledger)
    assert ledger.scenes.get(1) is not None
    ledger.close()
