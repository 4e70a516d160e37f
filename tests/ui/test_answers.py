"""One description of an answer for Python and TypeScript; and what the browser tests script is what it describes."""

import re
from collections.abc import Mapping

import pytest

from tests.ui.support.plugin_answers import SceneStates, answers
from ui.generate_answers import SOURCE, WRITTEN, typescript

TYPES = {
    "status": "Status", "scenes": "Scenes", "explain": "Explanation", "preview_result": "PreviewPage",
    "journal": "Runs", "undo_plan": "UndoPlan", "undo": "Undone", "settings_schema": "SettingsSchema",
    "libraries": "Libraries", "path_map": "PathMapAnswer", "test_connection": "Health", "last_task": "LastTasks",
    "search_items": "FoundItems", "intake": "Intake", "intake_retry": "Done",
}  # fmt: skip
LISTED = re.compile(r"^(\w+)\[\]$")


def test_the_typescript_is_made_from_the_python():
    assert WRITTEN.read_text("utf-8") == typescript(SOURCE.read_text("utf-8")), "run: python ui/generate_answers.py"


def interfaces():
    found = re.findall(r"^export interface (\w+) \{\n(.*?)^\}", WRITTEN.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return {name: dict(re.findall(r"^  (\w+): (.+);$", body, re.MULTILINE)) for name, body in found}


def strange_fields(value, kind, known, where):
    """Fields that the scripted answer has and the description lacks, or the reverse."""
    if listed := LISTED.match(kind):
        return [one for item in value for one in strange_fields(item, listed[1], known, where)]
    if kind.removesuffix(" | null") not in known or not isinstance(value, Mapping):
        return []
    fields = known[kind.removesuffix(" | null")]
    found = [f"{where}.{name}" for name in value.keys() ^ fields.keys() if name not in {"stash", "also"}]
    for name in value.keys() & fields.keys():
        if value[name] is not None:
            found += strange_fields(value[name], fields[name], known, f"{where}.{name}")
    return found


@pytest.mark.parametrize(("mode", "kind"), TYPES.items())
def test_what_the_browser_tests_script_has_the_shape_that_the_plugin_answers(mode, kind):
    scripted = answers(SceneStates(waiting=1))[mode]
    value = scripted({"scene_id": 1}) if callable(scripted) and mode == "explain" else scripted
    value = value({}) if callable(value) else value
    assert strange_fields(value, kind, interfaces(), mode) == []
