"""Previews: what a sync would write, of one scene or of all, by the same planner. Nothing is written to a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.sentences import quoted_path
from model.user_error import UserError
from runtime.state_file import replacing
from tasks.answers import PreviewDone, PreviewPage, ScenePreview
from tasks.arguments import OneScene, Page, PreviewSome
from tasks.context import TaskContext
from tasks.history.task_log import is_running, last_run
from tasks.scenes.known import read_known
from tasks.scenes.preview_file import read_page
from tasks.servers import open_targets

if TYPE_CHECKING:
    from sync.context import TargetContext


def preview_scene(context: TaskContext, asked: OneScene) -> ScenePreview:
    """Show what a sync of one scene would write and why."""
    with open_targets(context, asked.target) as targets:
        from sync.preview import Preview  # noqa: PLC0415 - only now are its packages sure to be there
        from tasks.scenes.shown import preview_answer  # noqa: PLC0415 - as above

        scene = targets[0].stash.scenes([asked.scene_id]).get(asked.scene_id)
        if scene is None:
            raise UserError(f"Stash has no scene {asked.scene_id}.")

        def previewed(target: TargetContext):  # noqa: ANN202 - a TargetPreview, of a module that is not sure to load before
            (result,) = Preview(target).results([scene])
            pictures = read_known(context, asked.scene_id, target.target).picture_text
            return preview_answer(result, target.target, target.name, pictures)

        return ScenePreview(asked.scene_id, scene.title, tuple(map(previewed, targets)))


def preview(context: TaskContext, asked: PreviewSome) -> PreviewDone:
    """Show what Sync All would write: some lines in the log, all in a file, each scene for `preview_result`."""
    with open_targets(context, asked.target) as targets:
        from tasks.scenes.preview_run import PreviewRun  # noqa: PLC0415 - only now are its packages sure to be there

        with replacing(context.folder.preview) as text, replacing(context.folder.preview_rows) as rows:
            done = PreviewRun(targets, text, rows, context.now()).run(asked.limit)
    return PreviewDone(
        f"{done.sentence} All of it is in {quoted_path(context.folder.preview)}.",
        done.counts,
        done.fields,
        done.kept,
        done.kept_fields,
        context.folder.preview,
    )


def preview_result(context: TaskContext, asked: Page) -> PreviewPage:
    """Give what the last preview of all left, a page at a time, and how the task's last run went."""
    return read_page(
        context.folder.preview_rows, asked, last_run(context, "preview"), is_running=is_running(context, "preview")
    )
