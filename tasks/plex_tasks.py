"""Tasks on what is in Plex: show what would be written, take back what was, forget where it is.

They need packages that may just have been installed, so each imports its work when that is sure.
"""

from runtime.lock import is_held
from stash.wire import Refusal
from sync_queue.claim_bar import StillClaimed, lowered
from tasks.desk import Desk
from tasks.ledger_desk import ledger_errors
from tasks.packages import load_packages
from tasks.report import Report
from tasks.undo_scope import UndoScope


def preview(desk: Desk) -> Report:
    """Show what Sync All would write, and write nothing."""
    load_packages(desk)
    from tasks.plex_desk import open_plex_desk  # noqa: PLC0415 - only now are its packages sure to be there
    from tasks.preview_run import PreviewRun  # noqa: PLC0415 - as above

    with open_plex_desk(desk) as plex:
        return PreviewRun(plex).run()


def undo_last_run(desk: Desk) -> Report:
    """Put back what the last run replaced, or a given run, one scene's runs or all of them, as the arguments say."""
    return undo(desk, UndoScope.from_args(desk.args))


def undo(desk: Desk, scope: UndoScope) -> Report:
    """Put back what was replaced, where Plex still shows what we wrote."""
    load_packages(desk)
    from tasks.plex_desk import open_plex_desk  # noqa: PLC0415 - as above
    from tasks.undo_run import UndoRun  # noqa: PLC0415 - as above

    try:
        with (
            lowered(desk.folder.queue_dir, desk.connection, lambda: is_held(desk.folder.worker_lock)),
            open_plex_desk(desk) as plex,
        ):
            return UndoRun(plex).run(scope)
    except StillClaimed as problem:
        raise Refusal(f"Nothing was undone: {problem}. Try it again in a moment.") from problem


def clear_match_cache(desk: Desk) -> Report:
    """Forget where Plex's files are, how paths are mapped, and which server it was."""
    load_packages(desk)
    from tasks.match_cache import forget_matches  # noqa: PLC0415 - as above

    with ledger_errors(desk):
        files = forget_matches(desk.folder.ledger, desk.now())
    sentence = f"{files} files of Plex were forgotten, with the path map and the server; the next sync looks them up."
    return Report(sentence, {"forgotten": files})
