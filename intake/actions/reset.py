"""A row begins anew. A move that was announced is looked into first: its file may be where it was to go."""

from intake.moving.plan import MovePlan
from intake.service.row_journal import is_untouched
from intake.store.port import IntakeStore, Progress
from intake.store.row import Row, Step


def reset(store: IntakeStore, row_id: int) -> Row:
    """Let a row begin anew; one whose file is on its way gets there first."""
    drop_untouched_plan(store, row_id)
    return store.reset(row_id)


def drop_untouched_plan(store: IntakeStore, row_id: int) -> None:
    """Forget a plan that was announced, if the disk shows that nothing of it was done."""
    if store.get(row_id).step is not Step.PLANNED:
        return
    row = store.take(row_id)
    if row.step is Step.PLANNED and row.plan_json and is_untouched(MovePlan.from_json(row.plan_json)):
        row = store.save(row, Progress(step=Step.FOUND, plan_json=""))
    store.let_go(row)
