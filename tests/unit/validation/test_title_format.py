"""The title as a person wants it put together."""

import pytest

from plan.title_format import formatted_title
from tests.support.items import scene


def made(form, **values):
    return formatted_title(form, scene(**values))


@pytest.mark.parametrize("form", ["", "  ", "no place in it", "{studio}", "{unknown}"])
def test_without_anything_to_fill_in_it_is_the_title(form):
    assert made(form) == "A title"


@pytest.mark.parametrize(
    ("form", "values", "expected"),
    [
        ("{performers} - {title}", {"performers": ("Ann", "Bo")}, "Ann, Bo - A title"),
        ("{performers} - {title}", {}, "A title"),
        ("{studio}: {title} ({date})", {"studio": "S", "date": "2024-05-01"}, "S: A title (2024-05-01)"),
        ("{studio}: {title} ({date})", {"studio": "S"}, "S: A title"),
        ("[{code}] {title}", {"tagline": "X-1"}, "[X-1] A title"),
        ("[{code}] {title}", {}, "A title"),
        ("{performers} ({studio}) {title}", {"performers": ("Ann",)}, "Ann A title"),
        ("{performers} - {studio} - {title}", {"performers": ("Ann",)}, "Ann - A title"),
        ("{title}   {title}", {}, "A title A title"),
    ],
)
def test_what_stands_beside_an_empty_value_goes_with_it(form, values, expected):
    assert made(form, **values) == expected
