"""The quirks of a server: what real ones differ in, or what nobody has measured, each with a switch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True)
class Quirks:
    """Every switch may be thrown while the server runs. The defaults are the harder of two equally likely habits."""

    tag_mode: Literal["add", "replace"] = "add"
    """`genre[0].tag.tag=X` joins the genres that are there, or is the whole new list."""
    tag_case: Literal["fold", "exact"] = "fold"
    """One tag for `Solo` and `solo` (the first spelling stays), or two."""
    edits_several: bool = True
    """An edit of several ids changes all of them, or only the first."""
    text_limit: int = 0
    """A longer text or name is cut to so many characters; 0 keeps all of it."""
    quotes: Literal["kept", "curly", "straight"] = "kept"
    """Quotes are stored as they come, or made curly, or straight."""
    keeps_emoji: bool = True
    """Emoji are stored; otherwise they, and all characters of four bytes, are dropped."""
    rating_step: float = 0.0
    """Stars are rounded to a multiple of this; 0 keeps them as they come."""
    unicode_form: Literal["", "NFC", "NFD"] = ""
    """Accents are stored in this form, or as they come."""
    upload_selects: Literal["always", "first"] = "always"
    """An uploaded picture is selected at once, or only while no other upload is."""
    upload_locks: bool = False
    """An upload locks the picture by itself."""
    upload_digest: Literal["sha1", "own"] = "sha1"
    """An upload is named by the SHA-1 of its bytes, or by a digest of the server's own."""
    unsets_pictures: bool = True
    """`DELETE …/thumb` and `…/art` show none; otherwise a server knows no such request."""
    mixed_details: Literal["omit", "404"] = "omit"
    """Details of several keys of which some are gone: the rest, or nothing at all."""
    honours_sort_id: bool = True
    """`sort=id` orders by key; otherwise it is ignored like any unknown sort."""
    demands_paging: bool = False
    """A list asked for without `X-Plex-Container-Size` is a 400."""
    knows_file_filter: bool = True
    """`file=` filters; otherwise it is an unknown field: ignored, everything comes back."""
    empties_trash: bool = True
    """A scan drops items whose files are gone; otherwise they stay, marked as deleted, until the trash is emptied."""
    compresses: bool = True
    """Answers are gzipped when the client can read that."""
    page_cap: int = 1000
    """A page never holds more, whatever was asked for."""
    max_request_line: int = 8192
    """A longer request line is a 414."""
    max_picture_bytes: int = 10_480_000
    """A bigger upload fails."""
    scan_seconds: float = 0.3
    """How long a scan takes before the items it found appear."""
    process_seconds: float = 0.2
    """How long a new item is then worked on; when that ends, unlocked fields are the agent's again."""
    latency_seconds: float = 0.0
    """What every request waits."""
    detail_work_seconds: float = 0.0
    """What details cost on top of it, for each item, without `skipRefresh`."""
    keep_alive_seconds: float = 20.0
    """How long an idle connection is kept."""


Clock = Callable[[], float]
