"""The published plugin: built by its command, and unpacked as Stash's package manager does it."""

import subprocess
import sys
import zipfile

import yaml

from tests.support.plugin.plugin import ROOT


def build_source(folder):
    """Make a plugin source of the last commit; return its folder."""
    command = [sys.executable, str(ROOT / "release" / "package.py"), str(folder)]
    subprocess.run(command, check=True, capture_output=True, cwd="/")
    return folder


def unpacking(source):
    """Return what fills a plugin's folder from the source: the zip's files, and Stash's list of them."""

    def unpack(plugin_dir):
        with zipfile.ZipFile(source / "Stash2Plex.zip") as archive:
            archive.extractall(plugin_dir)
            (plugin_dir / "manifest").write_text(yaml.safe_dump({"id": "Stash2Plex", "files": archive.namelist()}))

    return unpack
