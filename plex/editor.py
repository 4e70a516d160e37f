"""Applies an edit to an item: sends it once, and where the answer is lost, looks."""

from collections.abc import Callable, Sequence

from model.change import ItemChange, TagEdit
from model.errors import ChangeRejected, ItemNotFound, OutcomeUnknown, RequestTooLong, TargetError, may_be_applied
from model.item import Item
from plex.edit import (
    HARD_BYTES,
    TARGET_BYTES,
    EditRequest,
    ListChange,
    is_applied,
    list_in_parts,
    list_request,
    lock_targets,
    requests_for,
)
from plex.http.transport import Transport


class Editor:
    """`read_back` gives an item in full, or raises ItemNotFound."""

    def __init__(self, transport: Transport, read_back: Callable[[str], Item]) -> None:
        self._transport = transport
        self._read_back = read_back

    def apply(self, edit: ItemChange) -> None:
        """Write it all, in one PUT if it fits. What Plex refuses of it is raised when all the rest is written.

        OutcomeUnknown means that an answer was lost and the change is not there: read the item again before a new try.
        """
        refused = [error for request in requests_for(edit) for error in self._send(edit.only(request.names), request)]
        if refused:
            fields = tuple(field for error in refused for field in error.fields)
            first = refused[0]
            text = f"{', '.join(fields)}: {first}"
            raise type(first)(text, kind=first.kind, status=first.status, fields=fields) from first

    def lock_all(self, items: Sequence[Item], names: Sequence[str]) -> None:
        """Lock these fields of all the items, in a request for each library. Whether it came about, only a look tells.

        Raises TargetError only where Plex cannot have done it, and would not do it one by one either.
        """
        for target in lock_targets(items, names):
            try:
                self._transport.write("PUT", target)
            except TargetError as error:  # one item that is gone may have spoiled it for all
                if not (isinstance(error, ChangeRejected | ItemNotFound) or may_be_applied(error)):
                    raise

    def _send(self, edit: ItemChange, request: EditRequest) -> list[ChangeRejected]:
        """Send a request; piece by piece if it is refused, a list in parts if it is too long. Give what is refused."""
        try:
            self._put(request, lambda now: is_applied(edit, now))
        except ChangeRejected as error:
            if len(request.pieces) > 1:
                return [left for one in request.split() for left in self._send(edit.only(one.names), one)]
            if not (edit.tags and isinstance(error, RequestTooLong)):
                return [error]
            try:
                self._send_in_parts(edit.item, edit.tags[0])
            except ChangeRejected as still:
                return [still]
        return []

    def _send_in_parts(self, item: Item, edit: TagEdit) -> None:
        """Send a list bit by bit, as only a server that adds can take it."""
        removing, adding = list_in_parts(item, edit)
        for part in removing + adding[:1]:
            self._put_part(item, part)
        for number, part in enumerate(adding[1:]):
            self._put_part(item, part)
            if number == 0 and not adding[0].is_applied(self._read_back(item.item_id)):
                self._put_part(item, adding[0])  # this server replaces: put back what was there before
                raise RequestTooLong("too long for this server", fields=(edit.kind.value,))

    def _put_part(self, item: Item, part: ListChange) -> None:
        self._put(list_request(item, part), part.is_applied)

    def _put(self, request: EditRequest, is_there: Callable[[Item], bool]) -> None:
        if request.line_bytes > HARD_BYTES:
            raise RequestTooLong("too long to be sent to Plex", fields=request.names)
        try:
            self._transport.write("PUT", request.target)
        except ChangeRejected as error:
            # Some servers say 400 where 414 is meant; what is longer than it should be is tried shorter first.
            family = RequestTooLong if request.line_bytes > TARGET_BYTES else type(error)
            raise family(str(error), kind=error.kind, status=error.status, fields=request.names) from error
        except TargetError as error:
            if not may_be_applied(error):
                raise
            self._confirm(request, error, is_there)

    def _confirm(self, request: EditRequest, lost: TargetError, is_there: Callable[[Item], bool]) -> None:
        """Look whether a write whose answer was lost has been applied. Never send it again from here."""
        names = ", ".join(request.names)
        try:
            now = self._read_back(request.item.item_id)
        except ItemNotFound:
            raise
        except TargetError as error:
            text = f"the answer to writing {names} was lost, and reading it back failed"
            raise OutcomeUnknown(text, applied=None, status=lost.status) from error
        if not is_there(now):
            text = f"the answer to writing {names} was lost, and it is not there (yet)"
            raise OutcomeUnknown(text, applied=False, status=lost.status) from lost
