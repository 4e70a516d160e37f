r"""File paths as two machines write them, made comparable.

Stash and Plex may see the same file from Linux, macOS, Windows or a container: `/data/a.mp4`, `D:\a.mp4`,
`\\nas\media\a.mp4`, `\\?\UNC\nas\media\a.mp4`. `normalise` gives one spelling; `fold` also forgets case, which is a
question of the file system and so is asked for.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_DRIVE = re.compile(r"^[A-Za-z]:([\\/]|$)")
_REPEATED_SLASHES = re.compile(r"(?<!^)/{2,}")
_LONG_UNC = "\\\\?\\UNC\\"
_LONG = "\\\\?\\"


def is_windows(path: str) -> bool:
    """Is this a drive letter or a network share? There a backslash separates and case does not matter."""
    return path.startswith(("\\\\", "//")) or bool(_DRIVE.match(path))


def normalise(path: str) -> str:
    """Give one spelling per path: NFC, `/` between segments, no long-path prefix, no doubled or trailing slash.

    On a POSIX path a backslash is a letter like any other and stays. Trailing dots and spaces stay everywhere: where
    they exist they tell two files apart.
    """
    if path.isascii() and path[:1] == "/" and "//" not in path:
        return path.rstrip("/")  # almost every path there is
    text = _without_long_prefix(path)
    if is_windows(text):
        text = text.replace("\\", "/")
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if "//" in text:
        text = _REPEATED_SLASHES.sub("/", text)
    return text.rstrip("/")


def _without_long_prefix(path: str) -> str:
    if path[: len(_LONG_UNC)].upper() == _LONG_UNC:
        return "\\\\" + path[len(_LONG_UNC) :]
    return path.removeprefix(_LONG)


def fold(normalised: str) -> str:
    """Give the path without its case.

    `lower`, not `casefold`: no file system takes `ß` for `ss`.
    """
    return normalised.lower()


@dataclass(frozen=True, slots=True)
class SpelledPath:
    """A path in all spellings by which it is compared."""

    path: str
    normal: str
    folded: str
    segments: tuple[str, ...]
    """Letter for letter, the way its own system splits it."""
    identity: str
    """As its own file system tells files apart: two paths with one identity are one file."""
    is_windows: bool


@lru_cache(maxsize=4096)  # a batch compares each of its paths with many others
def spelled(path: str) -> SpelledPath:
    normal = normalise(path)
    return SpelledPath(path, normal, fold(normal), tuple(raw_segments(path)), _identity(path), is_windows(path))


def lookup_key(path: str) -> str:
    """Give what the index finds a path by: coarser than equality, so that nothing equal is missed."""
    return fold(normalise(path))


def raw_segments(path: str) -> list[str]:
    """Split a path letter for letter, the way its own system splits it."""
    return (path.replace("\\", "/") if is_windows(path) else path).split("/")


def _identity(path: str) -> str:
    text = _without_long_prefix(path)
    return fold(text.replace("\\", "/")) if is_windows(text) else path


def base_name(path: str) -> str:
    """Give the file's own name, normalised."""
    return normalise(path).rpartition("/")[2]


def common_suffix(left: Sequence[str], right: Sequence[str]) -> int:
    """Count how many segments the two paths share, counted from the file's name."""
    shared = 0
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one != other:
            break
        shared += 1
    return shared


def native(normalised: str) -> str:
    """Spell the path as its own machine does: what the server must be told when it is to look there."""
    return normalised.replace("/", "\\") if is_windows(normalised) else normalised
