"""Retry-After: how long a server asks us to wait."""

import pytest

from runtime.net.retry_after import retry_after_seconds

DATE = {"Date": "Wed, 18 Nov 2026 10:00:00 GMT"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "120"}, 120.0),
        ({"Retry-After": " 005 "}, 5.0),
        ({**DATE, "Retry-After": "Wed, 18 Nov 2026 10:02:00 GMT"}, 120.0),
        ({**DATE, "Retry-After": "Wed, 18 Nov 2026 09:00:00 GMT"}, 0.0),
        ({"Retry-After": "Wed, 18 Nov 2026 10:02:00 GMT"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, None),
        (DATE, None),
        ({}, None),
    ],
)
def test_what_is_asked_for_in_seconds(headers, seconds):
    assert retry_after_seconds(headers) == seconds
