"""CONTRIBUTING's recipes name files that exist, and stay short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_there_is_a_recipe_for_each_of_the_usual_changes():
    for noun in ("field", "setting", "action", "target", "health check"):
        assert [title for title in RECIPES if noun in title.partition("(")[0]], noun


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_has_at_most_ten_lines_and_names_files_that_exist(title):
    assert len(RECIPES[title].strip().splitlines()) <= 10
    named = re.findall(r"`([\w/]+(?:\.(?:py|md|yml|toml)|/))`", RECIPES[title])
    assert named
    for name in named:
        assert (ROOT / name).exists(), name
