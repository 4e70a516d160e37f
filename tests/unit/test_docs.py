"""What the README says exists, and the reverse."""

import json
import re
from pathlib import Path

import yaml

from cli.parser import VERBS, build_parser
from tasks.entry import API
from tasks.table import OPERATIONS
from validation.config import KEYS, Stash2PlexConfig, _shown_default, allowed

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MANIFEST = yaml.safe_load((ROOT / "Stash2Plex.yml").read_text(encoding="utf-8"))
OPERATIONS_PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_settings_table_is_the_code():
    table = README.partition("<!-- settings: held equal to the code by a test -->\n")[2].partition("<!-- end")[0]
    fields = Stash2PlexConfig.model_fields
    rows = [
        f"| `{key}` | {_shown_default(fields[key].default)} | {allowed(key)} | {fields[key].description} |"
        for key in KEYS
    ]
    assert table.splitlines()[2:] == rows


def test_every_task_is_in_the_readme():
    section = README.partition("## Tasks")[2].partition("\n## ")[0]
    for task in MANIFEST["tasks"]:
        assert task["name"] in section


def test_every_task_in_the_readme_exists():
    section = README.partition("## Tasks")[2].partition("\n## ")[0]
    named = [name for row in re.findall(r"^\| ([A-Z].*?) \|", section, re.MULTILINE) for name in row.split(", ")]
    assert sorted(named) == sorted(task["name"] for task in MANIFEST["tasks"])


def test_every_verb_is_in_the_readme_and_the_reverse():
    section = README.partition("## Command line")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == sorted(VERBS)
    for typed in re.findall(r"Stash2Plex\.py (\w[\w-]*)", README):
        assert typed in VERBS


def test_what_the_readme_tells_people_to_type_is_understood():
    section = README.partition("## Command line")[2].partition("\n## ")[0]
    typed = [line for line in re.findall(r"`([^`]+)`", section) if line.split()[0] in VERBS]
    assert len(typed) > len(VERBS)
    for line in typed:
        if line not in {"explain", "map", "reset"}:  # the bare names of verbs that want more
            build_parser().parse_args(line.split())


def test_every_operation_is_documented_with_its_arguments_and_an_example_and_the_reverse():
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", OPERATIONS_PAGE, re.MULTILINE)
    documented = {name: re.findall(r"`(\w+)`", arguments) for name, arguments in rows}
    assert documented == {name: list(operation.arguments) for name, operation in OPERATIONS.items()}
    for name in OPERATIONS:
        section = re.search(rf"^## .*`{name}`.*?(?=^## |\Z)", OPERATIONS_PAGE, re.MULTILINE | re.DOTALL)
        assert section, name
        examples = re.findall(r"```json\n(.*?)```", section.group(), re.DOTALL)
        assert examples, name
        assert all(json.loads(example)["api"] == API for example in examples)


def test_every_make_target_in_the_docs_exists():
    named = set(re.findall(r"`make ([\w-]+)`|^make ([\w-]+)$", README, re.MULTILINE))
    for target in {one or other for one, other in named}:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target


def test_every_file_in_the_map_exists():
    for name in re.findall(r"`((?:\w+/)+\w+\.py)", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")):
        assert (ROOT / name).is_file(), name


def test_every_file_is_in_the_row_of_its_room_and_no_other_is():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)/` \| (.*) \|$", page, re.MULTILINE))
    rows["plex"] = re.sub(
        r"(\w+)\.py", r"\1", (ROOT / "docs" / "plex.md").read_text(encoding="utf-8").split("\n## ")[0]
    )
    assert {
        "cli",
        "hooks",
        "ledger",
        "plan",
        "runtime",
        "stash",
        "sync_queue",
        "tasks",
        "validation",
        "worker",
    } < rows.keys()
    for room, row in rows.items():
        there = {path.stem for path in (ROOT / room).glob("*.py")} - {"__init__"}
        assert set(re.findall(r"`([a-z_]+)`", row)) == there, room


def test_no_path_of_a_developers_machine_is_in_the_tree():
    pattern = re.compile(r"/(?:work|farm|home/\w+|root/\.pyenv)/")
    suffixes = {".py", ".md", ".toml", ".yml", ".txt"}
    for path in ROOT.rglob("*"):
        if path.suffix in suffixes and not {".venv", ".git"} & set(path.parts) and path != Path(__file__):
            assert not pattern.search(path.read_text(encoding="utf-8")), path
