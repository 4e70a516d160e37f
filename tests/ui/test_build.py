"""What is committed in ui/dist is what the sources make, small, and without a second React."""

import json
import re

import pytest

from ui.node import UI, run

DIST = UI / "dist"
FILES = ["entry.js", "page.js", "stash2plex.css"]


def test_building_again_gives_the_same_bytes(tmp_path):
    run("build.mjs", str(tmp_path))
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(file.name for file in DIST.iterdir()) == FILES
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (DIST / name).read_bytes(), f"{name}: run `make ui` and commit it"


@pytest.mark.parametrize(("name", "most"), [("entry.js", 10_000), ("page.js", 100_000), ("stash2plex.css", 12_000)])
def test_what_is_loaded_stays_small(name, most):
    assert len((DIST / name).read_bytes()) <= most


@pytest.mark.parametrize("name", ["entry.js", "page.js"])
def test_react_and_its_friends_are_stashs_own(name):
    text = (DIST / name).read_text("utf-8")
    assert "PluginApi" in text
    assert "react.production" not in text
    assert "Minified React error" not in text
    assert not re.search(r"\bfrom\s*[\"'](?:react|@apollo)", text)


def test_every_rule_of_style_is_ours_alone():
    text = (DIST / "stash2plex.css").read_text("utf-8")
    flat = re.sub(r"@media[^{]*\{((?:[^{}]*\{[^}]*\})*)\}", r"\1", text)
    selectors = [one.strip() for rule in re.findall(r"([^{}]+)\{", flat) for one in rule.split(",")]
    assert len(selectors) > 50
    assert all(one.startswith(".stash2plex") for one in selectors if not one.startswith("@")), selectors


def test_every_text_stands_in_one_file():
    """A word of English between two tags anywhere else cannot be translated."""
    for file in (UI / "src").rglob("*.tsx"):
        stray = re.findall(r">\s*([A-Za-z][A-Za-z ]{3,})\s*</", file.read_text("utf-8"))
        assert stray == [], f"{file.name}: put it into texts.ts"


def test_the_packages_are_pinned_and_name_no_registry():
    lock = (UI / "package-lock.json").read_text("utf-8")
    assert "resolved" not in lock
    versions = json.loads((UI / "package.json").read_text("utf-8"))["devDependencies"].values()
    assert all(re.fullmatch(r"(npm:@[\w/-]+@)?\d+\.\d+\.\d+", version) for version in versions)
