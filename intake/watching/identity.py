"""A file's identity: how to tell later that it is still the same one. A path alone does not say."""

import os
from dataclasses import dataclass

_COARSEST_CLOCK_NS = 2_000_000_000  # exFAT keeps times to two seconds


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Inode, size and time of the last change. The device is not part of it: its number changes with a reboot."""

    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileIdentity":
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)

    @classmethod
    def parse(cls, text: str) -> "FileIdentity":
        """Read what `str` has written."""
        inode, size, mtime_ns = text.split(":")
        return cls(int(inode), int(size), int(mtime_ns))

    def __str__(self) -> str:
        return f"{self.inode}:{self.size}:{self.mtime_ns}"

    def may_be_copy_of(self, other: "FileIdentity") -> bool:
        """Tell whether size and time are the other's: a copy of ours has both, on whatever file system it lies."""
        return self.size == other.size and abs(self.mtime_ns - other.mtime_ns) < _COARSEST_CLOCK_NS
