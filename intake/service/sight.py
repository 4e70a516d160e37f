"""Which rows of other machines, or of none, this machine can work on: those whose file it sees."""

import os
from collections.abc import Callable

from intake.moving.plan import MovePlan
from intake.service.file_plan import Rules
from intake.store.row import Lane, Row, Step
from intake.watching.identity import FileIdentity
from intake.watching.root import Root


def sight_of(rules: Rules) -> dict[Lane, Callable[[Row], bool]]:
    """Return for each lane who sees a row's file from here.

    A row that names no host was made by another program; a file of it that is gone is gone for whoever has its folder.
    """

    def sees_source(row: Row) -> bool:
        if not _is_in(row.file_path, rules.watched):
            return False
        return not row.host or _is_there(row.file_path, row.identity) or _is_under_way(row)

    def sees_target(row: Row) -> bool:
        if not _is_in(row.new_path, rules.destination.root):
            return False
        return not row.host or os.path.lexists(row.new_path)

    return {Lane.FILES: sees_source, Lane.PUBLISH: sees_target}


def _is_in(path: str, root: Root) -> bool:
    return path.startswith(root.path.rstrip(os.sep) + os.sep) and not root.trouble()


def _is_there(path: str, identity: str) -> bool:
    try:
        return str(FileIdentity.of(os.lstat(path))) == identity
    except OSError:
        return False


def _is_under_way(row: Row) -> bool:
    """Tell whether an announced move has left one of its files where it was to go."""
    if row.step is not Step.PLANNED or not row.plan_json:
        return False
    return any(os.path.lexists(file.target) for file in MovePlan.from_json(row.plan_json).files)
