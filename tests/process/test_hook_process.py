"""The hook as a process: one document, protocol lines, a durable job, and a sentence for everything else."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import persistqueue.serializers.json
import pytest
from persistqueue import Empty, SQLiteAckQueue

from runtime.lock import is_held
from sync_queue.queue_file import connect
from sync_queue.session import read_session
from tests.support.machine.small_disk import remount, small_disk
from tests.support.plugin.plugin import ROOT, wait_until


def queued(plugin):
    connection = connect(plugin.data.queue_dir)
    keys = [row[0] for row in connection.execute("SELECT key FROM ack_queue_default ORDER BY _id")]
    connection.close()
    return keys


def test_an_edit_is_on_disk_when_the_hook_has_answered(plugin):
    done = plugin.hook(42)
    done.assert_protocol()
    assert done.output == "ok: scene 42 queued"
    assert queued(plugin) == ["scene:42"]
    connection = connect(plugin.data.queue_dir)
    session = read_session(connection)
    connection.close()
    assert (session.scheme, session.host, session.port, session.cookie) == ("http", "0.0.0.0", 9, "test-cookie-1234")


def test_a_plain_ack_queue_drains_what_the_hook_wrote(plugin):
    plugin.hook(42)
    plugin.hook(43)
    plugin.kill_workers()
    queue = SQLiteAckQueue(plugin.data.queue_dir, multithreading=True, serializer=persistqueue.serializers.json)
    first, second = queue.get(block=False), queue.get(block=False)
    assert [(job["kind"], job["id"]) for job in (first, second)] == [("scene", 42), ("scene", 43)]
    with pytest.raises(Empty):
        queue.get(block=False)
    queue.close()


def test_a_bulk_edit_is_queued_whole_by_its_first_hook(plugin):
    ids = list(range(1, 201))
    done = plugin.hook(1, sent={"ids": [str(one) for one in ids], "rating100": 60}, fields=("ids", "rating100"))
    assert done.output == "ok: 200 scenes queued"
    assert queued(plugin) == [f"scene:{one}" for one in ids]


def test_stash_neither_waits_for_the_worker_nor_is_kept_by_it(plugin):
    start = time.monotonic()
    plugin.hook(1)  # returns at the end of stdout and the exit of the process, as Stash does
    assert time.monotonic() - start < 5
    pid = plugin.wait_for_worker()
    assert os.getsid(pid) == pid
    for descriptor in ("0", "1"):
        assert os.readlink(f"/proc/{pid}/fd/{descriptor}") == "/dev/null"


def test_data_folder_and_files_are_private(plugin):
    plugin.hook(1)
    plugin.wait_for_worker()
    wait_until(lambda: "begins" in plugin.log())
    for path in [Path(plugin.data.root), *Path(plugin.data.root).rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_the_data_folder_can_be_put_elsewhere(plugin, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    request = plugin.request({"hookContext": {"id": 1, "type": "Scene.Create.Post", "input": None}})
    plugin.run(request, environment={"STASH2PLEX_DATA_DIR": str(elsewhere)})
    assert (elsewhere / "queue" / "data.db").exists()
    assert not Path(plugin.data.root).exists()
    subprocess.run(["pkill", "-9", "-f", str(elsewhere)], check=False)


def test_a_hook_runs_without_any_third_party_package_and_without_the_network(plugin):
    probe = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules); import stash.wire, hooks.handlers;"
        "print(*sorted(set(sys.modules) - before))"
    )
    listed = subprocess.run(
        [sys.executable, "-E", "-S", "-c", probe, str(ROOT)], capture_output=True, text=True, check=True
    )
    roots = {name.split(".")[0] for name in listed.stdout.split()}
    ours = {"hooks", "model", "stash", "sync_queue", "validation", "runtime"}
    assert roots - ours <= set(sys.stdlib_module_names)
    # Not a matter of taste: each of these was measured to cost a good part of an interpreter's start.
    assert not roots & {"socket", "json", "re", "typing", "dataclasses", "subprocess", "logging", "pathlib", "sqlite3"}
    assert not roots & {"site", "functools", "collections", "encodings"}


def test_a_hook_that_cannot_matter_leaves_nothing_behind(plugin):
    done = plugin.hook(1, sent={"id": "1", "play_count": 3}, fields=("id", "play_count"))
    assert done.output == "ok: nothing to sync, only play_count was sent"
    assert plugin.hook(1, trigger="Gallery.Update.Post").output == "ok: not an event that reaches Plex"
    assert not Path(plugin.data.root).exists()


# What Stash would never send


def connection(**changes):
    return {"Scheme": "http", "Host": "h", "Port": 9, "SessionCookie": {"Value": "c"}, "Dir": "/nowhere", **changes}


def hook_of(context):
    return {"server_connection": connection(), "args": {"hookContext": context}}


GARBAGE = {
    "nothing": b"",
    "blank": b" \n\t ",
    "a word": b"hello",
    "half an object": b'{"server_connection": {',
    "two documents": b"{} {}",
    "a trailing comma": b'{"a": 1,}',
    "single quotes": b"{'a': 1}",
    "a comment": b"// {}",
    "null": b"null",
    "true": b"true",
    "a number": b"17",
    "a text": b'"text"',
    "a list": b"[]",
    "a list of objects": b"[{}]",
    "an empty object": b"{}",
    "NaN": b"NaN",
    "binary": bytes(range(256)),
    "invalid UTF-8": b'{"a": "\xff\xfe"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a NUL": b"\0",
    "a lone surrogate": {"server_connection": connection(Dir="\ud800"), "args": {"mode": "all"}},
    "a raw control character": b'{"a": "\x01"}',
    "a hundred thousand brackets": b"[" * 100_000,
    "a hundred thousand objects": b'{"a":' * 100_000,
    "a number of ten thousand digits": b'{"args": ' + b"9" * 10_000 + b"}",
    "no connection": {"args": {}},
    "connection null": {"server_connection": None, "args": {}},
    "connection a list": {"server_connection": [], "args": {}},
    "connection a text": {"server_connection": "x", "args": {}},
    "args a list": {"server_connection": connection(), "args": []},
    "args a text": {"server_connection": connection(), "args": "all"},
    "args missing": {"server_connection": connection()},
    "args null": {"server_connection": connection(), "args": None},
    "mode missing": {"server_connection": connection(), "args": {"x": 1}},
    "mode unknown": {"server_connection": connection(), "args": {"mode": "explode"}},
    "mode a number": {"server_connection": connection(), "args": {"mode": 7}},
    "mode a list": {"server_connection": connection(), "args": {"mode": ["all"]}},
    "mode of megabytes": {"server_connection": connection(), "args": {"mode": "x" * 3_000_000}},
    "mode hook without a context": {"server_connection": connection(), "args": {"mode": "hook"}},
    "no folder": {"server_connection": connection(Dir=None), "args": {"mode": "all"}},
    "no folder in a hook": {
        "server_connection": connection(Dir=""),
        "args": {"hookContext": {"id": 1, "type": "Scene.Create.Post"}},
    },
    "a folder with a NUL": {
        "server_connection": connection(Dir="/tmp/\0x"),
        "args": {"hookContext": {"id": 1, "type": "Scene.Create.Post"}},
    },
    "context null": hook_of(None),
    "context a list": hook_of([]),
    "context a text": hook_of("x"),
    "context empty": hook_of({}),
    "type missing": hook_of({"id": 1}),
    "type null": hook_of({"id": 1, "type": None}),
    "type a number": hook_of({"id": 1, "type": 9}),
    "type unknown": hook_of({"id": 1, "type": "Scene.Explode.Post"}),
    "type of megabytes": hook_of({"id": 1, "type": "x" * 3_000_000}),
    "id missing": hook_of({"type": "Scene.Update.Post"}),
    "id null": hook_of({"id": None, "type": "Scene.Update.Post"}),
    "id zero": hook_of({"id": 0, "type": "Scene.Update.Post"}),
    "id negative": hook_of({"id": -5, "type": "Scene.Update.Post"}),
    "id absurd": hook_of({"id": 10**30, "type": "Scene.Update.Post"}),
    "id a float": hook_of({"id": 1.5, "type": "Scene.Update.Post"}),
    "id true": hook_of({"id": True, "type": "Scene.Update.Post"}),
    "id a text": hook_of({"id": "drop table", "type": "Scene.Update.Post"}),
    "id an object": hook_of({"id": {"a": 1}, "type": "Scene.Update.Post"}),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_gets_a_sentence_and_never_a_traceback(plugin, name):
    raw = GARBAGE[name] if isinstance(GARBAGE[name], bytes) else json.dumps(GARBAGE[name]).encode()
    done = plugin.run(raw)
    done.assert_protocol()
    sentence = done.document.get("error") or done.document.get("output")
    assert sentence.endswith((".", "Plex"))
    assert "a bug of ours" not in sentence
    assert len(sentence) < 2000
    assert plugin.worker_pids() == []


def test_there_are_fifty_shapes_of_garbage():
    assert len(GARBAGE) >= 50


def test_a_cover_of_megabytes_in_the_input_is_read_over(plugin):
    sent = {"id": "5", "cover_image": "data:image/jpeg;base64," + "A" * 20_000_000}
    assert plugin.hook(5, sent=sent, fields=("id", "cover_image")).output == "ok: scene 5 queued"


def test_more_than_the_limit_is_drained_and_refused(plugin):
    done = plugin.run(b'{"a": "' + b"A" * (65 * 1024 * 1024) + b'"}')
    done.assert_protocol()
    assert "64 MiB" in done.error


# A queue that cannot be written


def test_a_file_where_the_folder_should_be_is_named(plugin):
    Path(plugin.data.root).write_text("not a folder")
    error = plugin.hook(1).error
    assert f"The data folder {plugin.data.root} cannot be used" in error
    assert "scene 1 was not queued" in error


def test_a_damaged_queue_is_named_healed_by_the_worker_and_used_again(plugin):
    os.makedirs(plugin.data.queue_dir)
    Path(plugin.data.queue_dir, "data.db").write_bytes(b"this is no database" * 1000)
    error = plugin.hook(1).error
    assert "it is damaged; the worker is putting it aside" in error
    wait_until(lambda: "It is kept as" in plugin.log() or "it is kept as" in plugin.log())
    assert plugin.hook(2).output == "ok: scene 2 queued"
    assert set(queued(plugin)) == {"all:0", "scene:2"}
    assert [name for name in os.listdir(plugin.data.queue_dir) if ".damaged-" in name]


@pytest.fixture
def mounted(tmp_path):
    """Mount a disk of this size at the data folder."""
    with contextlib.ExitStack() as disks:
        yield lambda size="16m": disks.enter_context(small_disk(tmp_path / "stash2plex", size=size))


@pytest.mark.mounts
def test_a_full_disk_is_named(plugin, mounted):
    mounted("64k")
    done = plugin.hook(1, sent={"ids": [str(one) for one in range(1, 3000)]}, fields=("ids", "title"))
    done.assert_protocol()
    assert "disk" in done.error
    assert "not queued; the next check of all scenes finds it" in done.error


@pytest.mark.mounts
def test_a_read_only_folder_is_named(plugin, mounted):
    assert remount(mounted(), "ro")
    done = plugin.hook(1)
    done.assert_protocol()
    assert "writable for the user Stash runs as" in done.error


@pytest.mark.mounts
def test_a_queue_that_became_read_only_is_named(plugin, mounted):
    disk = mounted()
    plugin.hook(1)
    plugin.kill_workers()
    wait_until(lambda: remount(disk, "ro"))  # the threads of the dead let go one by one
    done = plugin.hook(2)
    done.assert_protocol()
    assert "writable for the user Stash runs as" in done.error


# Old Pythons


def old_pythons():
    found = [shutil.which(f"python3.{minor}") for minor in (8, 9, 10)]
    found += [str(path) for path in Path.home().glob(".pyenv/versions/3.*/bin/python3")]
    named = {path: _version(path) for path in found if path}
    return [path for path, version in named.items() if version and (3, 8) <= version < (3, 11)]


def _version(python):
    code = "import sys; print(sys.version_info[0], sys.version_info[1])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None


@pytest.fixture
def pretender(tmp_path):
    """This Python, which says that it is an older one: not every machine has one that is."""
    pretend = (
        "import runpy, sys; sys.version_info = (3, 8, 0, 'final', 0);"
        "sys.argv = [word for word in sys.argv[1:] if word not in ('-E', '-S')];"
        "sys.path[0] = ''; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    script = tmp_path / "python3.8"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{pretend}" "$@"\n')
    script.chmod(0o755)
    return str(script)


def test_a_python_that_is_too_old_is_told_so_in_words(plugin, pretender):
    for plugin.python in [pretender, *old_pythons()]:
        done = plugin.hook(1)
        done.assert_protocol()
        assert "needs Python 3.11 or newer" in done.error
        assert plugin.run(b"", "status").code == 1


def test_two_hooks_that_begin_the_queue_together_both_succeed(plugin):
    processes = [
        plugin.start(plugin.request({"hookContext": {"id": one, "type": "Scene.Create.Post", "input": None}}))
        for one in range(1, 13)
    ]
    answers = [json.loads(process.communicate()[0]) for process in processes]
    assert answers == [{"output": f"ok: scene {one} queued"} for one in range(1, 13)]
    assert sorted(queued(plugin)) == sorted(f"scene:{one}" for one in range(1, 13))
    plugin.wait_for_worker()
    assert is_held(plugin.data.worker_lock)
