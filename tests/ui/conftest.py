"""The page in a real browser: the stub of Stash's web app, the simulated Stash behind it, a scripted plugin."""

import pytest
from playwright.sync_api import expect, sync_playwright

from runtime.version import VERSION
from sim.stash.shell.front import ShellFront, ShellOptions
from sim.stash.shell.plugin_files import PluginFiles
from sim.stash.simulator import SimStash
from tests.ui.support.chromium import find_chromium
from tests.ui.support.plugin_answers import answers
from tests.ui.support.scripted_plugin import ScriptedPlugin
from tests.ui.support.shell_build import SHELL, build_shell
from tests.ui.support.traffic import arguments_and_answers
from ui.node import UI

expect.set_options(timeout=20_000)  # for a machine that is busy; what is there is found at once
SIZES = {"wide": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}

# Without a browser there is nothing here to try; the summary says so, see tests/conftest.py.
collect_ignore_glob = [] if find_chromium() else ["browser/*"]


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def shell():
    return build_shell()


@pytest.fixture
def stash():
    with SimStash(scenes=12) as simulated:
        simulated.configure_plugin("Stash2Plex", {"plex_url": "http://192.168.1.10:32400", "plex_token": "a-token"})
        yield simulated


@pytest.fixture
def plugin():
    return ScriptedPlugin(answers(), VERSION)


SECRET_KEYS = ("plex_token", "emby_api_key", "jellyfin_api_key")
HOSTILE = [
    PluginFiles("drops", SHELL / "hostile", ("drops_props.js",), (), {}),
    PluginFiles("throws", SHELL / "hostile", ("throws.js",), (), {}),
]


@pytest.fixture
def options(shell):
    """Our plugin between two hostile ones."""
    ours = PluginFiles.read(UI.parent / "Stash2Plex.yml")
    return ShellOptions(shell, plugins=[HOSTILE[0], ours, HOSTILE[1]])


@pytest.fixture
def front(stash, options, plugin):
    """Whatever a test does: nothing crashes, and no operation or task takes or gives a secret or a session's cookie."""
    with ShellFront(stash, options, plugin) as serving:
        yield serving
    assert serving.crashes == []
    settings = stash.settings.plugins.get("Stash2Plex", {})
    secrets = {str(settings[key]) for key in SECRET_KEYS if settings.get(key)} | stash.sessions.signatures
    assert [text for text in arguments_and_answers(serving) if any(secret in text for secret in secrets)] == []


@pytest.fixture(params=list(SIZES))
def size(request):
    """Tests that name it run on a desk and on a phone."""
    return request.param


class Tab:
    """One tab: opens addresses of the shell, remembers what went wrong in it."""

    def __init__(self, page, front):
        self.page = page
        self.front = front
        self.mistakes = []
        page.on("pageerror", lambda error: self.mistakes.append(str(error)))
        page.set_default_timeout(30_000)

    def open(self, address="/plugins/stash2plex"):
        self.page.goto(self.front.url + address)
        return self.page

    def our_mistakes(self):
        return [one for one in self.mistakes if "the other plugin" not in one]


@pytest.fixture
def open_tab(browser, front):
    """Opens tabs of any size; none of them may end with a mistake of ours."""
    opened = []

    def open_one(size="wide", **more):
        is_phone = size == "phone"
        context = browser.new_context(viewport=SIZES[size], has_touch=is_phone, is_mobile=is_phone, **more)
        tab = Tab(context.new_page(), front)
        opened.append((context, tab))
        return tab

    yield open_one
    for context, tab in opened:
        context.close()
        assert tab.our_mistakes() == []


@pytest.fixture
def tab(open_tab):
    return open_tab()
