"""The system calls of a move: renaming and copying that never overwrite. Each of them may be the process's last."""

import contextlib
import ctypes
import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Generator
from enum import StrEnum

from intake.watching.identity import FileIdentity

CHUNK = 4 << 20
_RENAME_NOREPLACE = 1
_AT_FDCWD = -100
_NOT_HERE = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP})
NO_LINKS = _NOT_HERE | {errno.EPERM, errno.EMLINK}
_RESERVED_FOR = b"Stash2Plex keeps this name for a file that is on its way: "


class Verify(StrEnum):
    """How much of a copy is read again before the source goes: its head, middle and tail, or all of it."""

    SAMPLES = "samples"
    FULL = "full"


class ChangedWhileCopied(Exception):
    """What was copied is not what was planned."""


class CopyDiffers(Exception):
    """The copy was read again, and is not what was written."""


def _find_renameat2() -> Callable[..., int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        return ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):  # an older C library
        return None


renameat2 = _find_renameat2()


def status(path: str) -> os.stat_result | None:
    """Look at a path itself, not at what a link points to; None if nothing is there."""
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def rename_no_replace(source: str, target: str, token: str) -> None:
    """Rename, or raise FileExistsError; EXDEV if they are on two devices. `token` marks a name we had to reserve."""
    if sys.platform == "win32":
        os.rename(source, target)
    elif not _try_renameat2(source, target) and not _try_link(source, target):
        _reserve_and_rename(source, target, token)


def link(source: str, target: str) -> None:
    """Give a file a second name, or raise FileExistsError."""
    os.link(source, target, follow_symlinks=sys.platform == "win32")  # which cannot be told not to


def _try_renameat2(source: str, target: str) -> bool:
    if renameat2 is None:
        return False
    if renameat2(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), _RENAME_NOREPLACE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _NOT_HERE:
        return False
    raise OSError(code, os.strerror(code), source, None, target)


def _try_link(source: str, target: str) -> bool:
    """For file systems whose rename always overwrites: a second name, then the first one goes."""
    try:
        link(source, target)
    except OSError as error:
        if error.errno in NO_LINKS:
            return False
        raise
    os.unlink(source)
    return True


def _reserve_and_rename(source: str, target: str, token: str) -> None:
    """For file systems without links: what is overwritten is a file that we have just made, and that says so."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, _RESERVED_FOR + token.encode())
    finally:
        os.close(descriptor)
    try:
        os.rename(source, target)
    except OSError:
        os.unlink(target)
        raise


def touch(path: str) -> None:
    """Have an empty file of this name."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | _BINARY, 0o600))


def is_reserved(path: str, token: str) -> bool:
    """Tell whether a name was reserved by a process that died before it used it, or before it had written that down."""
    expected = _RESERVED_FOR + token.encode()
    found = status(path)
    if found is None or not stat.S_ISREG(found.st_mode) or found.st_size > len(expected):
        return False
    with open(path, "rb") as file:
        return expected.startswith(file.read())


def copy(source: str, partial: str, planned: FileIdentity, verify: Verify, heartbeat: Callable[[], None]) -> None:
    """Copy a file to a new name, with its times, rights and attributes, onto the disk, and read whether it arrived."""
    with _opened(source, os.O_RDONLY | _NO_LINK) as reading, _opened(partial, _NEW_FILE) as writing:
        _require_room(writing, planned.size)
        digests = _copy_bytes(reading, writing, heartbeat)
        found = os.fstat(reading)
        if FileIdentity.of(found) != planned:
            raise ChangedWhileCopied
        _copy_attributes(reading, writing, found)
        os.utime(partial, ns=(found.st_atime_ns, found.st_mtime_ns))
        os.fsync(writing)
        _read_again(writing, digests, verify, heartbeat)


def require_removable(path: str) -> None:
    """Find out before a copy, not after an hour of it, that the original could not be removed."""
    folder = os.path.dirname(path)
    if sys.platform != "win32" and os.statvfs(folder).f_flag & os.ST_RDONLY:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)


def is_same_content(one: str, other: str, heartbeat: Callable[[], None]) -> bool:
    """Compare two files byte by byte."""
    with open(one, "rb") as first, open(other, "rb") as second:
        while True:
            heartbeat()
            chunk = first.read(CHUNK)
            if chunk != second.read(CHUNK):
                return False
            if not chunk:
                return True


def sync_folder(folder: str) -> None:
    """Have the names in a folder on the disk; file systems that know no such thing need none."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(PermissionError), _opened(folder, os.O_RDONLY) as descriptor:
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in _NOT_HERE:
                raise


_BINARY: int = getattr(os, "O_BINARY", 0)
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | _BINARY
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY


@contextlib.contextmanager
def _opened(path: str, flags: int) -> Generator[int]:
    descriptor = os.open(path, flags, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _require_room(descriptor: int, size: int) -> None:
    """Find a full disk before the copy, not after an hour of it."""
    if sys.platform == "win32":
        return
    disk = os.fstatvfs(descriptor)
    if disk.f_blocks and disk.f_bavail * disk.f_frsize < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _copy_bytes(reading: int, writing: int, heartbeat: Callable[[], None]) -> list[bytes]:
    """Copy all bytes; return a digest of each chunk."""
    digests: list[bytes] = []
    while chunk := _read_chunk(reading):
        heartbeat()
        digests.append(_digest(chunk))
        left = memoryview(chunk)
        while left:
            left = left[os.write(writing, left) :]
    return digests


def _copy_attributes(reading: int, writing: int, found: os.stat_result) -> None:
    """Copy owner, rights and extended attributes, as far as this user and the file system there can."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        os.fchown(writing, found.st_uid, found.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(writing, stat.S_IMODE(found.st_mode))
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for name in os.listxattr(reading):
                os.setxattr(writing, name, os.getxattr(reading, name))


def _read_again(descriptor: int, digests: list[bytes], verify: Verify, heartbeat: Callable[[], None]) -> None:
    if sys.platform == "linux":
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)  # from the disk, not from memory
    last = len(digests) - 1
    chosen = range(len(digests)) if verify is Verify.FULL else sorted({0, last // 2, last}) if digests else ()
    for index in chosen:
        heartbeat()
        os.lseek(descriptor, index * CHUNK, os.SEEK_SET)
        if _digest(_read_chunk(descriptor)) != digests[index]:
            raise CopyDiffers


def _read_chunk(descriptor: int) -> bytes:
    """Read one chunk; a read may return less than it was asked for."""
    pieces: list[bytes] = []
    wanted = CHUNK
    while wanted and (piece := os.read(descriptor, wanted)):
        pieces.append(piece)
        wanted -= len(piece)
    return b"".join(pieces)


def _digest(chunk: bytes) -> bytes:
    return hashlib.blake2b(chunk, digest_size=16).digest()
