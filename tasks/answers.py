"""What actions answer, as typed values; `as_json` is the one place where they become JSON.

The page's TypeScript is made from this file (ui/generate_answers.py), and docs/operations.md shows an example of each.
A name that Python keeps for itself carries an underscore here and none in JSON. Moments are ISO 8601 in UTC.
"""

from __future__ import annotations

from runtime.record import dataclass, field_names

TYPE_CHECKING = False  # typing takes time that only a type checker has
if TYPE_CHECKING:
    from typing import cast

    Value = str | tuple[str, ...]
else:

    def cast(_type: str, value: object) -> object:
        return value


def as_json(value: object) -> object:
    """Turn an answer into what JSON can hold."""
    if names := field_names(value):
        return {name.rstrip("_"): as_json(getattr(value, name)) for name in names}
    if isinstance(value, tuple | list):
        return [as_json(one) for one in cast("list[object]", value)]
    if isinstance(value, dict):
        return {name: as_json(one) for name, one in cast("dict[str, object]", value).items()}
    return value


# --- how it stands --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Jobs by where they stand: to be done now, at a later time, in the worker's hands, given up."""

    due: int = 0
    later: int = 0
    claimed: int = 0
    dead: int = 0

    @property
    def waiting(self) -> int:
        return self.due + self.later


@dataclass(frozen=True, slots=True)
class SceneCounts:
    """Scenes by their state in the ledger."""

    synced: int = 0
    waiting: int = 0
    ambiguous: int = 0
    refused: int = 0
    skipped: int = 0
    failed: int = 0
    undone: int = 0
    ignored: int = 0


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """The worker, as its lock and its state file tell. `obstacle` is what keeps it from working."""

    alive: bool
    version: str | None
    pid: int | None
    started_at: str | None
    obstacle: str | None
    is_installing: bool
    is_outdated: bool


@dataclass(frozen=True, slots=True)
class CircuitStatus:
    """Whether a server is written to: `closed` (yes), `open` (left alone), `half_open` (being tried)."""

    state: str = "closed"
    strikes: int = 0


@dataclass(frozen=True, slots=True)
class RecoveryStatus:
    """A server that has just come back: the jobs a second it gets, and until when that is so."""

    rate: float
    until: str


@dataclass(frozen=True, slots=True)
class HistoryBucket:
    """One hour: jobs that were done and that were given up."""

    at: str
    done: int
    failed: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of Stash's files the server has where the path map leads, measured at a moment."""

    found: int
    total: int
    rules: int
    at: str


@dataclass(frozen=True, slots=True)
class LastRun:
    """The newest run of which something can be undone."""

    run_id: int
    kind: str
    began_at: str


@dataclass(frozen=True, slots=True)
class TargetStatus:
    """One target. `outage`: why nothing goes there; `pictures`: why pictures alone do not."""

    target: str
    name: str
    is_on: bool
    url: str | None
    sentence: str
    outage: str | None
    pictures: str | None
    circuit: CircuitStatus
    recovery: RecoveryStatus | None
    queue: QueueCounts
    scenes: SceneCounts
    speed_per_minute: float | None
    seconds_left: int | None
    history: tuple[HistoryBucket, ...]
    coverage: Coverage | None
    last_run: LastRun | None


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a person must do, and the view of the page on which it is done."""

    target: str | None
    kind: str
    count: int
    sentence: str
    view: str
    state: str | None


@dataclass(frozen=True, slots=True)
class SweepStatus:
    """The check of all scenes."""

    is_running: bool
    progress: float | None
    last_at: str | None
    next_at: str | None


@dataclass(frozen=True, slots=True)
class StashSeen:
    """Where Stash is, and when it was heard of last."""

    url: str
    seen_at: str


@dataclass(frozen=True, slots=True)
class Status:
    """How everything stands, each file read once. `headline` is short, for a page; `sentence` says all there is."""

    headline: str
    sentence: str
    is_set_up: bool
    is_enabled: bool
    intake_is_on: bool
    worker: WorkerStatus
    queue: QueueCounts
    targets: tuple[TargetStatus, ...]
    needs_you: tuple[Need, ...]
    sweep: SweepStatus
    stash: StashSeen | None


# --- scenes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SceneRow:
    """A scene on one target, as it was recorded last."""

    scene_id: int
    target: str
    title: str | None
    state: str
    sentence: str
    next_step: str | None
    item_id: str | None
    item_path: str | None
    recorded_at: str | None
    synced_at: str | None
    is_queued: bool
    pinned_to: str | None


@dataclass(frozen=True, slots=True)
class Scenes:
    """A page of scenes. `next` is the `after` of the page behind it; `total` counts all pages where that is cheap."""

    scenes: tuple[SceneRow, ...]
    next: str | None
    total: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """One field: what the item shows, what it will show, and why. `stash`: what Stash has and a person keeps out."""

    field: str
    old: Value
    new: Value
    why: str
    stash: Value | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sync would make of a scene: the verdict, and field by field what it would write and leave."""

    verdict: str
    sentence: str
    item_id: str | None
    changes: tuple[Change, ...]
    kept: tuple[Change, ...]
    also: tuple[PlanOfItem, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanOfItem:
    """The same for a further item that holds a file of the scene."""

    item_id: str
    changes: tuple[Change, ...]
    kept: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class SceneFile:
    """A file of a scene, where Stash has it."""

    path: str
    size: int | None
    duration: float | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that a scene could be."""

    item_id: str
    path: str | None
    size: int | None
    title: str | None
    is_taken: bool
    why: str


@dataclass(frozen=True, slots=True)
class MatchFound:
    """Which item was found, how surely, and which others could have been meant. `source`: `server` or `index`."""

    item_id: str | None
    confidence: str
    score: float
    rule: str
    note: str
    source: str
    candidates: tuple[Candidate, ...]
    also: tuple[str, ...]
    other_parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LastSync:
    """When a scene was synced last, and to which items, the main one first."""

    at: str
    item_id: str | None
    items: tuple[str, ...]
    item_path: str | None


@dataclass(frozen=True, slots=True)
class Picture:
    """Where one picture of a scene stands."""

    place: str
    state: str
    sentence: str
    at: str


@dataclass(frozen=True, slots=True)
class Job:
    """A job that waits or is in the worker's hands."""

    kind: str
    state: str
    reason: str
    queued_at: str
    due_at: str
    attempts: int
    last_error: str | None
    verify: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that was given up."""

    id: int
    key: str
    scene_id: int | None
    kind: str
    sentence: str
    detail: str
    attempts: int
    first_at: str
    last_at: str


@dataclass(frozen=True, slots=True)
class TargetExplanation:
    """The story of a scene on one target. `not_asked`: who could not be asked, and why.

    `next_step` is for people, on the page; `command` is the same for the command line, where there is one.
    """

    target: str
    name: str
    state: str
    sentence: str
    next_step: str
    command: str | None
    item_id: str | None
    item_path: str | None
    item_url: str | None
    match: MatchFound | None
    plan: Plan | None
    pinned_to: str | None
    is_ignored: bool
    last_sync: LastSync | None
    pictures: tuple[Picture, ...]
    queue: tuple[Job, ...]
    dead_letters: tuple[DeadLetter, ...]
    not_asked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The whole story of one scene. `obstacle`: what keeps all jobs waiting."""

    scene_id: int
    title: str | None
    organized: bool | None
    files: tuple[SceneFile, ...]
    targets: tuple[TargetExplanation, ...]
    obstacle: str | None


@dataclass(frozen=True, slots=True)
class TargetPreview:
    """What a sync of one scene would do on one target."""

    target: str
    verdict: str
    sentence: str
    item_id: str | None
    changes: tuple[Change, ...]
    kept: tuple[Change, ...]
    also: tuple[PlanOfItem, ...] = ()


@dataclass(frozen=True, slots=True)
class ScenePreview:
    """What a sync of one scene would do."""

    scene_id: int
    title: str | None
    targets: tuple[TargetPreview, ...]


@dataclass(frozen=True, slots=True)
class PreviewCounts:
    """Scenes by what a sync would make of them."""

    would_change: int = 0
    right: int = 0
    unmatched: int = 0
    ambiguous: int = 0
    refused: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One scene of a preview of all."""

    scene_id: int
    title: str | None
    target: str
    verdict: str
    sentence: str
    changes: tuple[Change, ...]
    kept: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class PreviewPage:
    """What the last preview of all left; scenes that are right are counted and not listed.

    `last_run` is the task's last run, which may be a later one than that: it is running, or it failed.
    """

    ran_at: str | None
    is_running: bool
    last_run: TaskRow | None
    counts: PreviewCounts
    scenes: tuple[PreviewRow, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class PreviewDone:
    """The preview of all as a task: its sentence, counts of scenes and of fields, and the file with all lines."""

    sentence: str
    counts: PreviewCounts
    fields: dict[str, int]
    kept: int
    kept_fields: dict[str, int]
    file: str


@dataclass(frozen=True, slots=True)
class Queued:
    """Scenes were queued: how many, if they were counted, and how many jobs wait now."""

    sentence: str
    queued: int | None
    waiting: int


@dataclass(frozen=True, slots=True)
class Mapped:
    """Which item a scene is, by hand; or why it could not be pinned."""

    ok: bool
    sentence: str
    scene_id: int
    item_id: str | None
    title: str | None
    item_path: str | None


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence is all there is to say."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Done:
    """It was done, or not, and why."""

    ok: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class FoundItem:
    """An item of the local index."""

    item_id: str
    title: str
    path: str
    size: int | None
    library: str


@dataclass(frozen=True, slots=True)
class FoundItems:
    items: tuple[FoundItem, ...]


# --- the queue ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """A page of jobs that were given up."""

    dead_letters: tuple[DeadLetter, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Revived:
    sentence: str
    revived: int


@dataclass(frozen=True, slots=True)
class Discarded:
    sentence: str
    discarded: int


@dataclass(frozen=True, slots=True)
class Cleared:
    sentence: str
    cleared: int


@dataclass(frozen=True, slots=True)
class Processed:
    """The queue was worked on while a person waited: jobs left, and what kept them from being done."""

    sentence: str
    done: int
    left: int
    given_up: int
    later: int
    obstacle: str | None


# --- history --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run that wrote something: values written, those of them undone since, scenes concerned."""

    target: str
    run_id: int
    kind: str
    began_at: str
    ended_at: str | None
    written: int
    undone: int
    scenes: int


@dataclass(frozen=True, slots=True)
class Runs:
    runs: tuple[RunRow, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One value written, and the one it replaced."""

    id: int
    target: str
    run_id: int
    scene_id: int
    item_id: str
    field: str
    old: Value
    new: Value
    at: str
    undone_at: str | None
    old_locked: bool


@dataclass(frozen=True, slots=True)
class Entries:
    entries: tuple[EntryRow, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class UndoPlanItem:
    """One value that an undo would try to put back."""

    target: str
    scene_id: int
    item_id: str
    field: str
    from_: Value
    to: Value


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What an undo would try, without asking a server. `later_edits`: values that a later run has written again."""

    sentence: str
    values: int
    scenes: int
    items: tuple[UndoPlanItem, ...]
    later_edits: int


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did: scenes dealt with; values put back, kept, overtaken, impossible; items gone or that failed."""

    sentence: str
    scenes: int = 0
    put_back: int = 0
    kept: int = 0
    overtaken: int = 0
    impossible: int = 0
    gone: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class TaskRow:
    """What the last run of a task left. Without `ended_at` it is running, or was killed: then `ok` is false."""

    mode: str
    began_at: str
    ended_at: str | None
    sentence: str | None
    ok: bool
    progress: float | None


@dataclass(frozen=True, slots=True)
class LastTasks:
    tasks: tuple[TaskRow, ...]


# --- settings and servers -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """One part that must work: OK, or what to do."""

    target: str | None
    part: str
    ok: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Health:
    """Every part that was looked at."""

    ok: bool
    sentence: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """A library of a server that holds videos; `is_chosen`: the settings let it be synced."""

    target: str
    key: str
    title: str
    type: str
    locations: tuple[str, ...]
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Libraries:
    ok: bool
    sentence: str
    libraries: tuple[LibraryRow, ...]


@dataclass(frozen=True, slots=True)
class MapRule:
    """Whatever Stash has below `from`, the server has below `to`; `found` of Stash's files are found by it."""

    from_: str
    to: str
    found: int


@dataclass(frozen=True, slots=True)
class NotFound:
    """A file of Stash's, and where the path map leads."""

    path: str
    item_path: str


@dataclass(frozen=True, slots=True)
class PathMapAnswer:
    """The path map in force, how much it explains, and a better one if one is known."""

    source: str
    rules: tuple[MapRule, ...]
    found: int
    total: int
    not_found: tuple[NotFound, ...]
    proposal: str | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Bounds:
    min: float
    max: float


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting. `value` is never a secret's; `is_set`: a person has set it somewhere."""

    key: str
    title: str
    description: str
    type: str
    default: str | float | bool | None
    allowed: Bounds | tuple[str, ...] | None
    value: str | float | bool | None
    is_set: bool
    source: str
    problem: str | None
    needs_restart: bool = False


@dataclass(frozen=True, slots=True)
class SettingGroup:
    id: str
    title: str
    settings: tuple[SettingRow, ...]


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """What is wrong with a setting, or with all of them."""

    key: str | None
    sentence: str


@dataclass(frozen=True, slots=True)
class SettingsSchema:
    groups: tuple[SettingGroup, ...]
    problems: tuple[SettingProblem, ...]
    warnings: tuple[SettingProblem, ...]


@dataclass(frozen=True, slots=True)
class SettingsSaved:
    ok: bool
    problems: tuple[SettingProblem, ...]
    saved: tuple[str, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many files of servers are not known any more."""

    sentence: str
    forgotten: int


# --- intake ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IntakeRow:
    """One file of intake: where it stands, and why."""

    id: int
    name: str
    status: str
    step: str
    code: str | None
    sentence: str
    at: str


@dataclass(frozen=True, slots=True)
class Intake:
    """Files from a watched folder: how many stand where, those that need a person first."""

    is_on: bool
    sentence: str
    counts: dict[str, int]
    rows: tuple[IntakeRow, ...]
