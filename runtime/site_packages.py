"""Python's site packages: Stash2Plex.yml has Python start without them, and what needs packages turns them on.

Each of their `.pth` files is read, and may import what it likes, before the first line of a program: a hook has no
time for that. The same holds for what the environment says to Python (PYTHONPATH, PYTHONSTARTUP …).
"""

import functools
import os
import sys


@functools.cache
def turn_on_site_packages() -> None:
    """Let this process find every package that a plain `python3` finds: the person's, the venv's, the system's."""
    if not sys.flags.no_site:
        return
    import site  # noqa: PLC0415 - a process that begins with it has no need for this function

    sys.path[1:1] = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    if os.environ.get("PYTHONNOUSERSITE"):
        site.ENABLE_USER_SITE = False
    site.main()
