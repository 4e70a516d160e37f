"""Run-time packages on real Pythons: without them, with PEP 668 switched on, without pip, without network."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.support.plugin.plugin import InstalledPlugin, wait_until
from tests.support.settings import COMPLETE, config

pytestmark = pytest.mark.only_on("posix", reason="lays out Pythons with symbolic links")
NO_NETWORK = {"PIP_INDEX_URL": "http://user:password@127.0.0.1:9/simple", "PIP_NO_CACHE_DIR": "1", "PIP_FIND_LINKS": ""}


def relocated_python(folder, *, pip, managed):
    """Lay out a Python that is no venv: its own copy of the interpreter, the standard library by links."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    stdlib = Path(sysconfig.get_path("stdlib"))
    library = folder / "lib" / version
    library.mkdir(parents=True)
    (folder / "bin").mkdir()
    for entry in stdlib.iterdir():
        if entry.name not in ("site-packages", "EXTERNALLY-MANAGED", "__pycache__", "sitecustomize.py"):
            (library / entry.name).symlink_to(entry)
    if managed:
        (library / "EXTERNALLY-MANAGED").write_text(
            "[externally-managed]\nError=This Python is managed by its system.\n"
        )
    python = folder / "bin" / version
    shutil.copy(os.path.realpath(sys.executable), python)
    for shared in Path(sysconfig.get_config_var("LIBDIR")).glob("libpython3*.so*"):
        (folder / "lib" / shared.name).symlink_to(shared)
    _assert_works(python)
    if pip:
        _give_pip(python, folder / "donor")
    return str(python)


def _give_pip(python, donor):
    """Put pip where this Python looks for it: site-packages, or Debian's dist-packages."""
    venv.create(donor, with_pip=True)
    looked_in = subprocess.run(
        [str(python), "-c", "import site; print(site.getsitepackages()[0])"], capture_output=True, text=True, check=True
    )
    for entry in donor.glob("lib/python*/site-packages/pip*"):
        shutil.copytree(entry, Path(looked_in.stdout.strip()) / entry.name)


def _assert_works(python):
    probe = "import sys, sqlite3, json, sysconfig; print(sys.prefix)"
    done = subprocess.run([str(python), "-c", probe], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(python.parent.parent), f"this interpreter cannot be moved: {done.stderr[-200:]}"


def bare_venv(folder):
    venv.create(folder, with_pip=True)
    return str(folder / "bin" / "python")


@pytest.fixture
def install(tmp_path):
    installed = []

    def with_python(python):
        installed.append(InstalledPlugin(tmp_path / "config", python))
        installed[-1].record_work()
        return installed[-1]

    (tmp_path / "config").mkdir()
    yield with_python
    for one in installed:
        one.kill_workers()


def try_install(plugin, environment=None):
    """Ask for a task that needs the packages; return what the person reads."""
    request = plugin.request({"mode": "recent"})
    return plugin.run(request, environment=environment, timeout=300)


@pytest.mark.timeout(400)
def test_a_python_without_the_packages_gets_them_in_the_data_folder_and_works(install, tmp_path):
    from sim.stash.simulator import SimStash

    plugin = install(bare_venv(tmp_path / "venv"))
    with SimStash(scenes=3, config_dir=plugin.config_dir) as stash:
        stash.configure_plugin("Stash2Plex", COMPLETE)
        stash.install_plugin(plugin.plugin_dir, python=plugin.python)
        plugin.know_all_scenes(stash, config())
        stash.save_scene(1, title="Before there are packages")
        wait_until(lambda: plugin.finished_scenes() == {1}, 300)
        (tag,) = os.listdir(plugin.data.packages_dir)
        assert (Path(plugin.data.packages_dir) / tag / "plexapi").is_dir()
        first = os.stat(Path(plugin.data.packages_dir) / tag).st_mtime_ns
        plugin.kill_workers()
        stash.save_scene(2, title="And now they are there")
        wait_until(lambda: plugin.finished_scenes() == {1, 2})
        assert os.stat(Path(plugin.data.packages_dir) / tag).st_mtime_ns == first
        plugin.kill_workers()
    outside = subprocess.run([plugin.python, "-m", "pip", "list"], capture_output=True, text=True, check=True).stdout
    assert "plexapi" not in outside.lower()


@pytest.mark.timeout(400)
def test_a_python_managed_by_its_system_is_not_touched_and_not_in_the_way(install, tmp_path):
    python = relocated_python(tmp_path / "managed", pip=True, managed=True)
    refused = subprocess.run([python, "-m", "pip", "install", "six"], capture_output=True, text=True, check=False)
    assert "externally-managed-environment" in refused.stderr
    plugin = install(python)
    done = try_install(plugin)
    done.assert_protocol()
    assert "Stash does not answer" in done.error  # it came as far as asking Stash, so the packages are there
    assert os.listdir(plugin.data.packages_dir)


def test_a_python_without_pip_says_what_to_install_and_goes_on_queueing(install, tmp_path):
    plugin = install(relocated_python(tmp_path / "bare", pip=False, managed=False))
    done = try_install(plugin)
    done.assert_protocol()
    assert "has no pip" in done.error
    assert "apk add py3-pip" in done.error
    assert "plexapi" in done.error
    assert plugin.hook(1).output == "ok: scene 1 queued"
    pid = plugin.wait_for_worker()
    wait_until(lambda: "has no pip" in plugin.log())
    plugin.hook(2)
    assert plugin.worker_pids() == [pid]  # it waits instead of being started anew by every hook
    status = plugin.run(plugin.request({"mode": "queue_status"})).output
    assert "has no pip" in status["worker"]["obstacle"]
    assert status["queue"]["due"] == 2
    health = plugin.run(plugin.request({"mode": "health_check"})).output
    assert [finding["ok"] for finding in health["findings"] if finding["part"] == "Packages"] == [False]


@pytest.mark.timeout(400)
def test_a_package_that_is_there_and_broken_is_named_and_does_not_start_a_worker_a_hook(install, tmp_path):
    broken = tmp_path / "broken" / "pydantic_core"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('built for another machine')")
    plugin = install(sys.executable)
    done = plugin.run(plugin.request({"mode": "recent"}), environment={"PYTHONPATH": str(broken.parent)})
    done.assert_protocol()
    assert "built for another machine" in done.error
    assert "--force-reinstall" in done.error
    request = plugin.request({"hookContext": {"id": 1, "type": "Scene.Create.Post", "input": None}})
    plugin.run(request, environment={"PYTHONPATH": str(broken.parent)})
    pid = plugin.wait_for_worker()
    wait_until(lambda: "built for another machine" in plugin.log())
    plugin.run(request, environment={"PYTHONPATH": str(broken.parent)})
    assert plugin.worker_pids() == [pid]


@pytest.mark.timeout(400)
def test_a_machine_without_network_says_what_to_type_and_goes_on_by_itself_when_somebody_did(install, tmp_path):
    python = bare_venv(tmp_path / "venv")
    plugin = install(python)
    done = try_install(plugin, NO_NETWORK)
    done.assert_protocol()
    assert "pip could not install them" in done.error
    by_hand = f"{python} -m pip install --target"
    assert by_hand in done.error
    assert "password" not in done.error
    assert not os.path.exists(plugin.data.packages_dir) or os.listdir(plugin.data.packages_dir) == []

    request = plugin.request({"hookContext": {"id": 1, "type": "Scene.Create.Post", "input": None}})
    assert plugin.run(request, environment=NO_NETWORK).output == "ok: scene 1 queued"
    plugin.wait_for_worker()
    wait_until(lambda: "pip could not install them" in plugin.log(), 60)
    (command,) = [part for part in done.error.split(": ") if part.startswith(by_hand)]
    typed = command.partition(" Edits")[0].split()
    subprocess.run(typed, check=True, capture_output=True)
    wait_until(lambda: "Stash does not answer" in plugin.log(), 60)
