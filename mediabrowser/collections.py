"""Collections: found before they are made, because making one that is there empties it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mediabrowser.connection import Connection
from mediabrowser.exceptions import may_have_begun
from mediabrowser.reading.document import ItemDocument, read_documents
from mediabrowser.reading.reader import IDS_PER_REQUEST, PAGE_SIZE
from model.errors import AnswerGarbled, ChangeRejected, Kind, OutcomeUnknown, TargetError
from validation.json_shapes import as_object, as_text

_BOXSET = re.compile(r"\s*\[boxset\]$", re.IGNORECASE)
_NOT_IN_FILE_NAMES = re.compile(r'[/\\:*?"<>|\x00-\x1f]')


@dataclass(frozen=True, slots=True)
class Collection:
    """`etag` moves with every save, and so with every member that comes or goes."""

    item_id: str
    name: str
    etag: str = field(default="", compare=False)
    path: str = field(default="", compare=False)
    """Its folder on the server's disk, which keeps the name that it was made under."""


class Collections:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self) -> list[Collection]:
        """List all collections; their names are to be compared here, for a search of theirs is fuzzy."""
        query = (("IncludeItemTypes", "BoxSet"), ("Recursive", "true"), ("SortBy", "DateCreated,SortName"))
        found = {one.item_id: one for one in self._all((*query, ("Fields", "Etag,Path"))) if one.type == "BoxSet"}
        return [Collection(one.item_id, one.name, one.etag, one.path) for one in found.values()]

    def members(self, collection_id: str) -> tuple[str, ...]:
        """List the ids of what is in a collection itself, without what lies in a folder or series that is in it.

        To a key Jellyfin lists the members of a collection only if it is asked for all below it.
        """
        query = (("ParentId", collection_id), ("Recursive", "true"), ("SortBy", "DateCreated,SortName"))
        found = self._all((*query, ("Fields", "ParentId"), self._connection.dialect.no_grouping))
        ids = {one.item_id for one in found}
        return tuple(dict.fromkeys(one.item_id for one in found if as_text(one.raw.get("ParentId")) not in ids))

    def ensure(self, name: str, members: Sequence[str]) -> Collection:
        """Give the collection of this name, with these members among its own; make it only if there is none.

        Raise ChangeRejected where one of another name would lie in the same folder: making ours would empty it.
        """
        found = self._find(name)
        if found is None:
            return self._create(name, members)
        self.add(found.item_id, members)
        return found

    def add(self, collection_id: str, members: Sequence[str]) -> None:
        """Add members; one that is in already stays once. A member that is gone fails the call it is in."""
        self._each("POST", f"/Collections/{collection_id}/Items", members)

    def remove(self, collection_id: str, members: Sequence[str]) -> None:
        self._each("DELETE", f"/Collections/{collection_id}/Items", members)

    def _find(self, name: str) -> Collection | None:
        known = self.list()
        if found := named(name, known):
            return found
        if clash := next((one for one in known if _file_name(name) in _folders(one)), None):
            text = f"the collection '{clash.name}' would be emptied by making '{name}'"
            raise ChangeRejected(text, kind=Kind.NAME_TAKEN, fields=("collection",))
        return None

    def _create(self, name: str, members: Sequence[str]) -> Collection:
        first, rest = members[:IDS_PER_REQUEST], members[IDS_PER_REQUEST:]
        try:
            answer = self._connection.write("POST", "/Collections", (("Name", name), ("Ids", ",".join(first))))
        except TargetError as error:
            if not may_have_begun(error):
                raise
            made = self._look_for(name, error)
        else:
            made = Collection(as_text((as_object(answer) or {}).get("Id")), name)
        if not made.item_id:
            raise AnswerGarbled("making a collection: no id came", kind=Kind.OTHER_SHAPE)
        if rest:
            self.add(made.item_id, rest)
        return made

    def _look_for(self, name: str, lost: TargetError) -> Collection:
        """Look for a collection after an answer was lost; to make it again would empty it."""
        try:
            found = self._find(name)
        except TargetError as error:
            text = f"making the collection '{name}' failed, and so did looking for it"
            raise OutcomeUnknown(text, applied=None, status=lost.status) from error
        if found is None:
            text = f"the collection '{name}' was to be made, and it is not there (yet)"
            raise OutcomeUnknown(text, applied=False, status=lost.status) from lost
        return found

    def _each(self, method: str, path: str, members: Sequence[str]) -> None:
        for start in range(0, len(members), IDS_PER_REQUEST):
            self._connection.write(method, path, (("Ids", ",".join(members[start : start + IDS_PER_REQUEST])),))

    def _all(self, query: tuple[tuple[str, str], ...]) -> "list[ItemDocument]":
        """Read a list to its end, be its pages as short as they like: what is not seen would be made anew."""
        found: list[ItemDocument] = []
        while True:
            paging = (("StartIndex", len(found)), ("Limit", PAGE_SIZE), ("EnableUserData", "false"))
            answer = self._connection.read("/Items", (*query, *paging)).value
            page = read_documents(answer, "collections", is_whole=False)
            for one in page:
                self._connection.check_server(one.server_id)
            found.extend(page)
            total = (as_object(answer) or {}).get("TotalRecordCount")
            if not isinstance(total, int) or (len(found) < total and not page):
                raise AnswerGarbled("collections: the list ends before its end", kind=Kind.OTHER_SHAPE)
            if len(found) >= total:
                return found


def named(name: str, known: Sequence[Collection]) -> Collection | None:
    """Find the collection of a name, be it in other letters: they would share a folder."""
    alike = [one for one in known if one.name.strip().casefold() == name.strip().casefold()]
    return next((one for one in alike if one.name == name), next(iter(alike), None))


def _folders(collection: Collection) -> set[str]:
    """Name the folders that a collection may lie in: the one of its name, and the one it was made in."""
    made_in = collection.path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return {_file_name(collection.name), _file_name(_BOXSET.sub("", made_in))} - {""}


def _file_name(name: str) -> str:
    """Write a name as the server's folder is called: what a file name cannot hold becomes a blank."""
    return _NOT_IN_FILE_NAMES.sub(" ", name).strip().casefold()
