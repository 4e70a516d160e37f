"""Noise in a file's name: what says nothing about the work, and hides or imitates its code."""

import re
import unicodedata

VIDEO_EXTENSIONS = frozenset(
    {"mp4", "mkv", "avi", "wmv", "m4v", "mov", "ts", "m2ts", "webm", "flv", "iso", "rmvb", "strm"}
)
SIDECAR_EXTENSIONS = frozenset({"srt", "ass", "ssa", "sub", "idx", "vtt", "nfo", "jpg", "jpeg", "png", "webp", "json"})
_KNOWN_EXTENSIONS = VIDEO_EXTENSIONS | SIDECAR_EXTENSIONS | {"mpg", "mpeg", "rm", "vob", "asf", "3gp", "txt"}

_TLDS = "com|net|org|info|biz|club|vip|xyz|top|app|me|cc|co|la|tv|in|to|io|us|tw|jp|cn|xxx|one|fun|live"
_NOISE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # A site. Its label has no dash: in `fc2-ppv-1432000-nyap2p.com` only the last word is one.
        rf"\bwww\.[a-z0-9.]+\.(?:{_TLDS})(?![a-z0-9])",
        rf"(?<![a-z0-9])\d+\.(?:{_TLDS})(?=@)",
        rf"(?<![a-z0-9])(?=[a-z0-9]*[a-z])[a-z0-9]+(?:\.[a-z0-9]+)?\.(?:{_TLDS})(?![a-z0-9])",
        # Picture and sound. The height of the picture also where it touches a code: `1080PABC-100`, `ABC-1001080P`.
        r"(?:2160|1440|1080|720|576|540|480|360)[pi](?:\d{2,3}fps)?",
        r"(?<![a-z0-9])(?:x1080x|\d{3,4}x\d{3,4}|\d{2,3}fps|[hx][._ ]?26[456])(?![a-z0-9])",
        r"(?<![a-z0-9])(?:\d\.)?[248]ks?(?:\d{2,3}fps)?(?![a-z0-9])",
        r"(?<![a-z0-9])(?:dts|ddp?|aac|e?ac|flac|opus|mp)[-._ ]?(?:hd[-._ ]?)?(?:ma[-._ ]?)?\d(?:\.\d)?(?![a-z0-9])",
        r"(?<![a-z0-9])(?:[fuq]?hd|sd)(?=[-_]+[a-z])",
        # Dates, and numbers of seasons and episodes.
        r"(?<!\d)(?:19|20)\d\d([-._])\d\d\1\d\d(?!\d)",
        r"(?<![a-z0-9])s\d{1,2}(?:[-._ ]?e\d{1,4})+(?![a-z0-9])|(?<![a-z0-9-])s\d{1,2}(?![a-z0-9])",
    )
)


def stem(name: str) -> str:
    """Return a file's name without its extension, if that is one of a video or of what lies beside it."""
    head, dot, extension = name.rpartition(".")
    return head if dot and head and extension.lower() in _KNOWN_EXTENSIONS else name


def without_noise(text: str) -> str:
    """Return the text in upper case and NFKC, with a space wherever there was noise."""
    text = unicodedata.normalize("NFKC", text)
    for pattern in _NOISE:
        text = pattern.sub(" ", text)
    return text.upper()
