"""The JSON that does without json agrees with json."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.fast_json import dump_flat, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.booleans())
def test_it_reads_what_json_writes(value, ascii_only):
    assert loads(json.dumps(value, ensure_ascii=ascii_only, indent=1).encode("utf-8", "surrogatepass")) == value


@given(
    st.dictionaries(
        st.text(), st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)
    )
)
def test_json_reads_what_it_writes(fields):
    assert json.loads(dump_flat(fields)) == fields


@pytest.mark.parametrize(
    "raw", [b"", b"  ", b"{", b"nope", b"{} {}", b'{"a":}', b"\xff\xfe\x00", b'"\x01"', b"[1,]", b"1" * 5000, b"'a'"]
)
def test_what_is_no_document_is_a_value_error(raw):
    with pytest.raises(ValueError):
        loads(raw)


def test_a_nest_of_a_hundred_thousand_brackets_does_not_kill_the_process():
    with pytest.raises((RecursionError, ValueError)):
        loads(b"[" * 100_000)


def test_a_byte_order_mark_is_read_over():
    assert loads(b'\xef\xbb\xbf {"a": 1}\n') == {"a": 1}
