"""Python's site packages: a hook starts without them, and what needs packages finds all that a plain Python finds."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.support.plugin.plugin import InstalledPlugin, wait_until

pytestmark = pytest.mark.only_on("posix", reason="lays out Pythons with symbolic links")
PACKAGES_HERE = sysconfig.get_path("purelib")
NO_NETWORK = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_CACHE_DIR": "1", "PIP_FIND_LINKS": ""}
BASE_PYTHON = os.path.realpath(sys.executable)


@pytest.fixture
def install(tmp_path):
    installed = []

    def with_python(python):
        (tmp_path / "config").mkdir()
        installed.append(InstalledPlugin(tmp_path / "config", str(python)))
        installed[-1].record_work()
        return installed[-1]

    yield with_python
    for one in installed:
        one.kill_workers()


def empty_venv(folder):
    """Make a venv with nothing in it; return its Python and its folder of packages."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    return folder / "bin" / "python", packages


def lend_packages(folder):
    """Have a .pth file lead to the packages of this environment."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lent.pth").write_text(f"{PACKAGES_HERE}\n")


def ask_stash(plugin, **environment):
    """Run a task that needs packages; without them it would have to install some, and there is no network."""
    done = plugin.run(plugin.request({"mode": "recent"}), environment={**NO_NETWORK, **environment}, timeout=120)
    done.assert_protocol()
    return done.error


def came_past_the_packages(plugin, sentence):
    return "Stash does not answer" in sentence and not os.path.exists(plugin.data.packages_dir)


def test_a_hook_reads_no_pth_file_and_what_needs_packages_reads_all(install, tmp_path):
    python, packages = empty_venv(tmp_path / "venv")
    lend_packages(packages)
    (packages / "watch.pth").write_text(
        f"import sys; open({str(tmp_path)!r} + ('/worker' if 'worker' in sys.orig_argv else '/other'), 'w').close()\n"
    )
    plugin = install(python)
    assert plugin.hook(1).output == "ok: scene 1 queued"
    plugin.wait_for_worker()
    wait_until(lambda: "Stash does not answer" in plugin.log())
    assert plugin.run(plugin.request({"mode": "status"})).output["queue"]["due"] == 1
    assert (tmp_path / "worker").exists()
    assert not (tmp_path / "other").exists()
    assert came_past_the_packages(plugin, ask_stash(plugin))
    assert (tmp_path / "other").exists()


def test_packages_on_a_persons_pythonpath_are_found(install, tmp_path):
    python, _ = empty_venv(tmp_path / "venv")
    plugin = install(python)
    theirs = f"{tmp_path / 'elsewhere'}{os.pathsep}{PACKAGES_HERE}{os.pathsep}{plugin.plugin_dir.parent}"
    assert came_past_the_packages(plugin, ask_stash(plugin, PYTHONPATH=theirs))


@pytest.mark.parametrize("wanted", [True, False])
def test_packages_of_the_user_are_found_unless_the_user_says_no(install, tmp_path, wanted):
    environment = {"PYTHONUSERBASE": str(tmp_path / "user")}
    asked = [BASE_PYTHON, "-m", "site", "--user-site"]
    user_site = subprocess.run(asked, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    lend_packages(Path(user_site.stdout.strip()))
    plugin = install(BASE_PYTHON)
    sentence = ask_stash(plugin, **environment, **({} if wanted else {"PYTHONNOUSERSITE": "1"}))
    assert came_past_the_packages(plugin, sentence) is wanted
    assert wanted or "Python packages are missing" in sentence
