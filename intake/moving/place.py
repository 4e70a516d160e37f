"""Placing one file of a plan, whatever state a process before this one has left it in.

         rename           on one device; or:
source ─────────> target
         copy             read again    rename           only if still the planned one
source ─────────> partial ────────────────────> target ─────────────────────────────────> source goes
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Generator
from dataclasses import dataclass

from intake.moving import disk
from intake.moving.disk import Verify
from intake.moving.errors import (
    BeingWritten,
    DiskTrouble,
    MoveError,
    NoLink,
    SourceChanged,
    SourceGone,
    TargetTaken,
    translate,
)
from intake.moving.plan import MoveMode, PlannedFile
from intake.naming.shown import quoted
from intake.watching.identity import FileIdentity
from runtime.lock import has_writer

MADE = ".made"
_LOOKS = 4


@dataclass(frozen=True, slots=True)
class Placed:
    """Which file is at its target now, whether the original is still where it was, too, and whether we brought it.

    One that was there before us, `is_ours` False, is never removed.
    """

    identity: FileIdentity
    has_source: bool
    is_ours: bool = True


class Placer:
    """Places files; `token`, the plan's id, marks what it makes on the way. `heartbeat` may raise to stop it.

    While an original is still there, an empty file beside its copy or link, named after the inode, tells whoever takes
    the plan up that the target is ours. Another's file there, even of the same bytes, is another's.
    """

    def __init__(
        self,
        token: str,
        mode: MoveMode,
        verify: Verify,
        heartbeat: Callable[[], None],
        *,
        is_resuming: bool = False,
        joins_equal: bool = False,
    ) -> None:
        self._token = token
        self._mode = mode
        self._verify = verify
        self._heartbeat = heartbeat
        self._is_resuming = is_resuming
        self._joins_equal = joins_equal
        self._marks: set[str] = set()

    def place(self, file: PlannedFile) -> Placed:
        """Bring a file to its target, or find that it is there. An original that was copied stays."""
        try:
            for _ in range(_LOOKS):  # another worker, whose plan this was, may still be at it
                with contextlib.suppress(FileNotFoundError, FileExistsError):
                    return self._place(file)
            return self._place(file)
        except FileExistsError as error:
            raise _taken(file) from error
        except OSError as error:
            raise translate(error, file.source, file.target) from error

    def forget_marks(self) -> None:
        """Remove the marks of what was made, once nobody needs to ask whose it is."""
        while self._marks:
            with contextlib.suppress(OSError):
                os.unlink(self._marks.pop())

    def _place(self, file: PlannedFile) -> Placed:
        source, target = disk.status(file.source), disk.status(file.target)
        if source is not None and _is_planned(source, file):
            has_source, is_ours = self._bring(file) if target is None else self._join(file, source, target)
        elif target is not None and FileIdentity.of(target).may_be_copy_of(file.identity):
            has_source, is_ours = False, not self._joins_equal
        else:
            raise _not_planned(file, is_gone=source is None)
        return Placed(FileIdentity.of(os.lstat(file.target)), has_source, is_ours)

    def _join(self, file: PlannedFile, source: os.stat_result, target: os.stat_result) -> tuple[bool, bool]:
        """Both names are taken: by our own work, or by a file that will do as well; else it is another's."""
        if self._joins_equal and self._is_same_file(file, source, target):
            return True, False
        mark = made_mark(self._token, file.target, target.st_ino)
        if os.path.lexists(mark):
            self._marks.add(mark)
            return True, True
        if self._mode is MoveMode.MOVE and os.path.samestat(source, target):  # a rename that is a link and an unlink
            return True, True
        # A link or copy whose plan was finished has lost its mark; its original stays, so nothing can be lost by it.
        is_finished = self._is_resuming and self._mode is not MoveMode.MOVE
        is_alike = FileIdentity.of(target).may_be_copy_of(file.identity)
        if is_finished and is_alike and self._is_same_file(file, source, target):
            return True, False
        raise FileExistsError

    def _bring(self, file: PlannedFile) -> tuple[bool, bool]:
        """Move, link or copy; say whether the original is still there, and that the target is ours."""
        require_no_writer(file)
        if self._mode is MoveMode.MOVE and self._rename(file):
            return False, True
        if self._mode not in {MoveMode.HARDLINK, MoveMode.HARDLINK_OR_COPY} or not self._link(file):
            self._copy(file)
        return True, True

    def _rename(self, file: PlannedFile) -> bool:
        try:
            disk.rename_no_replace(file.source, file.target, self._token)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            disk.require_removable(file.source)
            return False
        if not _is_planned(os.lstat(file.target), file):  # another took its place while we looked
            disk.rename_no_replace(file.target, file.source, self._token)
            raise _not_planned(file, is_gone=False)
        return True

    def _link(self, file: PlannedFile) -> bool:
        """Make a hard link. Without one, say no; or say False, if a copy will do."""
        try:
            with self._marking(file.target, file.identity.inode):
                disk.link(file.source, file.target)
        except OSError as error:
            if error.errno not in disk.NO_LINKS | {errno.EXDEV}:
                raise
            if self._mode is MoveMode.HARDLINK_OR_COPY:
                return False
            reason = "they are on two devices" if error.errno == errno.EXDEV else os.strerror(error.errno)
            raise NoLink(
                f"No hard link of {quoted(file.source)} can be made at {quoted(file.target)}: {reason}. "
                "Bring both folders onto one file system, or allow copies (hardlink_or_copy)."
            ) from error
        return True

    def _copy(self, file: PlannedFile) -> None:
        folder = os.path.dirname(file.target)
        # The name differs with each try: a worker that is too late finds its own partial gone, not another's half done.
        partial = os.path.join(folder, f"{partial_prefix(self._token)}{secrets.token_hex(4)}.partial")
        try:
            disk.copy(file.source, partial, file.identity, self._verify, self._heartbeat)
            self._heartbeat()
            with self._marking(file.target, os.lstat(partial).st_ino):
                disk.rename_no_replace(partial, file.target, self._token)
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.unlink(partial)
            if isinstance(error, disk.ChangedWhileCopied):
                raise _not_planned(file, is_gone=False) from error
            if isinstance(error, disk.CopyDiffers):
                raise _bad_copy(file) from error
            raise

    @contextlib.contextmanager
    def _marking(self, target: str, inode: int) -> Generator[None]:
        """Have the mark there before the target is, and not without it."""
        mark = made_mark(self._token, target, inode)
        disk.touch(mark)
        try:
            yield
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(mark)
            raise
        self._marks.add(mark)

    def _is_same_file(self, file: PlannedFile, source: os.stat_result, target: os.stat_result) -> bool:
        """Both names are taken. Tell whether by one file, or by two of the same bytes."""
        is_alike = stat.S_ISREG(target.st_mode) and target.st_size == source.st_size
        return os.path.samestat(source, target) or (
            is_alike and disk.is_same_content(file.source, file.target, self._heartbeat)
        )


def require_no_writer(file: PlannedFile) -> None:
    """Raise `BeingWritten` while a program has a file open for writing: what it writes next would be lost."""
    if has_writer(file.source):
        raise BeingWritten(f"A program is still writing {quoted(file.source)}; it stays where it is until then.")


def remove_source(file: PlannedFile) -> None:
    """Remove an original whose copy is in its place; `SourceChanged` if it is another by now, or is being written."""
    try:
        require_no_writer(file)
        source = disk.status(file.source)
        if source is not None and not _is_planned(source, file):
            raise _not_planned(file, is_gone=False)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file.source)
    except OSError as error:
        raise translate(error, file.source, file.target) from error


def remove_copy(file: PlannedFile, placed: Placed) -> None:
    """Take back what we placed while the original is still there."""
    target = disk.status(file.target)
    if target is not None and FileIdentity.of(target) == placed.identity:
        os.unlink(file.target)


def partial_prefix(token: str) -> str:
    """Begin the names of a plan's unfinished copies: hidden, so that no server takes them in."""
    return f".stash2plex-{token}-"


def made_mark(token: str, target: str, inode: int) -> str:
    """Name the mark that says of the file with this inode at a target: a plan has made it, and not finished yet."""
    return os.path.join(os.path.dirname(target), f"{partial_prefix(token)}{inode}{MADE}")


def forget_mark(token: str, target: str, inode: int) -> None:
    with contextlib.suppress(OSError):
        os.unlink(made_mark(token, target, inode))


def is_at_target(file: PlannedFile, token: str) -> bool:
    """Tell whether a plan has brought this file to its target: moved it, or copied or linked it and not finished."""
    target = disk.status(file.target)
    if target is None:
        return False
    found = FileIdentity.of(target)
    if found == file.identity or os.path.lexists(made_mark(token, file.target, found.inode)):
        return True
    source = disk.status(file.source)
    return (source is None or not _is_planned(source, file)) and found.may_be_copy_of(file.identity)


def _is_planned(found: os.stat_result, file: PlannedFile) -> bool:
    return stat.S_ISREG(found.st_mode) and FileIdentity.of(found) == file.identity


def _not_planned(file: PlannedFile, *, is_gone: bool) -> MoveError:
    if is_gone:
        return SourceGone(f"{quoted(file.source)} is gone, and it is not at {quoted(file.target)} either.")
    return SourceChanged(f"{quoted(file.source)} has changed since it was looked at; it stays where it is.")


def _taken(file: PlannedFile) -> TargetTaken:
    sentence = (
        f"{quoted(file.source)} was not moved: another file has the name {quoted(file.target)}. "
        "Keep the better one, or rename one of them."
    )
    return TargetTaken(sentence, file.source, file.target)


def _bad_copy(file: PlannedFile) -> DiskTrouble:
    return DiskTrouble(
        f"The copy of {quoted(file.source)} could not be read again at {quoted(file.target)} as it was written. "
        "Check that disk; nothing was removed."
    )
