"""What became of a request, told by the type of the error alone."""

import pytest
import requests
import urllib3.exceptions

from runtime.net.bounded_answer import AnswerTooLarge, AnswerTooSlow
from runtime.net.connection_fault import ConnectionFault, fault_of


def wrapped(reason):
    return requests.ConnectionError(urllib3.exceptions.MaxRetryError(None, "/", reason))


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (AnswerTooLarge(), ConnectionFault.TOO_LARGE),
        (AnswerTooSlow(), ConnectionFault.READ_TIMEOUT),
        (requests.exceptions.SSLError(), ConnectionFault.TLS),
        (requests.exceptions.ConnectTimeout(), ConnectionFault.CONNECT_TIMEOUT),
        (requests.exceptions.InvalidURL(), ConnectionFault.BAD_URL),
        (wrapped(urllib3.exceptions.NameResolutionError("host", None, OSError())), ConnectionFault.DNS),
        (wrapped(urllib3.exceptions.ReadTimeoutError(None, "/", "")), ConnectionFault.READ_TIMEOUT),
        (wrapped(urllib3.exceptions.NewConnectionError(None, "")), ConnectionFault.REFUSED),
        (requests.ConnectionError(), ConnectionFault.RESET),
        (requests.RequestException(), ConnectionFault.OTHER),
    ],
)
def test_every_error_has_its_fault(error, fault):
    assert fault_of(error) is fault
    assert fault.words


def test_only_what_never_left_may_be_sent_again():
    sent = {fault for fault in ConnectionFault if not fault.never_sent}
    assert sent == {
        ConnectionFault.READ_TIMEOUT,
        ConnectionFault.RESET,
        ConnectionFault.TOO_LARGE,
        ConnectionFault.OTHER,
    }
