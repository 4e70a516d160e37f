"""The works that the simulated WordPress knows, as its search answers them."""

from typing import Any

Work = dict[str, Any]


def make_work(code: str, number: int = 0, **changes: Any) -> Work:
    """Make a work with every field that the search has."""
    return {
        "movie_code": code,
        "title": f"{code} The story of number {number}",
        "original_title": f"物語 {number}",
        "overview": f"Somebody meets somebody, {number} times.",
        "actress": [f"Performer {number % 20}"],
        "genre": ["Drama", "Documentary"],
        "release_date": f"20{number % 25:02d}-0{number % 9 + 1}-1{number % 9}",
        "raw_image_url": None,
        "image_cropped": None,
        "series": None,
        "maker": f"Maker {number % 7}",
        "label": f"Label {number % 5}",
        **changes,
    }
