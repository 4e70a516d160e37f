"""What a row's journal and the disk say of its file: whether it was moved, by which row, and what came with it."""

import os

from intake.moving.beside import extension, picture_kind
from intake.moving.execute import Moved
from intake.moving.place import is_at_target
from intake.moving.plan import MoveMode, MovePlan
from intake.naming.noise import SIDECAR_EXTENSIONS
from intake.publishing.progress import PublishProgress
from intake.sources.work import parse_json
from intake.store.port import Progress
from intake.store.row import BEFORE_PLACED, Row, Step
from validation.json_shapes import as_object


def journal_of(row: Row, moved: Moved) -> Progress:
    """Write down that a row's file is in its place; one that is gone from its path may come there again."""
    target = next(file.target for file in moved.plan.files if file.source == row.file_path)
    gone = moved.plan.mode is MoveMode.MOVE
    return Progress(
        step=Step.PLACED, new_path=target, plan_json=moved.to_json(), identity="" if gone else None, attempts=0
    )


def has_moved(other: Row, row: Row) -> bool:
    """Tell whether another row's journal has moved this very file away."""
    journal = as_object(parse_json(other.plan_json)) or {}
    if "plan" not in journal or "placed" not in journal or other.step in BEFORE_PLACED:
        return False
    files = Moved.from_dict(journal).plan.files
    return any(file.source == row.file_path and str(file.identity) == row.identity for file in files)


def placed_before(row: Row) -> Progress:
    """Go on to the servers with a row that begins anew; which values there are ours stays known."""
    return Progress(step=Step.PLACED, published_json=PublishProgress.from_json(row.published_json).anew().to_json())


def is_placed_already(row: Row) -> bool:
    """Tell whether a row that begins anew has its file where it was brought before."""
    return bool(row.new_path) and not os.path.lexists(row.file_path) and os.path.lexists(row.new_path)


def is_untouched(plan: MovePlan) -> bool:
    """Tell whether no file of a plan has been placed, so that nothing is lost by forgetting it.

    A video that is neither here nor there may be on a drive that is away: such a plan is kept.
    """
    if plan.source_root.trouble() or plan.target_root.trouble():
        return False
    videos = [file for file in plan.files if extension(file.source) not in SIDECAR_EXTENSIONS]
    try:
        has_videos = all(os.path.lexists(file.source) for file in videos)
        return has_videos and (plan.joins_equal or not any(is_at_target(file, plan.id) for file in plan.files))
    except OSError:
        return False


def pictures_beside(row: Row) -> frozenset[str]:
    """Name the places for which a picture lay beside the file and was brought in with it."""
    journal = as_object(parse_json(row.plan_json)) or {}
    files = Moved.from_dict(journal).plan.files if "plan" in journal and "placed" in journal else ()
    kinds = (picture_kind(file.target, row.new_path) for file in files)
    return frozenset(kind.value for kind in kinds if kind is not None)
