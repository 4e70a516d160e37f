"""A scene's cover: its bytes, fetched from Stash's own host and looked at before anybody else gets them."""

from dataclasses import dataclass

MAX_BYTES = 10_000_000  # Plex fails above it

TOO_LARGE = f"The cover is larger than {MAX_BYTES // 1_000_000} MB, which Plex does not take."

_SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
)


class CoverRefused(Exception):
    """These bytes are no picture for Plex; the text says why."""


class NoCover(CoverRefused):
    """Stash has no cover for the scene, perhaps not yet: then it sends a drawing of its own."""


@dataclass(frozen=True, slots=True)
class Cover:
    """A picture that was looked at."""

    data: bytes
    content_type: str


def check_cover(data: bytes, declared_type: str) -> Cover:
    """Take bytes for a cover, or refuse them with the reason."""
    kind = declared_type.partition(";")[0].strip().lower()
    if kind == "image/svg+xml" or data.lstrip()[:4] == b"<svg":
        raise NoCover("Stash has no cover for this scene yet.")
    if not data:
        raise CoverRefused("Stash sent an empty cover.")
    if len(data) > MAX_BYTES:
        raise CoverRefused(TOO_LARGE)
    sniffed = _sniff(data)
    if sniffed is None:
        raise CoverRefused(f"What Stash sent as cover is no picture ({kind or 'no type'}).")
    return Cover(data, sniffed)


def _sniff(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for signature, kind in _SIGNATURES if data.startswith(signature)), None)
