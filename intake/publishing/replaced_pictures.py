"""Pictures that ours have taken the place of: where a server keeps none itself, the newest of them are kept here."""

import contextlib
import os

MOST_BYTES = 200_000_000


def forget_oldest(folder: str, most_bytes: int = MOST_BYTES) -> None:
    """Remove the oldest files below a folder until the rest fits."""
    found: list[tuple[int, int, str]] = []
    for place, _, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in names):
            with contextlib.suppress(OSError):
                status = os.stat(path)
                found.append((status.st_mtime_ns, status.st_size, path))
    left = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if left <= most_bytes:
            return
        with contextlib.suppress(OSError):
            os.unlink(path)
            left -= size
