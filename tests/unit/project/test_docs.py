"""What the README and the pages in docs/ say exists, and the reverse."""

import json
import re
import tomllib
from pathlib import Path

import yaml

from cli.parser import VERBS, build_parser
from runtime.record import field_names
from tasks.entry import API
from tasks.table import OPERATIONS
from validation.config import KEYS, Stash2PlexConfig, allowed, shown

ROOT = Path(__file__).parents[3]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))
}
SETTINGS_PAGE = PAGES["docs/settings.md"]
TASKS_PAGE = PAGES["docs/tasks.md"]
COMMANDS_PAGE = PAGES["docs/command-line.md"]
MOST_BYTES = 6000
MANIFEST = yaml.safe_load((ROOT / "Stash2Plex.yml").read_text(encoding="utf-8"))
OPERATIONS_PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_settings_table_is_the_code():
    table = SETTINGS_PAGE.partition("<!-- settings: held equal to the code by a test -->\n")[2].partition("<!-- end")[0]
    fields = Stash2PlexConfig.model_fields
    rows = [f"| `{key}` | {shown(fields[key].default)} | {allowed(key)} | {fields[key].description} |" for key in KEYS]
    assert table.splitlines()[2:] == rows


def test_the_readme_is_short_and_begins_with_its_two_commands():
    readme = PAGES["README.md"]
    assert len(readme.encode()) <= MOST_BYTES
    commands = re.findall(r"```\n(.*?)```", readme, re.DOTALL)
    assert [command.strip() for command in commands[:2]] == ["python3 Stash2Plex.py demo", "make test"]
    assert readme.index(commands[1]) < readme.index("\n## ")


def test_every_task_has_its_row_and_the_reverse():
    named = [name for row in re.findall(r"^\| ([A-Z].*?) \|", TASKS_PAGE, re.MULTILINE) for name in row.split(", ")]
    assert named == [task["name"] for task in MANIFEST["tasks"]]


def test_every_verb_has_its_row_and_the_reverse():
    assert sorted(re.findall(r"^\| `(\w+)` \|", COMMANDS_PAGE, re.MULTILINE)) == sorted(VERBS)
    for page in PAGES.values():
        for typed in re.findall(r"`python3 Stash2Plex\.py (\w[\w-]*)", page):
            assert typed in VERBS


def test_what_the_pages_tell_people_to_type_is_understood():
    typed = [
        line
        for name in ("docs/command-line.md", "docs/troubleshooting.md", "docs/tasks.md", "docs/privacy.md")
        for line in re.findall(r"`([^`\n]+)`", PAGES[name])
        if line.split()[0] in VERBS and not line.startswith("intake")
    ]
    assert len(typed) > len(VERBS)
    for line in typed:
        if line not in {"explain", "map", "ignore", "reset"}:  # the bare names of verbs that want more
            build_parser().parse_args(line.split())


def test_every_sentence_that_troubleshooting_quotes_is_said_by_the_plugin():
    rooms = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["coverage"]["run"]
    modules = [path for room in rooms["source_pkgs"] for path in (ROOT / room).rglob("*.py")]
    said = " ".join(path.read_text(encoding="utf-8") for path in (*modules, ROOT / "Stash2Plex.py"))
    said += (ROOT / "ui" / "src" / "texts.ts").read_text(encoding="utf-8").lower()
    of_others = {"exit status 1", "No module named 'encodings'"}
    first_column = re.findall(r"^\| (.*?) \|", PAGES["docs/troubleshooting.md"], re.MULTILINE)
    quoted = {text for row in first_column for text in re.findall(r'"(.+?)"', row)} - of_others
    assert len(quoted) > len(of_others)
    for text in quoted:
        for part in re.split(r"Plex|\u2026|: ", text):  # what is filled in
            assert part.strip() in said, text


def test_every_link_between_the_pages_leads_somewhere():
    for name, page in PAGES.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", page):
            if link.startswith("https://"):
                continue
            path, _, anchor = link.partition("#")
            target = ((ROOT / name).parent / path).resolve() if path else ROOT / name
            assert target.exists(), (name, link)
            if anchor:
                headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}, (
                    name,
                    link,
                )


def test_every_operation_is_documented_with_its_arguments_and_an_example_and_the_reverse():
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", OPERATIONS_PAGE, re.MULTILINE)
    documented = {name: re.findall(r"`(\w+)`", arguments) for name, arguments in rows}
    assert documented == {name: list(field_names(action.arguments)) for name, action in OPERATIONS.items()}
    for name in OPERATIONS:
        section = re.search(rf"^## .*`{name}`.*?(?=^## |\Z)", OPERATIONS_PAGE, re.MULTILINE | re.DOTALL)
        assert section, name
        examples = re.findall(r"```json\n(.*?)```", section.group(), re.DOTALL)
        assert examples, name
        assert all(json.loads(example)["api"] == API for example in examples)
        for answer in OPERATIONS[name].answers:
            assert any(shape_of(json.loads(example)) == fields_of(answer) for example in examples), answer.__name__


def shape_of(example):
    return set(example) - {"api", "version"}


def fields_of(answer):
    return {name.rstrip("_") for name in field_names(answer)}


def test_every_make_target_in_the_docs_exists():
    everything = "\n".join(PAGES.values())
    named = set(re.findall(r"`make ([\w-]+)`|^make ([\w-]+)$", everything, re.MULTILINE))
    for target in {one or other for one, other in named}:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target


def test_every_file_in_the_map_exists():
    for name in re.findall(r"`((?:\w+/)+\w+\.py)", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")):
        assert (ROOT / name).is_file(), name


def test_every_room_and_every_folder_in_it_has_its_row_and_no_other_has():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([\w/]+)/` \|", page, re.MULTILINE))
    rooms = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["coverage"]["run"]["source_pkgs"]
    )
    there = {path.parent.relative_to(ROOT).as_posix() for room in rooms for path in (ROOT / room).rglob("__init__.py")}
    assert {name for name in named if name.partition("/")[0] in rooms} == there


def test_no_path_of_a_developers_machine_is_in_the_tree():
    pattern = re.compile(r"/(?:work|farm|home/\w+|root/\.pyenv)/")
    suffixes = {".py", ".md", ".toml", ".yml", ".txt"}
    for path in ROOT.rglob("*"):
        if (
            path.suffix in suffixes
            and not {".venv", ".git", "node_modules"} & set(path.parts)
            and path != Path(__file__)
        ):
            assert not pattern.search(path.read_text(encoding="utf-8")), path
