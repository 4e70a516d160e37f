"""Operations on the dead letters: list them, give some another chance, forget some."""

from sync_queue.browse import letters_page
from sync_queue.dlq import DeadLetter, DeadLetterQueue
from tasks.arguments import Arguments
from tasks.desk import Desk
from tasks.moments import iso
from tasks.table import Answer


def dead_letters(desk: Desk) -> Answer:
    arguments = Arguments(desk.args)
    limit = arguments.page_size()
    found = letters_page(desk.connection, limit, arguments.after())
    return {
        "dead_letters": [shown_letter(letter) for letter in found],
        "next": found[-1].id if len(found) == limit else None,
    }


def retry(desk: Desk) -> Answer:
    ids = Arguments(desk.args).ids_or_all()
    letters, now = DeadLetterQueue(desk.connection), desk.now()
    with desk.writing():
        revived = sum(letters.revive(now, one) for one in ids) if ids is not None else letters.revive(now)
    if revived:
        desk.wake_worker()
    return {
        "sentence": f"{revived} jobs that were given up are tried again.{_unknown(ids, revived)}",
        "revived": revived,
    }


def discard(desk: Desk) -> Answer:
    ids = Arguments(desk.args).ids_or_all()
    letters = DeadLetterQueue(desk.connection)
    with desk.writing():
        gone = sum(map(letters.discard, ids)) if ids is not None else letters.purge(older_than=float("inf"))
    return {"sentence": f"{gone} dead letters were removed.{_unknown(ids, gone)}", "discarded": gone}


def shown_letter(letter: DeadLetter) -> Answer:
    kind, _, number = letter.key.partition(":")
    return {
        **letter._asdict(),
        "first_at": iso(letter.first_at),
        "last_at": iso(letter.last_at),
        "scene_id": int(number) if kind in {"scene", "picture"} and number.isdigit() else None,
    }


def _unknown(ids: list[int] | None, done: int) -> str:
    missing = len(ids or ()) - done
    return f" {missing} of the numbers given are no dead letters." if ids and missing else ""
