"""Finds a Chromium for the browser tests; as a program it installs one where that is allowed, else says so loudly."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APT = (("apt-get", "update"), ("apt-get", "install", "-y", "--no-install-recommends", "chromium"))
NOT_TRIED = """
==================================================================================================
 NOT TRIED: the page inside Stash. There is no Chromium here, so none of tests/ui/browser has run.
 Install one (Debian: apt-get install chromium), or name it: CHROMIUM=/path/to/chromium make test
==================================================================================================
"""


def find_chromium() -> str | None:
    """The program's address: from CHROMIUM, else the first known name on the path."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def print_not_tried(reporter) -> None:
    """End a run of the tests with what it did not try."""
    if find_chromium() is None:
        reporter.write(NOT_TRIED, red=True, bold=True)


def install() -> None:
    if shutil.which("apt-get") and os.geteuid() == 0:
        for command in APT:
            subprocess.run(command, check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


if __name__ == "__main__":
    if find_chromium() is None:
        install()
    found = find_chromium()
    print(f"Browser tests run in {found}." if found else NOT_TRIED, file=sys.stdout if found else sys.stderr)
