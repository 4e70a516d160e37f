"""Makes screenshots small: a PNG of a page has few colours, so a palette holds them."""

import struct
import zlib
from pathlib import Path


def shrink(file: Path) -> None:
    """Write a PNG of 24-bit colours again with a palette of its 256 most used ones, if that is smaller."""
    width, height, rows = _read_rgb(file.read_bytes())
    palette, pixels = _palette(rows)
    lines = b"".join(b"\0" + bytes(pixels[at : at + width]) for at in range(0, width * height, width))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", b"".join(bytes(colour) for colour in palette)),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    small = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    if len(small) < file.stat().st_size:
        file.write_bytes(small)


def _read_rgb(png: bytes) -> tuple[int, int, list[tuple[int, int, int]]]:
    at, data, header = 8, b"", b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + length]
        header = body if kind == b"IHDR" else header
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height, _, colour = struct.unpack(">IIBB", header[:10])
    step = 4 if colour == 6 else 3
    return width, height, _pixels(zlib.decompress(data), width, height, step)


def _pixels(raw: bytes, width: int, height: int, step: int) -> list[tuple[int, int, int]]:
    stride, before, found = width * step, bytearray(width * step), []
    for row in range(height):
        start = row * (stride + 1)
        line = _unfilter(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), before, step)
        found += [tuple(line[at : at + 3]) for at in range(0, stride, step)]
        before = line
    return found


def _unfilter(kind: int, line: bytearray, up: bytearray, step: int) -> bytearray:
    for at in range(len(line)):
        left = line[at - step] if at >= step else 0
        corner = up[at - step] if at >= step else 0
        if kind == 1:
            add = left
        elif kind == 2:
            add = up[at]
        elif kind == 3:
            add = (left + up[at]) // 2
        elif kind == 4:
            guess = left + up[at] - corner
            add = min((abs(guess - one), order, one) for order, one in enumerate((left, up[at], corner)))[2]
        else:
            add = 0
        line[at] = (line[at] + add) & 255
    return line


def _palette(pixels: list[tuple[int, int, int]]) -> tuple[list[tuple[int, int, int]], bytearray]:
    counts: dict[tuple[int, int, int], int] = {}
    for pixel in pixels:
        counts[pixel] = counts.get(pixel, 0) + 1
    kept = sorted(counts, key=counts.__getitem__, reverse=True)[:256]
    number = {colour: index for index, colour in enumerate(kept)}
    for colour in counts:
        if colour not in number:
            nearest = min(kept, key=lambda one: sum((a - b) ** 2 for a, b in zip(one, colour, strict=True)))
            number[colour] = number[nearest]
    return kept, bytearray(number[pixel] for pixel in pixels)
