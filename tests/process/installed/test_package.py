"""The published plugin: what Stash downloads, unpacked as Stash does it, works."""

import hashlib
import io
import os
import posixpath
import re
import subprocess
import zipfile
from datetime import UTC, datetime

import pytest
import yaml

from release.package import CannotBuild, make_index, make_zip, publish, read_commit
from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from tests.support.plugin.package import build_source, unpacking
from tests.support.plugin.plugin import PACKAGES, ROOT, InstalledPlugin, wait_until


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A plugin source, built by the command."""
    return build_source(tmp_path_factory.mktemp("source") / "dist")


@pytest.fixture
def installed(source, tmp_path):
    """What Stash's package manager makes of it: the zip's files below the source's folder, and a list of them."""
    plugin = InstalledPlugin(tmp_path, fill=unpacking(source), source="community")
    yield plugin
    plugin.kill_workers()


def test_the_index_names_what_stash_wants_and_fits_the_zip(source):
    assert sorted(os.listdir(source)) == ["Stash2Plex.zip", "index.yml"]
    (entry,) = yaml.safe_load((source / "index.yml").read_text())
    assert set(entry) == {"id", "name", "metadata", "version", "date", "path", "sha256"}
    assert entry["id"] == entry["name"] == "Stash2Plex"
    assert entry["sha256"] == hashlib.sha256((source / entry["path"]).read_bytes()).hexdigest()
    made_at = subprocess.check_output(["git", "-C", ROOT, "log", "-1", "--format=%ct"], text=True)
    date = datetime.strptime(entry["date"], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    assert date.timestamp() == int(made_at)
    manifest = yaml.safe_load((ROOT / "Stash2Plex.yml").read_text())
    assert entry["metadata"]["description"] == manifest["description"]
    assert entry["version"].startswith(manifest["version"] + "-")


def test_the_zip_holds_what_users_need_and_no_more(source):
    with zipfile.ZipFile(source / "Stash2Plex.zip") as archive:
        names = archive.namelist()
        assert archive.testzip() is None
    assert [name for name in names if name.endswith((".yml", ".yaml"))] == ["Stash2Plex.yml"]
    assert {name.partition("/")[0] for name in names if "/" in name} == {*PACKAGES, "ui", "docs"}
    page = {name for name in names if name.startswith("ui/")}
    assert page == {"ui/dist/entry.js", "ui/dist/page.js", "ui/dist/stash2plex.css"}
    assert {"Stash2Plex.py", "requirements.txt", "LICENSE", "README.md"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or "test" in name or name.startswith((".", "/"))]
    assert all(".." not in name.split("/") and "\\" not in name for name in names)


def test_every_page_in_the_zip_leads_only_to_what_is_in_it(source):
    with zipfile.ZipFile(source / "Stash2Plex.zip") as archive:
        names = set(archive.namelist())
        pages = {name: archive.read(name).decode() for name in names if name.endswith(".md")}
    assert {"README.md", "docs/settings.md"} <= set(pages)
    for name, page in pages.items():
        for link in re.findall(r"\]\(((?!https://)[^)#\s]+)", page):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
            assert target in {*names, "deploy"}, (name, link)  # intake as a service is deployed from a clone


def test_the_same_commit_makes_the_same_bytes():
    one, other = read_commit(ROOT), read_commit(ROOT)
    assert make_zip(one) == make_zip(other)
    assert make_index(one, b"") == make_index(other, b"")
    with zipfile.ZipFile(io.BytesIO(make_zip(one))) as archive:
        (moment,) = {datetime(*entry.date_time, tzinfo=UTC) for entry in archive.infolist()}
        assert 0 <= (one.made_at - moment).total_seconds() < 2  # a zip counts in steps of two seconds
        assert {(entry.create_system, entry.external_attr) for entry in archive.infolist()} == {(3, 0o100644 << 16)}


def test_it_builds_into_its_own_folder_again_and_into_nobody_elses(tmp_path):
    commit = read_commit(ROOT)
    publish(commit, str(tmp_path / "dist"))
    publish(commit, str(tmp_path / "dist"))
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").touch()
    with pytest.raises(CannotBuild, match=r"cat\.jpg"):
        publish(commit, str(tmp_path / "photos"))
    assert os.listdir(tmp_path / "photos") == ["cat.jpg"]


def test_a_folder_without_git_is_told_so(tmp_path):
    with pytest.raises(CannotBuild, match="git log failed"):
        read_commit(str(tmp_path))


def test_what_was_installed_serves_hooks_tasks_and_the_worker(installed):
    with SimPlex(items=0) as plex, SimStash(scenes=3, config_dir=installed.config_dir) as stash:
        stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})
        stash.install_plugin(installed.plugin_dir, python=installed.python)
        file = stash.library.scenes[1].files[0]
        key = plex.add_item(file.path, file.size, int(file.duration * 1000))
        stash.save_scene(1, title="From the zip")
        wait_until(lambda: plex.item(key).title == "From the zip", 40)
        status = installed.run(installed.request({"mode": "queue_status"}, stash.port))
        status.assert_protocol()
        assert status.output["queue"]["dead"] == 0
        installed.kill_workers()


def test_what_was_installed_says_why_it_has_no_demo(installed):
    told = installed.run(b"", "demo")
    assert told.code == 1
    assert b"simulated servers" in told.stderr
