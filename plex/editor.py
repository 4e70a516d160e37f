"""Applies an edit to an item: sends it once, and where the answer is lost, looks."""

from collections.abc import Callable

from plex.edit import (
    HARD_BYTES,
    TARGET_BYTES,
    EditRequest,
    ItemEdit,
    ListChange,
    TagEdit,
    is_applied,
    list_in_parts,
    list_request,
    requests_for,
)
from plex.exceptions import (
    ItemNotFound,
    OutcomeUnknown,
    PlexError,
    PlexRejected,
    RequestTooLong,
    may_be_applied,
)
from plex.item import ItemDetails
from plex.transport import Transport


class Editor:
    """`read_back` gives an item in full, or raises ItemNotFound."""

    def __init__(self, transport: Transport, read_back: Callable[[int], ItemDetails]) -> None:
        self._transport = transport
        self._read_back = read_back

    def apply(self, edit: ItemEdit) -> None:
        """Write it all, in one PUT if it fits. What Plex refuses of it is raised when all the rest is written.

        OutcomeUnknown means that an answer was lost and the change is not there: read the item again before a new try.
        """
        refused = [error for request in requests_for(edit) for error in self._send(edit.only(request.names), request)]
        if refused:
            fields = tuple(field for error in refused for field in error.fields)
            first = refused[0]
            raise type(first)(f"{', '.join(fields)}: {first}", kind=first.kind, status=first.status, fields=fields)

    def _send(self, edit: ItemEdit, request: EditRequest) -> list[PlexRejected]:
        """Send a request; piece by piece if it is refused, a list in parts if it is too long. Give what is refused."""
        try:
            self._put(request, lambda now: is_applied(edit, now))
        except PlexRejected as error:
            if len(request.pieces) > 1:
                return [left for one in request.split() for left in self._send(edit.only(one.names), one)]
            if not (edit.tags and isinstance(error, RequestTooLong)):
                return [error]
            try:
                self._send_in_parts(edit.item, edit.tags[0])
            except PlexRejected as still:
                return [still]
        return []

    def _send_in_parts(self, item: ItemDetails, edit: TagEdit) -> None:
        """Send a list bit by bit, as only a server that adds can take it."""
        removing, adding = list_in_parts(item, edit)
        for part in removing + adding[:1]:
            self._put_part(item, part)
        for number, part in enumerate(adding[1:]):
            self._put_part(item, part)
            if number == 0 and not adding[0].is_applied(self._read_back(item.rating_key)):
                self._put_part(item, adding[0])  # this server replaces: put back what was there before
                raise RequestTooLong("too long for this server", fields=(edit.kind.value,))

    def _put_part(self, item: ItemDetails, part: ListChange) -> None:
        self._put(list_request(item, part), part.is_applied)

    def _put(self, request: EditRequest, is_there: Callable[[ItemDetails], bool]) -> None:
        if request.line_bytes > HARD_BYTES:
            raise RequestTooLong("too long to be sent to Plex", fields=request.names)
        try:
            self._transport.write("PUT", request.target)
        except PlexRejected as error:
            # Some servers say 400 where 414 is meant; what is longer than it should be is tried shorter first.
            family = RequestTooLong if request.line_bytes > TARGET_BYTES else type(error)
            raise family(str(error), kind=error.kind, status=error.status, fields=request.names) from error
        except PlexError as error:
            if not may_be_applied(error):
                raise
            self._confirm(request, error, is_there)

    def _confirm(self, request: EditRequest, lost: PlexError, is_there: Callable[[ItemDetails], bool]) -> None:
        """Look whether a write whose answer was lost has been applied. Never send it again from here."""
        names = ", ".join(request.names)
        try:
            now = self._read_back(request.item.rating_key)
        except ItemNotFound:
            raise
        except PlexError as error:
            text = f"the answer to writing {names} was lost, and reading it back failed"
            raise OutcomeUnknown(text, applied=None, status=lost.status) from error
        if not is_there(now):
            text = f"the answer to writing {names} was lost, and it is not there (yet)"
            raise OutcomeUnknown(text, applied=False, status=lost.status) from lost
