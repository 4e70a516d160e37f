"""The one place where errors of the network, and statuses of Emby and Jellyfin, become ours; never by their text."""

from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus

from model.errors import (
    NEVER_SENT,
    AccessDenied,
    AnswerGarbled,
    ChangeRejected,
    ItemGone,
    Kind,
    TargetBusy,
    TargetError,
    TargetStarting,
    TargetUnreachable,
)
from runtime.net.connection_fault import FOREIGN, ConnectionFault, fault_of

_READS = frozenset({"GET", "HEAD"})
_REJECTED = frozenset({400, 405, 406, 409, 411, 413, 414, 415, 422, 431})
_GATEWAY = frozenset({502, 504})
_SERVER_ERRORS = range(500, 512)  # above it are the inventions of proxies


def may_have_begun(error: TargetError) -> bool:
    """Tell of a write that failed so whether it may have happened all the same, whole or in part.

    Only what the server cannot have begun is sure not to have happened: up to Jellyfin 10.11 even a refused update
    leaves its first half behind.
    """
    if isinstance(error, TargetStarting):
        return False
    return isinstance(error, TargetUnreachable | TargetBusy | ChangeRejected) and error.kind not in NEVER_SENT


@contextmanager
def translated(what: str) -> Generator[None, None, None]:
    """Let only TargetError out of the block; `what` names the request without its query."""
    try:
        yield
    except FOREIGN as error:
        raise _from_fault(fault_of(error)).at(what) from error


def _from_fault(fault: ConnectionFault) -> TargetError:
    if fault is ConnectionFault.TOO_LARGE:
        return AnswerGarbled(fault.words, kind=Kind.TOO_LARGE)
    kind = Kind.UNKNOWN_STATUS if fault is ConnectionFault.OTHER else Kind(fault.value)
    return TargetUnreachable(fault.words, kind=kind)


def from_status(status: int, method: str, path: str, retry_after: float | None = None) -> TargetError:
    """Our error for an HTTP answer other than success or a redirect. `path` comes without its query."""
    error = _from_status(status, method)
    error.retry_after = retry_after
    return error.at(f"{method} {path}: {status}")


def _from_status(status: int, method: str) -> TargetError:
    if status == HTTPStatus.UNAUTHORIZED:
        return AccessDenied("the server does not accept the API key", status=status)
    if status == HTTPStatus.FORBIDDEN:
        text = "the key may not do this; it must be an API key, or an administrator's"
        return AccessDenied(text, kind=Kind.PERMISSION, status=status)
    if status == HTTPStatus.NOT_FOUND:
        return ItemGone("the item is not there any more", status=status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        return TargetStarting("the server is starting", status=status)
    if status in _REJECTED:
        return _rejected(status, method)
    return _trouble(status)


def _rejected(status: int, method: str) -> TargetError:
    if method in _READS:  # nothing of a job's is in a read: whoever refuses one refuses all of its kind
        return TargetBusy("the server refuses to be read", kind=Kind.READ_REFUSED, status=status)
    return ChangeRejected("the server does not take it", status=status)


def _trouble(status: int) -> TargetError:
    if status in _GATEWAY:
        return TargetUnreachable("the server does not answer", kind=Kind.GATEWAY, status=status)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return TargetBusy("it gets too many requests", kind=Kind.RATE_LIMIT, status=status)
    if status in _SERVER_ERRORS:
        return TargetBusy("the server failed inside", status=status)
    return TargetBusy("the server answered in a way that nobody documented", kind=Kind.UNKNOWN_STATUS, status=status)
