"""What you type in Stash is in Plex. This file only chooses: hook, task, operation, command line or worker."""

import os
import sys

OLDEST_PYTHON = (3, 11)


def refuse_old_python():
    """Say on both of Stash's channels that this Python is too old, in words that any Python 3 can run."""
    sentence = (
        "Stash2Plex needs Python 3.11 or newer, and this is %d.%d (%s). "
        "Install a newer one and set it in Stash: Settings > System > Python path."
    ) % (sys.version_info[0], sys.version_info[1], sys.executable)
    sys.stderr.write("\x01e\x02" + sentence + "\n")
    if len(sys.argv) > 1:
        return 1
    sys.stdin.read()
    sys.stdout.write('{"error": "' + sentence.replace("\\", "/") + '"}\n')
    return 0


def serve_stash(request):
    """Return what Stash is to be answered."""
    if "hookContext" in request.args:
        from hooks.handlers import handle as handle_hook

        return handle_hook(request)
    from tasks.entry import handle

    return handle(request, open_targets)


def open_targets():
    """Return what opens targets. It knows the vendors and loads all their packages: only who needs one calls this."""
    from worker import wiring

    return wiring


def main():
    if sys.version_info < OLDEST_PYTHON:
        return refuse_old_python()
    # PYTHONSAFEPATH leaves our folder out, and Stash puts those of other plugins in.
    here = os.path.dirname(os.path.abspath(__file__))
    if sys.path[0] != here:
        sys.path.insert(0, here)
    if sys.argv[1:3] == ["worker", "--data-dir"]:  # as launch.py starts it: no time for the command line
        from runtime.folder import DataFolder
        from worker.entry import run_worker

        return run_worker(DataFolder(sys.argv[-1]))
    if sys.argv[1:2] == ["intake"]:  # a service of its own, with a command line of its own
        from cli.intake.main import run_intake

        return run_intake(sys.argv[2:])
    if sys.argv[1:] == ["demo"] and os.path.isdir(
        os.path.join(here, "sim")
    ):  # in the source, not in the released plugin
        from sim.demo import run_demo

        return run_demo()
    if len(sys.argv) > 1 or sys.stdin is None or sys.stdin.isatty():
        from cli.main import run_command_line

        return run_command_line(sys.argv[1:], open_targets)
    from stash import wire

    # All is flushed and on disk: skip the interpreter's funeral, and SQLite's with it, which would sync the disk again.
    return os._exit(wire.serve(sys.stdin.buffer.read, serve_stash))


if __name__ == "__main__":
    sys.exit(main())
