"""Why a file was not moved: a word for programs, a sentence for people. Whatever it is, the file stays where it is.

MoveError
├── SourceGone        it is neither where it was nor where it goes
├── SourceChanged     it is not the planned one any more
│   └── BeingWritten  a program has it open for writing
├── NotAFile          it is a link, a folder, or anything but a file
├── TargetExists      another file has the name; never overwritten, so a person decides
│   └── TargetTaken   it got the name, or will get it, after this file's plan was made: it is planned anew
├── SameName          two files of one work would have one name there
├── NoRoom            the disk is full, or a quota is
├── NoRights          a folder or file belongs to another user
├── ReadOnly          the file system takes no changes
├── FolderGone        the destination, or its anchor, is not there: is its drive mounted?
├── LeadsOut          a link leads out of the destination
├── NoLink            a hard link was asked for and cannot be
└── DiskTrouble       everything else the system may say
"""

import errno
import os

from intake.naming.shown import quoted


class MoveError(Exception):
    """Base of all. `word` names the kind; `mends_itself` says whether trying again later may help."""

    word = "disk"
    mends_itself = True


class SourceGone(MoveError):
    word, mends_itself = "gone", False


class SourceChanged(MoveError):
    word = "changed"


class BeingWritten(SourceChanged):
    word = "being_written"


class NotAFile(MoveError):
    word, mends_itself = "not_a_file", False


class TargetExists(MoveError):
    word, mends_itself = "exists", False

    def __init__(self, sentence: str, source: str, target: str) -> None:
        super().__init__(sentence)
        self.source, self.target = source, target


class TargetTaken(TargetExists):
    word, mends_itself = "taken", True


class SameName(MoveError):
    word, mends_itself = "same_name", False


class NoRoom(MoveError):
    word = "no_room"


class NoRights(MoveError):
    word, mends_itself = "no_rights", False


class ReadOnly(MoveError):
    word, mends_itself = "read_only", False


class FolderGone(MoveError):
    word = "folder_gone"


class LeadsOut(MoveError):
    word, mends_itself = "leads_out", False


class NoLink(MoveError):
    word, mends_itself = "no_link", False


class DiskTrouble(MoveError):
    word = "disk"


_NO_RIGHTS = "The system does not let this user move {source} to {target}. Check the owners and rights of both folders."
_KINDS: dict[int, tuple[type[MoveError], str]] = {
    errno.ENOSPC: (NoRoom, "There is no room left for {target}. Free some; it is tried again by itself."),
    errno.EDQUOT: (NoRoom, "The quota leaves no room for {target}. Free some; it is tried again by itself."),
    errno.EACCES: (NoRights, _NO_RIGHTS),
    errno.EPERM: (NoRights, _NO_RIGHTS),
    errno.EROFS: (ReadOnly, "{source} cannot be moved to {target}: a file system there is mounted read-only."),
    errno.ENOENT: (FolderGone, "A folder on the way from {source} to {target} has vanished. Is its drive mounted?"),
    errno.ENOTDIR: (FolderGone, "On the way from {source} to {target}, a file has the name of a folder. Rename it."),
    errno.ENAMETOOLONG: (DiskTrouble, "The name {target} is too long for the file system there."),
}


def translate(error: OSError, source: str, target: str) -> MoveError:
    """Say in our words what the system said about moving a file."""
    kind, sentence = _KINDS.get(error.errno or 0, (DiskTrouble, "{source} could not be moved to {target}: {reason}."))
    reason = os.strerror(error.errno) if error.errno else str(error)
    return kind(sentence.format(source=quoted(source), target=quoted(target), reason=reason))
