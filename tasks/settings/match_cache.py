"""The match cache: where a server has its files, how paths are mapped, which server it was. It is found out again."""

from contextlib import closing

from ledger.database.ledger_file import connect
from ledger.index_store import IndexStore
from ledger.values import FORGOTTEN_AT, SERVER_AT
from model.sentences import counted
from model.targets import TITLES
from tasks.answers import Forgotten
from tasks.arguments import OfTarget
from tasks.context import TaskContext


def clear_match_cache(context: TaskContext, asked: OfTarget) -> Forgotten:
    """Forget where files are, how paths are mapped, and which server it was."""
    targets, files = context.targets(asked.target), 0
    for target in targets:
        with context.ledger_errors(target):
            files += forget_matches(context.folder.target(target).ledger, context.now())
    names = " and ".join(TITLES[target] for target in targets)
    sentence = (
        f"{counted(files, 'file')} of {names} forgotten, with the path map and the server; the next sync looks them up."
    )
    return Forgotten(sentence, files)


def forget_matches(database: str, now: float) -> int:
    """Forget it all and say how many files that were. A worker that is reading the server meanwhile begins anew."""
    with closing(IndexStore(database)) as store:
        files = store.count_parts()
        store.keep_only((), "")
    _forget_server(database, now)
    return files


def _forget_server(database: str, now: float) -> None:
    with closing(connect(database)) as connection, connection:
        connection.execute("BEGIN IMMEDIATE")
        # The path map is not among them: a worker in the middle of a batch would look in the wrong places without
        # one. Every connection that is opened, or starts over, finds it out anew.
        connection.execute("DELETE FROM kept_value WHERE name LIKE ?", (f"{SERVER_AT}%",))
        connection.execute("INSERT OR REPLACE INTO kept_value VALUES (?, ?)", (FORGOTTEN_AT, str(now)))
