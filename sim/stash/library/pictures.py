"""Pictures made of nothing: a small PNG, different for every cover that ever was, and the placeholder."""

import hashlib
import struct
import zlib

WIDTH, HEIGHT = 32, 18
PLACEHOLDER = b'<svg xmlns="http://www.w3.org/2000/svg" width="32" height="18"><rect width="32" height="18"/></svg>'


def png(seed: str) -> bytes:
    """A valid image whose stripes depend on the seed alone."""
    stripes = hashlib.sha256(seed.encode()).digest()
    row = b"\0" + b"".join(bytes((stripes[x], stripes[31 - x], x * 8)) for x in range(WIDTH))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(row * HEIGHT)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def media_type(data: bytes) -> str:
    if data.startswith(b"\xff\xd8"):
        return "image/jpeg"
    if data[8:12] == b"WEBP":
        return "image/webp"
    return "image/png" if data.startswith(b"\x89PNG") else "application/octet-stream"
