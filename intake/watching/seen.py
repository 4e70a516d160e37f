"""A file as a scan saw it."""

from dataclasses import dataclass
from enum import StrEnum

from intake.watching.identity import FileIdentity


class FileKind(StrEnum):
    """What lies under a name."""

    FILE = "file"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class SeenFile:
    """`relative` is the path below the watched folder, with slashes between its parts."""

    path: str
    relative: str
    identity: FileIdentity
    kind: FileKind = FileKind.FILE

    @property
    def name(self) -> str:
        return self.relative.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The folder's path below the watched one; empty for the watched folder itself."""
        return self.relative.rpartition("/")[0]
