"""The first minutes of an installation: the packages are still being installed, and nobody calls that a fault."""

import sysconfig
import venv

import pytest

from sim.plex.server import SimPlex
from sim.stash.simulator import SimStash
from tests.support.plugin.plugin import InstalledPlugin, wait_until

pytestmark = pytest.mark.only_on("posix", reason="lays out a Python with symbolic links")

SLOW_PIP = """
import os, sys, time
target = sys.argv[sys.argv.index("--target") + 1]
time.sleep({seconds})
{then}
os.makedirs(target)
for name in os.listdir({packages!r}):
    os.symlink(os.path.join({packages!r}, name), os.path.join(target, name))
"""


def python_with_pip(folder, seconds, then=""):
    """Make a venv whose pip takes its time and then lends the packages of this environment."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "pip").mkdir()
    (packages / "pip" / "__init__.py").touch()
    lent = SLOW_PIP.format(seconds=seconds, then=then, packages=sysconfig.get_path("purelib"))
    (packages / "pip" / "__main__.py").write_text(lent)
    return str(folder / "bin" / "python")


@pytest.fixture
def install(tmp_path):
    installed = []

    def with_pip(seconds, then=""):
        (tmp_path / "config").mkdir()
        installed.append(InstalledPlugin(tmp_path / "config", python_with_pip(tmp_path / "venv", seconds, then)))
        return installed[-1]

    yield with_pip
    for one in installed:
        one.kill_workers()


@pytest.fixture
def servers(tmp_path):
    with SimPlex(items=0) as plex, SimStash(scenes=1, config_dir=tmp_path / "config") as stash:
        (file,) = stash.library.scenes[1].files
        plex.add_item(file.path, file.size, int(file.duration * 1000))
        stash.configure_plugin("Stash2Plex", {"plex_url": plex.url, "plex_token": plex.token})
        yield stash


def ask(plugin, stash, mode):
    done = plugin.run(plugin.request({"mode": mode}, stash.port, stash.login().removeprefix("session=")))
    done.assert_protocol()
    return done


def findings(done):
    return {one["part"]: (one["ok"], one["sentence"]) for one in done.output["findings"]}


def test_the_first_health_check_waits_for_the_packages_with_progress_and_then_looks_at_everything(install, servers):
    plugin = install(seconds=4)
    done = ask(plugin, servers, "health_check")
    assert (done.output["ok"], done.output["findings"][-1]["part"]) == (True, "Path map")
    assert {"Stash", "Settings", "Plex", "Token", "Libraries"} <= findings(done).keys()
    assert b"that takes about half a minute, once. They are: persist-queue, plexapi, " in done.stderr
    assert done.stderr.count(b"\x01p\x02") > 5


def test_an_installation_that_takes_long_is_no_fault(install, servers):
    plugin = install(seconds=30)
    plugin.adjust("tasks.health.check.INSTALL_PATIENCE_SECONDS", 2.0)
    done = ask(plugin, servers, "health_check")
    assert done.output["ok"], done.output
    found = findings(done)
    assert "still installs" in found["Packages"][1]
    assert found["Plex"][1].startswith("OK, it answers at http://127.0.0.1")
    assert found["Token"][1].startswith("OK, Plex accepts it.")
    assert "Not asked yet" in found["Libraries"][1]
    assert "installing" in ask(plugin, servers, "queue_status").output["sentence"]


def test_an_installation_that_failed_is_one_fault(install, servers):
    plugin = install(seconds=0, then="sys.exit('ERROR: no index here')")
    done = ask(plugin, servers, "health_check")
    assert [one["part"] for one in done.output["findings"] if not one["ok"]] == ["Packages", "Worker"]
    assert "no index here" in findings(done)["Packages"][1]


def test_sync_all_says_that_the_packages_are_missing(install, servers):
    plugin = install(seconds=3, then="sys.exit('ERROR: no index here')")
    assert "The worker is installing the Python packages" in ask(plugin, servers, "all").output["sentence"]
    wait_until(lambda: "no index here" in plugin.log())
    for mode in ("all", "reconcile"):
        assert "no index here" in ask(plugin, servers, mode).output["sentence"]


def test_process_queue_waits_for_the_packages(install, servers):
    plugin = install(seconds=15)
    ask(plugin, servers, "all")
    assert ask(plugin, servers, "process_queue").output["left"] == 0
