"""Faults: everything that goes wrong with a real server, as values, and the rules that say when."""

import threading
from dataclasses import dataclass, field
from enum import Enum, auto
from fnmatch import fnmatchcase

from sim.plex.web.exchange import HTML, XML, Answer, page


class Wire(Enum):
    """What becomes of the answer on its way."""

    WHOLE = auto()
    CUT = auto()
    """Half of it, and the length says so."""
    SHORT = auto()
    """Half of it, then the connection closes; the length promised all."""
    RESET_MIDWAY = auto()
    RESET = auto()
    """Not a byte."""
    DRIP = auto()
    """All of it, a byte now and then."""
    DRIP_HEADERS = auto()
    """As before, but from the first header on."""
    HANG = auto()
    """Not a byte, and not an end."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`answer` stands in for the server's own. Without one, `does_work` says whether the request is carried out."""

    name: str
    answer: Answer | None = None
    wire: Wire = Wire.WHOLE
    does_work: bool = False
    seconds: float = 3600.0
    delay: float = 0.0


def _maintenance(doing: str) -> Answer:
    status = f"Plex Media Server is currently running {doing}."
    return Answer(f'<Response code="503" title="Maintenance" status="{status}"/>'.encode(), 503, XML)


def _proxy(code: int, reason: str) -> Answer:
    title = f"{code} {reason}"
    html = f"<html>\r\n<head><title>{title}</title></head>\r\n<body><h1>{title}</h1></body>\r\n</html>"
    return Answer(html.encode(), code, HTML)


_LOGIN = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><form>Password: <input/></form></body></html>"

MAINTENANCE = Fault("maintenance", _maintenance("startup maintenance tasks"))
MIGRATIONS = Fault("migrations", _maintenance("database migrations"))
UNAUTHORIZED = Fault("unauthorized", page(401))
FORBIDDEN = Fault("forbidden", page(403))
NOT_FOUND = Fault("not found", page(404))
TOO_MANY = Fault("too many", page(429))
SERVER_ERROR = Fault("server error", page(500))
BAD_GATEWAY = Fault("bad gateway", _proxy(502, "Bad Gateway"))
GATEWAY_TIMEOUT = Fault("gateway timeout", _proxy(504, "Gateway Time-out"))
LOGIN_PAGE = Fault("login page", Answer(_LOGIN))
CUT_XML = Fault("cut xml", wire=Wire.CUT, does_work=True)
SHORT_BODY = Fault("short body", wire=Wire.SHORT, does_work=True)
RESET = Fault("reset", wire=Wire.RESET)
RESET_MIDWAY = Fault("reset midway", wire=Wire.RESET_MIDWAY, does_work=True)
HANG = Fault("hang", wire=Wire.HANG)
DRIPPING = Fault("dripping", wire=Wire.DRIP, does_work=True)
DRIPPING_HEADERS = Fault("dripping headers", wire=Wire.DRIP_HEADERS, does_work=True)
LOST_BY_RESET = Fault("lost by reset", wire=Wire.RESET, does_work=True)
LOST_BY_HANG = Fault("lost by hang", wire=Wire.HANG, does_work=True)

CATALOGUE = {
    fault.name: fault
    for fault in (
        MAINTENANCE,
        MIGRATIONS,
        UNAUTHORIZED,
        FORBIDDEN,
        NOT_FOUND,
        TOO_MANY,
        SERVER_ERROR,
        BAD_GATEWAY,
        GATEWAY_TIMEOUT,
        LOGIN_PAGE,
        CUT_XML,
        SHORT_BODY,
        RESET,
        RESET_MIDWAY,
        HANG,
        DRIPPING,
        DRIPPING_HEADERS,
        LOST_BY_RESET,
        LOST_BY_HANG,
    )
}


def status(code: int) -> Fault:
    """Answer with a bare page and this code: the 520 of some proxy, for one."""
    return Fault(f"status {code}", page(code))


def hanging(seconds: float, *, does_work: bool = False) -> Fault:
    """Say nothing for so long, then close."""
    return Fault("hanging", wire=Wire.HANG, does_work=does_work, seconds=seconds)


def slow(seconds: float) -> Fault:
    """Right, but late."""
    return Fault("slow", does_work=True, delay=seconds)


@dataclass(slots=True)
class Rule:
    """When a fault strikes: `times` None is until cleared, `skip` lets the first ones pass."""

    fault: Fault
    times: int | None = None
    method: str | None = None
    path: str | None = None
    kind: str | None = None
    skip: int = 0
    hits: int = field(default=0, init=False)

    def fits(self, method: str, path: str, kind: str) -> bool:
        return (
            self.method in (None, method)
            and self.kind in (None, kind)
            and (self.path is None or fnmatchcase(path, self.path))
        )

    @property
    def is_spent(self) -> bool:
        return self.times is not None and self.hits >= self.times


class Faults:
    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._lock = threading.Lock()

    def add(
        self,
        fault: Fault,
        *,
        times: int | None = None,
        method: str | None = None,
        path: str | None = None,
        kind: str | None = None,
        skip: int = 0,
    ) -> Rule:
        rule = Rule(fault, times, method, path, kind, skip)
        with self._lock:
            self._rules.append(rule)
        return rule

    def remove(self, rule: Rule) -> None:
        with self._lock:
            if rule in self._rules:
                self._rules.remove(rule)

    def clear(self) -> None:
        """All is well again; who hangs is let go."""
        with self._lock:
            self._rules.clear()

    def is_standing(self, fault: Fault) -> bool:
        return any(rule.fault is fault for rule in self._rules)

    def take(self, method: str, path: str, kind: str) -> tuple[float, Fault | None]:
        """Draw the delay and the fault of this request. Delays add up; the first rule that fits gives the fault."""
        delay = 0.0
        with self._lock:
            for rule in self._rules:
                if rule.is_spent or not rule.fits(method, path, kind):
                    continue
                if rule.skip:
                    rule.skip -= 1
                    continue
                rule.hits += 1
                delay += rule.fault.delay
                if not rule.fault.delay:
                    return delay, rule.fault
        return delay, None
