"""Faults of the simulated Emby and Jellyfin: the ones every server has, and their own."""

from sim.plex.faults import (
    BAD_GATEWAY,
    GATEWAY_TIMEOUT,
    HANG,
    LOGIN_PAGE,
    LOST_BY_HANG,
    LOST_BY_RESET,
    RESET,
    RESET_MIDWAY,
    SHORT_BODY,
    Fault,
    Faults,
    Rule,
    Wire,
    hanging,
    slow,
)
from sim.plex.web.exchange import HTML, TEXT, Answer

__all__ = [
    "BAD_GATEWAY",
    "CATALOGUE",
    "CUT_JSON",
    "DATABASE_LOCKED",
    "FORBIDDEN",
    "GATEWAY_TIMEOUT",
    "HANG",
    "LOGIN_PAGE",
    "LOST_BY_HANG",
    "LOST_BY_RESET",
    "NOT_FOUND",
    "RESET",
    "RESET_MIDWAY",
    "SHORT_BODY",
    "STARTING",
    "TOO_MANY",
    "UNAUTHORIZED",
    "Fault",
    "Faults",
    "Rule",
    "Wire",
    "hanging",
    "slow",
    "status",
]


def status(code: int) -> Fault:
    """Answer with nothing but this code."""
    return Fault(f"status {code}", Answer(b"", code, ""))


_STARTING_PAGE = b"<!DOCTYPE html><html><head><title>Jellyfin</title></head><body>Starting</body></html>"

STARTING = Fault("starting", Answer(_STARTING_PAGE, 503, HTML, {"Retry-After": "005"}))
UNAUTHORIZED = Fault("unauthorized", Answer(b"", 401, ""))
FORBIDDEN = Fault("forbidden", Answer(b"", 403, ""))
NOT_FOUND = Fault("not found", Answer(b"", 404, ""))
TOO_MANY = Fault("too many", Answer(b"", 429, ""))
DATABASE_LOCKED = Fault("database locked", Answer(b"Error processing request.", 500, TEXT))
CUT_JSON = Fault("cut json", wire=Wire.CUT, does_work=True)

CATALOGUE = {
    fault.name: fault
    for fault in (
        STARTING,
        UNAUTHORIZED,
        FORBIDDEN,
        NOT_FOUND,
        TOO_MANY,
        DATABASE_LOCKED,
        BAD_GATEWAY,
        GATEWAY_TIMEOUT,
        LOGIN_PAGE,
        CUT_JSON,
        SHORT_BODY,
        RESET,
        RESET_MIDWAY,
        HANG,
        LOST_BY_RESET,
        LOST_BY_HANG,
    )
}
