"""Writing an item: read whole, changed, sent whole; after any trouble looked at before anything is sent again."""

from mediabrowser.connection import Connection
from mediabrowser.exceptions import may_have_begun
from mediabrowser.reading.document import ItemDocument
from mediabrowser.reading.reader import Reader
from mediabrowser.writing.edit import DocumentEdit, body_of, is_applied
from model.errors import (
    ChangeRejected,
    ItemChanged,
    ItemGone,
    Kind,
    OutcomeUnknown,
    TargetError,
)


class Writer:
    def __init__(self, connection: Connection, reader: Reader) -> None:
        self._connection = connection
        self._reader = reader

    def write(self, document: ItemDocument, edit: DocumentEdit) -> None:
        """Send a document back with a change. It must be whole and have been read just now: nothing on the server
        keeps two writers apart.

        After ChangeRejected or OutcomeUnknown half of it may have happened: read the item before a new try. If
        `applied` is None, try again even if the item shows the change: a server whose database was locked shows what
        it has not saved, until it restarts.
        """
        self._connection.check_server(document.server_id)
        body = body_of(document, edit, self._connection.dialect)
        try:
            self._connection.write("POST", f"/Items/{document.item_id}", body=body)
        except TargetError as error:
            if isinstance(error, ChangeRejected) or not may_have_begun(error):
                raise
            if error.kind is Kind.SERVER_ERROR:
                text = f"the server failed while it wrote item {document.item_id}"
                raise OutcomeUnknown(text, applied=None, status=error.status) from error
            self._confirm(document.item_id, edit, error)

    def write_unless_changed(self, item_id: str, etag: str, edit: DocumentEdit) -> None:
        """Read the item now, and write only if it is as it was when the change was planned; else raise ItemChanged."""
        now = self._reader.document(item_id, people=False)
        if now.etag != etag:
            raise ItemChanged(f"item {item_id} was saved since it was read")
        self.write(now, edit)

    def _confirm(self, item_id: str, edit: DocumentEdit, lost: TargetError) -> None:
        """Look whether a write whose answer was lost has happened. Never send it again from here."""
        try:
            now = self._reader.document(item_id)
        except ItemGone:
            raise
        except TargetError as error:
            text = f"the answer to writing item {item_id} was lost, and looking at it failed"
            raise OutcomeUnknown(text, applied=None, status=lost.status) from error
        if not is_applied(edit, now, self._connection.dialect):
            text = f"the answer to writing item {item_id} was lost, and it is not there (yet)"
            raise OutcomeUnknown(text, applied=False, status=lost.status) from lost
