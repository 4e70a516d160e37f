"""The command line and environment that Stash gives a plugin."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from sim.stash.plugins.manifest import Manifest

DEFAULT_NO_PROXY = "localhost,127.0.0.1,192.168.0.0/16,10.0.0.0/8,172.16.0.0/12"


@dataclass(frozen=True)
class Plugin:
    manifest: Manifest
    folder: Path
    """As Stash knows it: relative when its configuration is."""
    python: str


def command(plugin: Plugin, exec_args: tuple[str, ...]) -> list[str]:
    """`{pluginDir}` is replaced everywhere but in the program's own name."""
    program, *rest = (*plugin.manifest.exec, *exec_args)
    arguments = [argument.replace("{pluginDir}", str(plugin.folder)) for argument in rest]
    if _is_python(program):
        return [plugin.python, *arguments]
    return [shutil.which(program) or str(plugin.folder / program), *arguments]


def environment(plugin: Plugin, proxy: str) -> dict[str, str]:
    """The server's own, with the folder above the plugin on Python's path and the proxy setting for all."""
    env = dict(os.environ)
    if proxy:
        env |= {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "NO_PROXY": DEFAULT_NO_PROXY}
    if _is_python(plugin.manifest.exec[0]):
        parent = str(plugin.folder.absolute().parent)
        existing = env.get("PYTHONPATH")
        env["PYTHONPATH"] = f"{existing}{os.pathsep}{parent}" if existing else parent
    return env


def _is_python(program: str) -> bool:
    return program in ("python", "python3")
