"""Every foreign error has a name of ours, found by its type or its status, never by its text."""

import re
from xml.etree.ElementTree import ParseError

import pytest
import requests
import urllib3.exceptions as u3

import plex.exceptions as px
from plex.exceptions import Kind, from_status, translate, translated

ITEM, LIBRARY = "/library/metadata/7", "/library/sections/1/all"
MAINTENANCE = b'<Response code="503" title="Maintenance" status="Plex Media Server is busy starting."/>'

STATUSES = [
    ("GET", ITEM, 400, b"", px.PlexBusy, Kind.BAD_REQUEST),
    ("GET", ITEM, 414, b"", px.PlexBusy, Kind.BAD_REQUEST),
    ("PUT", ITEM, 400, b"", px.PlexRejected, Kind.BAD_REQUEST),
    ("GET", ITEM, 401, b"", px.PlexUnauthorized, Kind.TOKEN),
    ("GET", ITEM, 403, b"", px.PlexUnauthorized, Kind.PERMISSION),
    ("GET", ITEM, 404, b"", px.ItemGone, Kind.GONE),
    ("PUT", LIBRARY, 404, b"", px.ItemGone, Kind.GONE),
    ("GET", LIBRARY, 404, b"", px.LibraryNotFound, Kind.NO_LIBRARY),
    ("GET", "/", 404, b"", px.PlexGarbled, Kind.NOT_PLEX),
    ("PUT", ITEM, 406, b"", px.PlexRejected, Kind.BAD_REQUEST),
    ("PUT", ITEM, 409, b"", px.PlexRejected, Kind.BAD_REQUEST),
    ("POST", ITEM, 413, b"", px.PlexRejected, Kind.BAD_REQUEST),
    ("PUT", LIBRARY, 414, b"", px.RequestTooLong, Kind.TOO_LONG),
    ("GET", ITEM, 429, b"", px.PlexBusy, Kind.RATE_LIMIT),
    ("GET", ITEM, 498, b"", px.PlexUnauthorized, Kind.TOKEN),
    ("GET", ITEM, 500, b"", px.PlexBusy, Kind.SERVER_ERROR),
    ("GET", ITEM, 502, b"", px.PlexUnreachable, Kind.GATEWAY),
    ("GET", ITEM, 503, b"", px.PlexUnreachable, Kind.GATEWAY),
    ("GET", ITEM, 503, MAINTENANCE, px.PlexMaintenance, Kind.MAINTENANCE),
    ("GET", ITEM, 504, b"", px.PlexUnreachable, Kind.GATEWAY),
    ("GET", ITEM, 302, b"", px.PlexBusy, Kind.REDIRECT),
    ("GET", ITEM, 494, b"", px.PlexBusy, Kind.UNKNOWN_STATUS),
    ("GET", ITEM, 521, b"", px.PlexBusy, Kind.UNKNOWN_STATUS),
    ("GET", ITEM, 799, b"", px.PlexBusy, Kind.UNKNOWN_STATUS),
]


@pytest.mark.parametrize("case", STATUSES, ids=[f"{row[0]} {row[1]} {row[2]}" for row in STATUSES])
def test_a_status_becomes_an_error(case):
    method, path, status, body, family, kind = case
    error = from_status(status, method, path, body)
    assert type(error) is family
    assert (error.kind, error.status) == (kind, status)


def pool(reason):
    return requests.ConnectionError(u3.MaxRetryError(None, "/", reason))  # type: ignore[arg-type]


FOREIGN = [
    (pool(u3.NewConnectionError(None, "refused")), px.PlexUnreachable, Kind.REFUSED),
    (pool(u3.NameResolutionError("host", None, OSError())), px.PlexUnreachable, Kind.DNS),
    (requests.ConnectionError(u3.ProtocolError("aborted")), px.PlexUnreachable, Kind.RESET),
    (requests.ConnectionError(u3.ReadTimeoutError(None, "/", "slow")), px.PlexUnreachable, Kind.READ_TIMEOUT),
    (requests.ConnectionError(), px.PlexUnreachable, Kind.RESET),
    (requests.exceptions.SSLError(), px.PlexUnreachable, Kind.TLS),
    (requests.exceptions.ConnectTimeout(), px.PlexUnreachable, Kind.CONNECT_TIMEOUT),
    (requests.exceptions.ReadTimeout(), px.PlexUnreachable, Kind.READ_TIMEOUT),
    (requests.exceptions.ChunkedEncodingError(), px.PlexUnreachable, Kind.RESET),
    (requests.exceptions.InvalidURL(), px.PlexUnreachable, Kind.BAD_URL),
    (requests.exceptions.MissingSchema(), px.PlexUnreachable, Kind.BAD_URL),
    (u3.ProtocolError(), px.PlexUnreachable, Kind.RESET),
    (ParseError(), px.PlexGarbled, Kind.CUT_XML),
    (requests.RequestException(), px.PlexBusy, Kind.UNKNOWN_STATUS),
]


@pytest.mark.parametrize(("foreign", "family", "kind"), FOREIGN, ids=[repr(row[0])[:40] for row in FOREIGN])
def test_a_foreign_error_becomes_ours(foreign, family, kind):
    error = translate(foreign, "GET /")
    assert type(error) is family
    assert error.kind is kind


def test_the_block_lets_only_our_errors_out_and_keeps_the_cause():
    foreign = requests.exceptions.ReadTimeout("slow")
    with pytest.raises(px.PlexUnreachable) as caught, translated("GET /"):
        raise foreign
    assert caught.value.__cause__ is foreign


def test_a_bug_of_ours_stays_a_bug():
    with pytest.raises(ZeroDivisionError), translated("GET /"):
        raise ZeroDivisionError


def test_maintenance_waits_like_an_outage_and_a_redirect_names_where():
    assert issubclass(px.PlexMaintenance, px.PlexUnreachable)
    assert "https://other" in str(from_status(302, "GET", "/", location="https://other"))


def test_the_family_tree_in_the_docstring_is_complete():
    def family(error):
        return {error} | {one for child in error.__subclasses__() for one in family(child)}

    drawn = set(re.findall(r"(?:── )?(\w+)(?= {2,}|\n├)", px.__doc__))
    assert {error.__name__ for error in family(px.PlexError)} <= drawn
