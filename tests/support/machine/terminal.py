"""A terminal of a given width, for a command to be run in."""

import os
import pty
import select
import subprocess
import time


def run_in_terminal(plugin, *arguments, columns=120, seconds=60):
    """Run it with a terminal for stdout; return what the person sees and the code."""
    master, slave = pty.openpty()
    command = [plugin.python, str(plugin.script), *arguments]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd="/", env=environment)
    os.close(slave)
    seen, deadline = b"", time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not select.select([master], [], [], 0.1)[0]:
            continue
        try:
            seen += os.read(master, 65536)
        except OSError:  # the other end is closed
            break
    os.close(master)
    return seen.decode(), process.wait(10)
