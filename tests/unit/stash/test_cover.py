"""Covers: what is a picture by its bytes, whatever it is called, and what is refused with which reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stash.cover import MAX_BYTES, CoverRefused, NoCover, check_cover

PICTURES = {
    "image/jpeg": b"\xff\xd8\xff\xe0rest",
    "image/png": b"\x89PNG\r\n\x1a\nrest",
    "image/gif": b"GIF89arest",
    "image/webp": b"RIFF\x10\x00\x00\x00WEBPrest",
}


@pytest.mark.parametrize(("kind", "data"), PICTURES.items(), ids=PICTURES)
@pytest.mark.parametrize("declared", ["", "application/octet-stream", "image/jpeg; charset=utf-8"])
def test_a_picture_is_known_by_its_bytes(kind, data, declared):
    assert check_cover(data, declared).content_type == kind
    assert check_cover(data, declared).data == data


@pytest.mark.parametrize(
    ("data", "declared"),
    [
        (b"<svg/>", "image/svg+xml"),
        (b"  \n<svg xmlns='x'/>", "text/plain"),
        (b"", "image/svg+xml"),
        (b"\xff\xd8\xff", "Image/SVG+xml; charset=utf-8"),
    ],
)
def test_a_drawing_means_that_there_is_no_cover_yet(data, declared):
    with pytest.raises(NoCover, match="no cover"):
        check_cover(data, declared)


@pytest.mark.parametrize(
    ("data", "declared", "reason"),
    [
        (b"", "image/jpeg", "empty"),
        (b"<!DOCTYPE html><html>", "text/html; charset=utf-8", r"no picture \(text/html\)"),
        (b"<html>", "image/jpeg", "no picture"),
        (b"\x00\x00\x00\x18ftypmp42", "video/mp4", "no picture"),
        (b"RIFF\x10\x00\x00\x00WAVE", "", r"no picture \(no type\)"),
        (b"\xff\xd8", "image/jpeg", "no picture"),
        (PICTURES["image/jpeg"] + bytes(MAX_BYTES), "image/jpeg", "larger than 10 MB"),
    ],
)
def test_what_is_no_picture_is_refused_with_the_reason(data, declared, reason):
    with pytest.raises(CoverRefused, match=reason) as refused:
        check_cover(data, declared)
    assert not isinstance(refused.value, NoCover)


def test_ten_megabytes_are_just_right():
    assert check_cover(PICTURES["image/png"].ljust(MAX_BYTES, b"\0"), "image/png")


@given(st.binary(max_size=40), st.text(max_size=20))
def test_whatever_comes_is_a_cover_or_refused(data, declared):
    try:
        cover = check_cover(data, declared)
    except CoverRefused as refused:
        assert str(refused).endswith((".", ")."))
    else:
        assert cover.data == data
