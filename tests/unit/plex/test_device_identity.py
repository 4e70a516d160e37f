"""One identifier per installation, whatever happens to its file."""

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from plex.device_identity import load_identity


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path)


def test_the_identifier_is_made_once_and_kept(folder):
    first = load_identity(folder, "1.2.3")
    assert load_identity(folder).identifier == first.identifier
    assert first.headers["X-Plex-Client-Identifier"] == first.identifier
    assert first.headers["X-Plex-Version"] == "1.2.3"


def test_two_installations_are_two_devices(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for one in folders:
        one.mkdir()
    assert len({load_identity(str(one)).identifier for one in folders}) == 2


@pytest.mark.only_on("posix", reason="Windows has no such modes")
def test_the_file_is_readable_to_its_owner_alone(folder, tmp_path):
    load_identity(folder)
    assert stat.S_IMODE((tmp_path / "device.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["device.json"]


@pytest.mark.parametrize("ruin", [b"", b"{", b"[]", b"null", b'{"identifier": 7}', b'{"identifier": "x"}', b"\xff\x00"])
def test_a_damaged_file_is_repaired_once(folder, tmp_path, ruin):
    (tmp_path / "device.json").write_bytes(ruin)
    first = load_identity(folder)
    assert load_identity(folder).identifier == first.identifier
    assert json.loads((tmp_path / "device.json").read_text())["identifier"] == first.identifier


def test_what_can_be_read_of_a_cut_file_is_kept(folder, tmp_path):
    old = load_identity(folder).identifier
    (tmp_path / "device.json").write_text(f'{{"identifier": "{old}", "na')
    assert load_identity(folder).identifier == old


@pytest.mark.parametrize("ruin", [None, b"", b"[1, 2"])
def test_many_at_once_agree(folder, tmp_path, ruin):
    if ruin is not None:
        (tmp_path / "device.json").write_bytes(ruin)
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: load_identity(folder).identifier, range(64)))
    assert len(found) == 1
    assert found == {load_identity(folder).identifier}


def test_a_file_system_without_links_will_do(folder, monkeypatch):
    def no_links(*_):
        raise OSError("not supported")

    monkeypatch.setattr(os, "link", no_links)
    assert load_identity(folder).identifier == load_identity(folder).identifier


def test_the_folder_is_made_if_need_be(folder):
    deep = os.path.join(folder, "not", "there")
    assert load_identity(deep) == load_identity(deep)


def test_importing_the_client_does_not_import_plexapi_which_would_fix_a_strangers_identifier():
    script = "import sys, plex.client; assert 'plexapi' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


SCRIPT = """
import sys
from plex.device_identity import load_identity, prepare_plexapi
if "{when}" == "late":
    import plexapi
identity = load_identity(sys.argv[1], "9.9")
prepare_plexapi(identity)
import plexapi, plexapi.base, plexapi.server
assert plexapi.server.BASE_HEADERS["X-Plex-Client-Identifier"] == identity.identifier
assert plexapi.server.BASE_HEADERS["X-Plex-Product"] == "Stash2Plex"
if "{when}" == "early":
    assert plexapi.X_PLEX_IDENTIFIER == identity.identifier
class Thing(plexapi.base.PlexObject):
    def _loadData(self, data): pass
assert Thing(None, None)._autoReload is False
"""


@pytest.mark.parametrize("when", ["early", "late"])
def test_plexapi_takes_the_identifier_and_stops_reloading(folder, when):
    script = SCRIPT.replace("{when}", when)
    done = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
