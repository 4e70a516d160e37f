"""A publisher of a simulated Emby or Jellyfin that sees a real folder, and a site with pictures."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from intake.publishing.picture_fetch import PictureFetcher
from intake.publishing.server_paths import PathMap
from intake.publishing.target_publisher import ShownAs, TargetPublisher
from intake.sources.work import Work
from mediabrowser.client import MediaBrowserClient
from mediabrowser.connection import Timeouts
from mediabrowser.dialect import Product
from mediabrowser.target import MediaBrowserTarget
from sim.mediabrowser.controls.real_folder import RealFolder
from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.server import SimMediaBrowser
from sim.wordpress.server import SimWordPress
from tests.integration.sim.mediabrowser_http import Clock
from tests.support.openapi import held_to_documents


class Stage:
    """A server with its folder, and the publisher that speaks to it. Time goes by when `wait` is called."""

    def __init__(self, folder, stack, flavour, site, *, seen_as="", held=True, items=3, read_timeout=20.0, **options):
        self.library = folder / "library"
        self.library.mkdir(exist_ok=True)
        self.clock = Clock()
        self.server = stack.enter_context(SimMediaBrowser(flavour, items, clock=self.clock))
        self.folder = RealFolder(self.server, str(self.library), seen_as)
        if held:
            stack.enter_context(held_to_documents(self.server))
        product = Product.EMBY if self.server.flavour.is_emby else Product.JELLYFIN
        timeouts = Timeouts(20.0, read_timeout)
        client = MediaBrowserClient(
            self.server.url, self.server.api_key, product, device_id="test", timeouts=timeouts, wait=print
        )
        shown_as = ShownAs(PathMap(options.pop("path_map", {})), **options)
        self.replaced = folder / "replaced"
        target = MediaBrowserTarget(client, product, str(self.replaced), self.clock, collections=False)
        self.publisher = TargetPublisher(target, shown_as, PictureFetcher(), self.clock)
        stack.callback(self.publisher.close)
        self.site = site

    def place(self, name="Ruri/Ruri - SONE-760.mp4", content=b"a film"):
        path = self.library / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return str(path)

    def wait(self, seconds):
        self.clock.wait(seconds)

    def indexed(self, path):
        """Have a file scanned and looked into, and return its item."""
        self.publisher.scan([path])
        self.wait(2)
        return self.publisher.find(path, is_last=False)

    def published(self, path, work):
        item = self.indexed(path)
        self.publisher.write(item, work, path, {})
        for place in self.publisher.places:
            self.publisher.show_picture(item, work, place, "")
        return item

    def shown(self, item):
        return self.server.item_json(item)


@pytest.fixture(params=FLAVOURS)
def flavour(request):
    return request.param


@pytest.fixture
def site():
    with SimWordPress() as running:
        yield running


@pytest.fixture
def work(site):
    return Work(
        "SONE-760",
        "A title: part two",
        "物語",
        "What happens.",
        ("Ruri Saijo",),
        ("Drama", "Romance"),
        "2024-05-01",
        maker="Maker",
        label="Label",
        image_url=f"{site.origin}/wp-content/SONE-760.jpg?horizontal=1",
    )


@pytest.fixture
def stage(tmp_path, site):
    with ExitStack() as stack:
        yield lambda flavour="jellyfin-12", **options: Stage(Path(tmp_path), stack, flavour, site, **options)
