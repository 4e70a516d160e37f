"""The port to a server that is to show a file: scan its folder, look for the item, write, pictures.

PublishError
├── ServerAway       nothing answered: for all files alike, and it costs none a try
├── ServerRefuses    a key it does not accept, a library that is not there; a person must mend it
├── ServerFailed     it failed inside over this very item; the others go on
├── ItemNotIndexed   the server does not show the file, perhaps not yet, or not any more
├── ItemAmbiguous    several items could be the file; none is touched
├── WriteRejected    the server refuses what was to be written
└── PicturesFailed   a picture could not be fetched or shown; everything else is done
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from intake.sources.work import Work

Marks = Mapping[str, str]
"""What was written, a mark a field: a value that differs from its mark later is a person's."""


class PublishError(Exception):
    """The text is a sentence for a person and carries no secret."""


class ServerAway(PublishError):
    """It may answer later."""


class ServerRefuses(PublishError):
    """It will not before somebody changes something."""


class ServerFailed(PublishError):
    """It may go better another time."""


class ItemNotIndexed(PublishError):
    """It has no item for this file."""


class ItemAmbiguous(PublishError):
    """`candidates` are the items that it could be."""

    def __init__(self, sentence: str, candidates: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.candidates = candidates


class WriteRejected(PublishError):
    """This very write is wrong."""


class PicturesFailed(PublishError):
    """It is tried again by itself and blocks nothing."""


class Publisher(Protocol):
    """One server. Each method may be called again for the same file, and then changes nothing more."""

    name: str
    places: tuple[str, ...]
    """Where an item shows pictures."""

    def scan(self, paths: Sequence[str]) -> frozenset[str]:
        """Ask the server to look at these files, into their folders and no other, once for all in a folder.

        Return those that will be seen. Asked again too soon for the same folder, the rest is for another time.
        """
        ...

    def find(self, path: str, *, is_last: bool) -> str:
        """Return the item that shows this file; at the last look also one of the same name and size, if unique."""
        ...

    def write(self, item_id: str, work: Work, path: str, wrote: Marks) -> Marks:
        """Have the item show what is known of the work, and return the new marks. A person's words are left alone."""
        ...

    def show_picture(self, item_id: str, work: Work, place: str, shown: str, *, came_along: bool = False) -> str:
        """Have the item show the work's picture in a place, and return its mark; `shown` is the one of before.

        None is removed before its successor is there, and none that is not ours is lost. `came_along`: one for this
        place lay beside the file and was brought in with it; if the item shows any there, it stays.
        """
        ...

    def check(self) -> str:
        """Say in a sentence that it answers; raises PublishError."""
        ...

    def close(self) -> None: ...
