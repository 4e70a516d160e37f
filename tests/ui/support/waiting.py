"""Waiting for what a click leads to, outside of the page: Playwright waits only for what stands in it."""

import time
from collections.abc import Callable

from playwright.sync_api import Page

PATIENCE_SECONDS = 20.0
POLL_MILLISECONDS = 20


def wait_for(page: Page, claim: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Return as soon as the claim holds; the page goes on living meanwhile."""
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline, "it did not come true in time"
        page.wait_for_timeout(POLL_MILLISECONDS)


def settle(page: Page) -> None:
    """Return when nothing is under way any more: what was asked by now is recorded."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(600)
