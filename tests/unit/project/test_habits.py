"""The habits of the project: what its tools and forms promise is what its files do."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def read(name):
    return yaml.safe_load((ROOT / name).read_text())


def pinned():
    """The exact versions of the development tools."""
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    return dict(re.match(r"([\w-]+)(?:\[\w+\])?==(\S+)", line).groups() for line in lines if "==" in line)


def test_only_the_manifest_ends_in_yml():
    """Stash takes every *.yml below its plugins folder for a plugin."""
    ours = [path for path in ROOT.rglob("*.yml") if not {".venv", ".git", "node_modules"} & set(path.parts)]
    assert [path.relative_to(ROOT).as_posix() for path in ours] == ["Stash2Plex.yml"]


def test_the_tools_are_pinned_and_the_hooks_before_a_commit_use_the_same():
    versions = pinned()
    assert {"ruff", "pyright", "import-linter", "pytest"} <= versions.keys()
    ruff, local = read(".pre-commit-config.yaml")["repos"]
    assert ruff["rev"] == f"v{versions['ruff']}"
    assert local["hooks"][0]["additional_dependencies"] == [f"import-linter=={versions['import-linter']}"]


def test_every_python_is_tried_on_every_system():
    matrix = read(".github/workflows/test.yaml")["jobs"]["quick"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert {name.split("-")[0] for name in matrix["system"]} == {"ubuntu", "macos", "windows"}


def test_the_proofs_run_every_night():
    nightly = read(".github/workflows/nightly.yaml")
    assert nightly[True]["schedule"]  # YAML reads the word `on` as true
    assert nightly["jobs"]["prove"]["steps"][-1]["run"] == "make prove"


def test_whoever_reports_a_problem_is_asked_for_the_diagnostics():
    form = read(".github/ISSUE_TEMPLATE/problem.yaml")
    asked = {field["id"]: field for field in form["body"] if "id" in field}
    assert asked["diagnostics"]["validations"]["required"]


def test_no_test_skips():
    """A test runs, or is not there on this system and says why: `only_on`."""
    words = ("pytest." + "skip(", "import" + "orskip", "mark." + "skip")
    ours = [(path.relative_to(ROOT).as_posix(), path.read_text()) for path in (ROOT / "tests").rglob("*.py")]
    assert [name for name, text in ours if any(word in text for word in words)] == []


REWRITING = re.compile(r"change_constant|write_text\(.*\.replace\(|plugin_dir\b.*\.write_|plugin_dir\b.*\.open\(")


def test_no_test_rewrites_the_source_of_an_installed_plugin():
    """What is adjusted there is named: see tests/support/plugin. An update of the user's is a whole file."""
    allowed = {"tests/support/plugin/plugin.py", "tests/support/plugin/package.py", "tests/unit/project/test_habits.py"}
    ours = [(path.relative_to(ROOT).as_posix(), path.read_text()) for path in (ROOT / "tests").rglob("*.py")]
    assert [name for name, text in ours if name not in allowed and REWRITING.search(text)] == []
