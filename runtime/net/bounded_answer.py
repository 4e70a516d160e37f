"""Answers with an end: no server, broken or hostile, may fill the memory or keep us reading for ever."""

import time
from collections.abc import Iterator

import requests
import urllib3.exceptions

from model.sentences import counted

CHUNK_BYTES = 65536
MOST_SECONDS = 600.0  # time-outs of a socket are between two bytes; this one is for all of them


class AnswerTooLarge(requests.RequestException):
    """More came than any answer may have; the rest was not read."""


class AnswerTooSlow(requests.Timeout):
    """It kept coming, bit by bit, for longer than anyone waits."""


class Dripping(TimeoutError):
    """Something comes all the time, and too little of it."""


def named_timeout(error: requests.ReadTimeout) -> requests.Timeout:
    """Tell an answer that drips from one that does not come: urllib3 and requests call both a time-out."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, Dripping):
            return AnswerTooSlow(str(cause))
        wrapped: object = cause.args[0] if cause.args else None
        cause = cause.__cause__ or (wrapped if isinstance(wrapped, BaseException) else None)
    return error


def read_bounded(response: requests.Response, max_bytes: int, max_seconds: float = MOST_SECONDS) -> bytes:
    """Read an answer that was asked for with `stream`, and close it unless it ends in time and within bounds.

    What is counted is what a compressed answer unpacks to. The pieces are small, so a bomb goes off in one of them.
    """
    try:
        return b"".join(_pieces(response, max_bytes, time.monotonic() + max_seconds))
    except requests.RequestException:
        response.close()
        raise


def _pieces(response: requests.Response, max_bytes: int, deadline: float) -> Iterator[bytes]:
    size = 0
    for piece in _as_they_come(response):
        size += len(piece)
        if size > max_bytes:
            raise AnswerTooLarge(f"an answer of more than {counted(max_bytes, 'byte')}")
        if time.monotonic() > deadline:
            raise AnswerTooSlow("an answer that does not end")
        yield piece


def _as_they_come(response: requests.Response) -> Iterator[bytes]:
    """Yield what has arrived, be it a byte: requests waits for a whole chunk, and a trickle would never be noticed."""
    read1 = getattr(response.raw, "read1", None)
    if read1 is None:  # urllib3 before 2.1
        yield from response.iter_content(CHUNK_BYTES)
        return
    try:
        while piece := read1(CHUNK_BYTES, decode_content=True):
            yield piece
    except urllib3.exceptions.ReadTimeoutError as error:
        raise named_timeout(requests.ReadTimeout(error)) from error
    except urllib3.exceptions.DecodeError as error:
        raise requests.exceptions.ContentDecodingError(error) from error
    except urllib3.exceptions.HTTPError as error:
        raise requests.exceptions.ChunkedEncodingError(error) from error


def hold_bounded(response: requests.Response, max_bytes: int, max_seconds: float = MOST_SECONDS) -> requests.Response:
    """Read it so, and let it look to others like an answer that requests has read."""
    response._content = read_bounded(response, max_bytes, max_seconds)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - requests has no other way
    response._content_consumed = True  # noqa: SLF001  # pyright: ignore[reportAttributeAccessIssue] - as above
    return response
