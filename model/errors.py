"""What can go wrong when talking to a target.

TargetError
├── TargetUnreachable      nothing answered: refused, reset, DNS, timeout, TLS; 502 to 504
│   ├── TargetStarting     503 in its own words: it starts up or migrates its database
│   └── OutcomeUnknown     a write whose answer was lost, and reading back did not show it done
├── TargetBusy             429, other 5xx, redirects, codes nobody documented
│   └── AnswerGarbled      an answer that is no answer: cut, or a web page where data belongs
│       └── FilterIgnored  everything came where a choice was asked for: the server does not know the filter
├── AccessDenied           401, 403, 498: the token or key, or what it may do
├── WrongServer            somebody else's identifier at our address
├── WrongAddress           no such server lives there: a web page, another product, a version nobody knows
├── ItemChanged            somebody edited the item between our read and our write; nothing was written
├── LibraryNotFound        no library of that name; carries the names there are
├── ChangeRejected         400, 414 and their kin: this very request is wrong; carries its fields
│   └── RequestTooLong     414, or too long to be sent at all
└── ItemNotFound           not on the target, perhaps not yet
    └── ItemGone           404 on an item we knew: look its path up again

Every error carries `kind` (what happened, for machines) and `status` (the HTTP code, if one came). Its text is for
people; which request it befell is for the log (`for_log`). No decision anywhere is taken by an error's text. An adapter
turns foreign errors into these, in one place of its own.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Self


class Kind(StrEnum):
    """What happened, finer than the class that says what it is."""

    REFUSED = "refused"  # no connection came about: the request never left
    DNS = "dns"
    TLS = "tls"
    CONNECT_TIMEOUT = "connect_timeout"
    READ_TIMEOUT = "read_timeout"
    DRIPPING = "dripping"  # it came bit by bit, for longer than a whole answer may take
    RESET = "reset"  # the connection broke after the request may have left
    BAD_URL = "bad_url"
    GATEWAY = "gateway"
    MAINTENANCE = "maintenance"
    NOT_CONFIRMED = "not_confirmed"
    RATE_LIMIT = "rate_limit"
    SERVER_ERROR = "server_error"
    REDIRECT = "redirect"
    UNKNOWN_STATUS = "unknown_status"
    READ_REFUSED = "read_refused"
    CUT_XML = "cut_xml"
    CUT_JSON = "cut_json"
    OTHER_SHAPE = "other_shape"  # whole, and not what was asked for
    HTML_PAGE = "html_page"
    TOO_LARGE = "too_large"
    NOT_PLEX = "not_plex"
    FILTER_IGNORED = "filter_ignored"
    TOKEN = "token"  # noqa: S105 - a name, not a secret
    PERMISSION = "permission"
    WRONG_SERVER = "wrong_server"
    WRONG_ADDRESS = "wrong_address"
    OTHER_PRODUCT = "other_product"
    PLEX = "plex"  # where another product was expected
    UNKNOWN_VERSION = "unknown_version"
    CHANGED = "changed"
    NO_LIBRARY = "no_library"
    BAD_REQUEST = "bad_request"
    TOO_LONG = "too_long"
    NAME_TAKEN = "name_taken"  # by something that would be lost
    NOT_ON_SERVER = "not_in_plex"
    GONE = "gone"


NEVER_SENT = frozenset({Kind.REFUSED, Kind.DNS, Kind.TLS, Kind.CONNECT_TIMEOUT, Kind.BAD_URL})
"""Faults after which even a write may be repeated: the server has not seen it."""


class TargetError(Exception):
    """Whatever keeps us from reading or writing a target."""

    default_kind: Kind = Kind.UNKNOWN_STATUS
    request = ""
    retry_after: float | None = None  # seconds that the server asks us to wait

    def __init__(self, message: str, *, kind: Kind | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind or self.default_kind
        self.status = status

    def at(self, request: str) -> Self:
        """Note which request it befell, without its query."""
        self.request = request
        return self


class TargetUnreachable(TargetError):
    default_kind = Kind.REFUSED


class TargetStarting(TargetUnreachable):
    default_kind = Kind.MAINTENANCE


class OutcomeUnknown(TargetUnreachable):
    """`applied` is False when we read back and it was not there (yet), None when reading back failed too."""

    default_kind = Kind.NOT_CONFIRMED

    def __init__(self, message: str, *, applied: bool | None, status: int | None = None) -> None:
        super().__init__(message, status=status)
        self.applied = applied


class TargetBusy(TargetError):
    default_kind = Kind.SERVER_ERROR


class AnswerGarbled(TargetBusy):
    default_kind = Kind.CUT_XML


class FilterIgnored(AnswerGarbled):
    default_kind = Kind.FILTER_IGNORED


class AccessDenied(TargetError):
    default_kind = Kind.TOKEN


class WrongServer(TargetError):
    """Another machine answers at our address; nothing may be written to it."""

    default_kind = Kind.WRONG_SERVER

    def __init__(self, expected: str, found: str, product: str = "Plex") -> None:
        super().__init__(
            f"another {product} server answers at this address: expected {expected}, found {found or 'none'}; "
            "if that is right, run the task Clear Match Cache"
        )
        self.expected = expected
        self.found = found


class WrongAddress(TargetError):
    """What answers is no server of this kind, or one that nobody knows: nothing may be written to it."""

    default_kind = Kind.WRONG_ADDRESS


class ItemChanged(TargetError):
    """Somebody edited the item since it was read. Read it again, and decide anew."""

    default_kind = Kind.CHANGED


class LibraryNotFound(TargetError):
    """A name in the settings fits no library; `existing` are the names that would."""

    default_kind = Kind.NO_LIBRARY

    def __init__(
        self, message: str, *, missing: Sequence[str] = (), existing: Sequence[str] = (), status: int | None = None
    ) -> None:
        super().__init__(message, status=status)
        self.missing = tuple(missing)
        self.existing = tuple(existing)


class ChangeRejected(TargetError):
    """The request itself is at fault; `fields` names what it tried to write."""

    default_kind = Kind.BAD_REQUEST

    def __init__(
        self, message: str, *, kind: Kind | None = None, status: int | None = None, fields: Sequence[str] = ()
    ) -> None:
        super().__init__(message, kind=kind, status=status)
        self.fields = tuple(fields)


class RequestTooLong(ChangeRejected):
    default_kind = Kind.TOO_LONG


class ItemNotFound(TargetError):
    default_kind = Kind.NOT_ON_SERVER


class ItemGone(ItemNotFound):
    default_kind = Kind.GONE


def may_be_applied(error: TargetError) -> bool:
    """Tell of a write that failed so: was only its answer lost? Then it must be read back, never repeated."""
    if isinstance(error, TargetStarting):
        return False
    return isinstance(error, (TargetUnreachable, AnswerGarbled)) and error.kind not in NEVER_SENT


def request_of(error: BaseException | None) -> str:
    """Name the request that failed, of this error or of the one that it came from; empty if it was none."""
    while error is not None:
        if isinstance(error, TargetError) and error.request:
            return error.request
        error = error.__cause__
    return ""


def for_log(error: BaseException) -> str:
    """Write an error as whoever mends the plugin wants it: with the request."""
    request = request_of(error)
    return f"{error} [{request}]" if request else str(error)
