"""Every foreign error has a name of ours, found by its type or its status, never by its text."""

import re
from xml.etree.ElementTree import ParseError

import pytest
import requests
import urllib3.exceptions as u3

import model.errors as px
from model.errors import Kind
from plex.exceptions import from_status, translate, translated

ITEM, LIBRARY = "/library/metadata/7", "/library/sections/1/all"
MAINTENANCE = b'<Response code="503" title="Maintenance" status="Plex Media Server is busy starting."/>'

STATUSES = [
    ("GET", ITEM, 400, b"", px.TargetBusy, Kind.BAD_REQUEST),
    ("GET", ITEM, 414, b"", px.TargetBusy, Kind.BAD_REQUEST),
    ("PUT", ITEM, 400, b"", px.ChangeRejected, Kind.BAD_REQUEST),
    ("GET", ITEM, 401, b"", px.AccessDenied, Kind.TOKEN),
    ("GET", ITEM, 403, b"", px.AccessDenied, Kind.PERMISSION),
    ("GET", ITEM, 404, b"", px.ItemGone, Kind.GONE),
    ("PUT", LIBRARY, 404, b"", px.ItemGone, Kind.GONE),
    ("GET", LIBRARY, 404, b"", px.LibraryNotFound, Kind.NO_LIBRARY),
    ("GET", "/", 404, b"", px.AnswerGarbled, Kind.NOT_PLEX),
    ("PUT", ITEM, 406, b"", px.ChangeRejected, Kind.BAD_REQUEST),
    ("PUT", ITEM, 409, b"", px.ChangeRejected, Kind.BAD_REQUEST),
    ("POST", ITEM, 413, b"", px.ChangeRejected, Kind.BAD_REQUEST),
    ("PUT", LIBRARY, 414, b"", px.RequestTooLong, Kind.TOO_LONG),
    ("GET", ITEM, 429, b"", px.TargetBusy, Kind.RATE_LIMIT),
    ("GET", ITEM, 498, b"", px.AccessDenied, Kind.TOKEN),
    ("GET", ITEM, 500, b"", px.TargetBusy, Kind.SERVER_ERROR),
    ("GET", ITEM, 502, b"", px.TargetUnreachable, Kind.GATEWAY),
    ("GET", ITEM, 503, b"", px.TargetUnreachable, Kind.GATEWAY),
    ("GET", ITEM, 503, MAINTENANCE, px.TargetStarting, Kind.MAINTENANCE),
    ("GET", ITEM, 504, b"", px.TargetUnreachable, Kind.GATEWAY),
    ("GET", ITEM, 302, b"", px.TargetBusy, Kind.REDIRECT),
    ("GET", ITEM, 494, b"", px.TargetBusy, Kind.UNKNOWN_STATUS),
    ("GET", ITEM, 521, b"", px.TargetBusy, Kind.UNKNOWN_STATUS),
    ("GET", ITEM, 799, b"", px.TargetBusy, Kind.UNKNOWN_STATUS),
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
    (pool(u3.NewConnectionError(None, "refused")), px.TargetUnreachable, Kind.REFUSED),
    (pool(u3.NameResolutionError("host", None, OSError())), px.TargetUnreachable, Kind.DNS),
    (requests.ConnectionError(u3.ProtocolError("aborted")), px.TargetUnreachable, Kind.RESET),
    (requests.ConnectionError(u3.ReadTimeoutError(None, "/", "slow")), px.TargetUnreachable, Kind.READ_TIMEOUT),
    (requests.ConnectionError(), px.TargetUnreachable, Kind.RESET),
    (requests.exceptions.SSLError(), px.TargetUnreachable, Kind.TLS),
    (requests.exceptions.ConnectTimeout(), px.TargetUnreachable, Kind.CONNECT_TIMEOUT),
    (requests.exceptions.ReadTimeout(), px.TargetUnreachable, Kind.READ_TIMEOUT),
    (requests.exceptions.ChunkedEncodingError(), px.TargetUnreachable, Kind.RESET),
    (requests.exceptions.InvalidURL(), px.TargetUnreachable, Kind.BAD_URL),
    (requests.exceptions.MissingSchema(), px.TargetUnreachable, Kind.BAD_URL),
    (u3.ProtocolError(), px.TargetUnreachable, Kind.RESET),
    (ParseError(), px.AnswerGarbled, Kind.CUT_XML),
    (requests.RequestException(), px.TargetBusy, Kind.UNKNOWN_STATUS),
]


@pytest.mark.parametrize(("foreign", "family", "kind"), FOREIGN, ids=[repr(row[0])[:40] for row in FOREIGN])
def test_a_foreign_error_becomes_ours(foreign, family, kind):
    error = translate(foreign)
    assert type(error) is family
    assert error.kind is kind


def test_the_block_lets_only_our_errors_out_and_keeps_the_cause():
    foreign = requests.exceptions.ReadTimeout("slow")
    with pytest.raises(px.TargetUnreachable) as caught, translated("GET /"):
        raise foreign
    assert caught.value.__cause__ is foreign


def test_the_text_is_for_people_and_the_request_for_the_log():
    error = from_status(401, "GET", "/", b"")
    assert str(error) == "Plex does not accept the token"
    assert px.for_log(error) == "Plex does not accept the token [GET /: 401]"
    with pytest.raises(px.TargetUnreachable) as caught, translated("PUT /library/sections/1/all"):
        raise requests.exceptions.ReadTimeout("slow")
    assert str(caught.value) == "no answer in time"
    lost = px.OutcomeUnknown("its answer was lost", applied=None)
    lost.__cause__ = caught.value
    assert px.for_log(lost) == "its answer was lost [PUT /library/sections/1/all]"


def test_a_bug_of_ours_stays_a_bug():
    with pytest.raises(ZeroDivisionError), translated("GET /"):
        raise ZeroDivisionError


def test_maintenance_waits_like_an_outage_and_a_redirect_names_where():
    assert issubclass(px.TargetStarting, px.TargetUnreachable)
    assert "https://other" in str(from_status(302, "GET", "/", location="https://other"))


def test_the_family_tree_in_the_docstring_is_complete():
    def family(error):
        return {error} | {one for child in error.__subclasses__() for one in family(child)}

    drawn = set(re.findall(r"(?:── )?(\w+)(?= {2,}|\n├)", px.__doc__))
    assert {error.__name__ for error in family(px.TargetError)} <= drawn
