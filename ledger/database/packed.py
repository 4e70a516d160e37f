"""Values packed for the disk, where they take half the room: JSON deflated, digests as bytes."""

import json
import zlib
from typing import Any

# Words that most values hold. What was deflated with them can be read with them only: others need another form.
_FORM = b"\x01"
_WORDS = b" ".join(
    (
        b"about after again all also always and another any are around as away back be because been before being",
        b"between both but by came can come could day did do does down each even every ever face first for from get",
        b"gives go goes going good got great had has have he her here herself him himself his home how if in into is",
        b"it its just keep know last let life like little long look looks made make makes man many may me more most",
        b"much must my name never new next night no not nothing now of off old on once one only or other our out",
        b"over own part people place really right room said same say see she should show shows since so some",
        b"something soon still story such sure take takes talk tell than that the their them then there these they",
        b"thing things think this those thought three through time to together too turn turns two under until up us",
        b"very want wants was watch way well went were what when where which while who will with without woman work",
        b"world would year years yet you young your ing tion ed with the of the in the to the and the is a she is",
        b'{"scalars": {"title": "", "sort_title": "", "summary": "", "studio": "", "date": "20", "tagline": "",',
        b'"rating": ""}, "sets": {"performers": ["", ""], "tags": ["", ""], "director": [""], "collection": [""],',
        b'"groups": [""]}, "found": {}}[["title", "scalar", "", "", false, false, null], ["sort_title", "scalar", "",',
        b'"", true, true, null], ["performers", "set", [], ["", ""], false, false, null], ["thumb", "picture",',
        b'"media:///.bundle/Contents/Thumbnails/thumb1.jpg", "upload://posters/", ["art", "picture", "",',
        b'"upload://arts/", false, false, null]]',
    )
)
_LEAST_DIGEST = 32  # hexadecimal digits; shorter ones are not worth it


def pack(value: object) -> bytes:
    """Give what `unpack` makes the same value of."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, _WORDS)
    return _FORM + deflate.compress(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")) + deflate.flush()


def unpack(packed: bytes | str) -> Any:
    """Read what was packed, or JSON as it is. Raises ValueError for what is neither, a flipped bit for one."""
    if isinstance(packed, str):
        return json.loads(packed)
    if packed[:1] != _FORM:
        raise ValueError("packed in a form that this version does not know")
    try:
        text = zlib.decompressobj(-zlib.MAX_WBITS, _WORDS).decompress(packed[1:])
    except zlib.error as error:
        raise ValueError("the packed value is damaged") from error
    return json.loads(text)


def shortened(text: str) -> bytes | str:
    """Give a text that is or ends in a digest, be it the name of a picture, with the digest as bytes; others as is."""
    head, slash, tail = text.rpartition("/")
    try:
        digest = bytes.fromhex(tail) if len(tail) >= _LEAST_DIGEST else b""
    except ValueError:
        return text
    return f"{head}{slash}".encode() + b"\0" + digest if digest and digest.hex() == tail and "\0" not in head else text


def lengthened(short: bytes | str) -> str:
    """Give the text again."""
    if isinstance(short, str):
        return short
    head, _, digest = short.partition(b"\0")
    return head.decode("utf-8", "replace") + digest.hex()
