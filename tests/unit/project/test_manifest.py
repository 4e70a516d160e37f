"""The manifest: Stash refuses an unknown key, and every task, hook and setting in it has its code and the reverse."""

import re
from pathlib import Path

import pytest
import yaml

from hooks.handlers import HANDLERS
from runtime.version import VERSION
from tasks.table import OPERATIONS, TASKS
from validation.config import KEYS, Stash2PlexConfig, describe

ROOT = Path(__file__).parents[3]
SETTINGS_PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
MANIFEST = yaml.safe_load((ROOT / "Stash2Plex.yml").read_text(encoding="utf-8"))

# pkg/plugin/config.go of Stash, which reads strictly
ALLOWED = {"name", "description", "url", "version", "interface", "exec", "errLog", "ui", "settings", "hooks", "tasks"}
ALLOWED_IN = {
    "settings": {"displayName", "description", "type"},
    "hooks": {"name", "description", "triggeredBy", "defaultArgs", "execArgs"},
    "tasks": {"name", "description", "defaultArgs", "execArgs"},
}
SUBJECTS_OF_STASH = ("SceneMarker", "Scene", "Image", "Gallery", "GalleryChapter", "Movie", "Group")
TRIGGERS_OF_STASH = {
    f"{subject}.{action}.Post"
    for subject in (
        "SceneMarker",
        "Scene",
        "Image",
        "Gallery",
        "GalleryChapter",
        "Movie",
        "Group",
        "Performer",
        "Studio",
        "Tag",
    )
    for action in ("Create", "Update", "Destroy")
} | {"Tag.Merge.Post"}
TYPES = {bool: "BOOLEAN", int: "NUMBER"}  # of a NUMBER the page drops the fraction
MODES_IN_ORDER = [  # as a person looks for them
    "health_check",
    "queue_status",
    "preview",
    "all",
    "recent",
    "process_queue",
    "reconcile",
    "undo_last_run",
    "clear_match_cache",
    "clear_queue",
    "retry_failed",
    "clear_dlq",
    "purge_dlq",
]


START = "start here"
SHORT = 120


def test_a_new_user_sees_where_to_start():
    assert MANIFEST["url"].startswith("https://")
    assert MANIFEST["url"] in SETTINGS_PAGE
    told = {key: f"{one['displayName']} {one['description']}".lower() for key, one in MANIFEST["settings"].items()}
    assert {key for key, words in told.items() if START in words} == {"plex_url", "plex_token"}
    assert [task["name"] for task in MANIFEST["tasks"] if START in task["description"].lower()] == ["Health Check"]
    assert MODES_IN_ORDER[0] == "health_check"
    assert MODES_IN_ORDER[-3:] == ["retry_failed", "clear_dlq", "purge_dlq"]


def test_descriptions_are_short():
    for entry in [*MANIFEST["settings"].values(), *MANIFEST["tasks"], *MANIFEST["hooks"]]:
        assert len(entry["description"]) <= SHORT, entry


def test_no_key_is_unknown_to_stash():
    assert set(MANIFEST) <= ALLOWED
    entries = {"settings": MANIFEST["settings"].values(), "hooks": MANIFEST["hooks"], "tasks": MANIFEST["tasks"]}
    for section, allowed in ALLOWED_IN.items():
        for entry in entries[section]:
            assert set(entry) <= allowed


def test_it_speaks_the_raw_interface_through_stashs_own_python():
    assert MANIFEST["interface"] == "raw"
    assert MANIFEST["exec"] == ["python3", "-E", "-S", "{pluginDir}/Stash2Plex.py"]
    assert "\n" not in MANIFEST["description"]


def test_every_hook_has_a_handler_and_the_reverse():
    triggers = [trigger for hook in MANIFEST["hooks"] for trigger in hook["triggeredBy"]]
    assert sorted(triggers) == sorted(HANDLERS)
    assert set(triggers) <= TRIGGERS_OF_STASH


def test_every_task_has_a_function_and_the_reverse():
    assert [task["defaultArgs"]["mode"] for task in MANIFEST["tasks"]] == MODES_IN_ORDER == list(TASKS)
    assert len({task["name"] for task in MANIFEST["tasks"]}) == len(TASKS)


def test_every_function_in_the_table_exists():
    assert all(callable(action.load()) for action in (*TASKS.values(), *OPERATIONS.values()))
    assert not TASKS.keys() & OPERATIONS.keys()


def test_default_arguments_are_texts():
    for entry in [*MANIFEST["hooks"], *MANIFEST["tasks"]]:
        assert all(isinstance(value, str) for value in entry["defaultArgs"].values())


def test_every_setting_is_in_the_code_and_the_reverse():
    assert sorted(MANIFEST["settings"]) == sorted(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_the_page_tells_the_truth_of_a_setting(key):
    entry = MANIFEST["settings"][key]
    assert entry["description"] == describe(key)
    assert entry["type"] == TYPES.get(Stash2PlexConfig.model_fields[key].annotation, "STRING")


def test_the_version_is_one_and_has_a_changelog_entry():
    assert MANIFEST["version"] == VERSION
    assert f'version = "{VERSION}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(
        rf"^## \[{re.escape(VERSION)}\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )


def test_there_is_no_second_yml_that_stash_would_take_for_a_plugin():
    not_ours = {".venv", "node_modules", "dist"}
    found = [path for path in ROOT.rglob("*.yml") if not not_ours & set(path.parts)]
    assert found == [ROOT / "Stash2Plex.yml"]
