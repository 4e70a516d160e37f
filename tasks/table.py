"""The table of actions: all that Stash, the page or a terminal can ask for.

An action is a function with typed arguments and a typed answer. Stash calls it by `args.mode`: in its job queue (a
task) or at once (an operation); what is both has a name for each. An action is imported when it is asked for: a status
must not wait for what only a sync needs. The manifest and the documents are held to this table by tests.
"""

from __future__ import annotations

from tasks import answers, arguments

TYPE_CHECKING = False  # typing takes time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from tasks.context import TaskContext


class Action:
    """One row: where the function is, what it takes and gives, and what it is called as an operation and as a task.

    `as_task` is what the task means when it is asked without arguments. What came of a task, and of an operation that
    may take long, is left for `last_task`.
    """

    __slots__ = ("answers", "arguments", "as_task", "function", "may_take_long", "operation", "task")

    def __init__(
        self,
        function: str,
        arguments: type[Any],
        *answers: type[Any],
        operation: str = "",
        task: str = "",
        as_task: Mapping[str, object] | None = None,
        may_take_long: bool = False,
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.answers = answers
        self.operation = operation
        self.task = task
        self.as_task = as_task or {}
        self.may_take_long = may_take_long or not operation

    def load(self) -> Callable[[TaskContext, Any], Any]:
        """Import the function; what it needs comes with it."""
        module, _, function = self.function.partition(":")
        return getattr(
            __import__(module, fromlist=[function]), function
        )  # importlib brings warnings, and takes its time


_ROWS = (
    Action("tasks.health.check:health_check", arguments.OfTarget, answers.Health, task="health_check"),
    Action("tasks.status.collect:status", arguments.Nothing, answers.Status, operation="status", task="queue_status"),
    Action("tasks.scenes.preview:preview", arguments.PreviewSome, answers.PreviewDone, task="preview"),
    Action("tasks.scenes.enqueue:sync_all", arguments.OfTarget, answers.Queued, task="all"),
    Action("tasks.scenes.enqueue:sync_recent", arguments.OfTarget, answers.Queued, task="recent"),
    Action("tasks.queue.process:process_queue", arguments.Nothing, answers.Processed, task="process_queue"),
    Action("tasks.scenes.enqueue:reconcile", arguments.OfTarget, answers.Queued, task="reconcile"),
    Action(
        "tasks.history.undo:undo",
        arguments.UndoWhat,
        answers.Undone,
        operation="undo",
        task="undo_last_run",
        may_take_long=True,
    ),
    Action(
        "tasks.settings.match_cache:clear_match_cache", arguments.OfTarget, answers.Forgotten, task="clear_match_cache"
    ),
    Action("tasks.queue.process:clear_queue", arguments.Nothing, answers.Cleared, task="clear_queue"),
    Action(
        "tasks.queue.dead_letters:retry",
        arguments.SomeLetters,
        answers.Revived,
        operation="retry",
        task="retry_failed",
        as_task={"all": True},
    ),
    Action(
        "tasks.queue.dead_letters:discard",
        arguments.SomeLetters,
        answers.Discarded,
        operation="discard",
        task="clear_dlq",
        as_task={"all": True},
    ),
    Action("tasks.queue.dead_letters:purge", arguments.OldLetters, answers.Discarded, task="purge_dlq"),
    Action("tasks.scenes.listing:scenes", arguments.SceneList, answers.Scenes, operation="scenes"),
    Action("tasks.scenes.explain:explain", arguments.OneScene, answers.Explanation, operation="explain"),
    Action("tasks.scenes.preview:preview_scene", arguments.OneScene, answers.ScenePreview, operation="preview_scene"),
    Action("tasks.scenes.preview:preview_result", arguments.Page, answers.PreviewPage, operation="preview_result"),
    Action("tasks.scenes.enqueue:sync_scenes", arguments.SomeScenes, answers.Queued, operation="sync_scenes"),
    Action("tasks.scenes.ignore:ignore_scene", arguments.IgnoreScenes, answers.Said, operation="ignore_scene"),
    Action("tasks.scenes.mapping:map_scene", arguments.MapScene, answers.Mapped, operation="map_scene"),
    Action("tasks.scenes.mapping:unmap_scene", arguments.OneScene, answers.Mapped, operation="unmap_scene"),
    Action("tasks.scenes.mapping:search_items", arguments.SearchItems, answers.FoundItems, operation="search_items"),
    Action("tasks.scenes.mapping:scan_scene", arguments.OneScene, answers.Done, operation="scan_scene"),
    Action(
        "tasks.queue.dead_letters:dead_letters", arguments.LetterList, answers.DeadLetters, operation="dead_letters"
    ),
    Action("tasks.health.check:test_connection", arguments.OfTarget, answers.Health, operation="test_connection"),
    Action("tasks.settings.servers:libraries", arguments.OfTarget, answers.Libraries, operation="libraries"),
    Action("tasks.settings.servers:path_map", arguments.OfTarget, answers.PathMapAnswer, operation="path_map"),
    Action(
        "tasks.settings.schema:settings_schema", arguments.Nothing, answers.SettingsSchema, operation="settings_schema"
    ),
    Action(
        "tasks.settings.save:save_settings", arguments.SaveSettings, answers.SettingsSaved, operation="save_settings"
    ),
    Action("tasks.history.journal:journal", arguments.JournalPart, answers.Runs, answers.Entries, operation="journal"),
    Action("tasks.history.undo:undo_plan", arguments.UndoWhat, answers.UndoPlan, operation="undo_plan"),
    Action("tasks.intake.files:intake", arguments.Nothing, answers.Intake, operation="intake"),
    Action("tasks.intake.files:intake_retry", arguments.IntakeFile, answers.Done, operation="intake_retry"),
    Action("tasks.intake.files:intake_set_code", arguments.IntakeCode, answers.Done, operation="intake_set_code"),
    Action("tasks.intake.files:intake_undo", arguments.IntakeFile, answers.Done, operation="intake_undo"),
    Action("tasks.history.task_log:last_task", arguments.Nothing, answers.LastTasks, operation="last_task"),
)

TASKS: dict[str, Action] = {row.task: row for row in _ROWS if row.task}
OPERATIONS: dict[str, Action] = {row.operation: row for row in _ROWS if row.operation}
