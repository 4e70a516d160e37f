"""How it stands with one target, from the files that the worker keeps of it, each read once.

Plain SQL on the ledger and no more imports than needed: the page asks for this again and again.
"""

from __future__ import annotations

import os

from model.sentences import counted
from runtime.database import open_to_read, sqlite3, why
from runtime.folder import TargetFolder
from runtime.record import dataclass, field_names
from sync.known_targets import KnownTarget
from sync.speed import last_day, read_buckets, speed_per_minute
from tasks.answers import (
    CircuitStatus,
    Coverage,
    HistoryBucket,
    LastRun,
    QueueCounts,
    RecoveryStatus,
    SceneCounts,
    TargetStatus,
)
from tasks.context import read_json
from tasks.wording import iso
from validation.fast_json import loads
from validation.json_shapes import as_object

BUSY_SECONDS = 5.0
COVERAGE = "coverage"  # the name of a small value in the ledger: how much the path map explained when it was measured
_LAST_RUN = """SELECT id, kind, began_at FROM run WHERE EXISTS (
    SELECT 1 FROM journal WHERE journal.run_id = run.id AND undone_at IS NULL) ORDER BY id DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class LedgerSummary:
    """What the status wants to know of a ledger; `problem` if it cannot be used."""

    scenes: SceneCounts
    last_run: LastRun | None = None
    coverage: Coverage | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ServerState:
    """Whether a server is written to, and why not."""

    circuit: CircuitStatus
    recovery: RecoveryStatus | None = None
    outage: str | None = None
    waiting: str | None = None
    needs_person: bool = False
    recovering: str | None = None


def read_ledger(path: str) -> LedgerSummary:
    """Read the numbers of a ledger; none, where there is no file yet or a worker is still to bring it up to date."""
    if not os.path.exists(path):
        return LedgerSummary(SceneCounts())
    try:
        connection = open_to_read(path, BUSY_SECONDS)
        try:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables >= {"scene", "run", "journal", "kept_value"}:
                return LedgerSummary(SceneCounts())
            counts = dict(connection.execute("SELECT state, count(*) FROM scene GROUP BY state").fetchall())
            run = connection.execute(_LAST_RUN).fetchone()
            kept = connection.execute("SELECT text FROM kept_value WHERE name = ?", (COVERAGE,)).fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        return LedgerSummary(
            SceneCounts(), problem=f"The record of what was synced ({path}) cannot be used: {why(error)}."
        )
    known = {state: number for state, number in counts.items() if state in field_names(SceneCounts)}
    last_run = LastRun(run[0], run[1], iso(float(run[2]))) if run else None
    return LedgerSummary(SceneCounts(**known), last_run, _coverage(kept[0]) if kept else None)


def _coverage(text: str) -> Coverage | None:
    try:
        raw = as_object(loads(text.encode())) or {}
        found, total, rules, at = (raw[name] for name in ("found", "total", "rules", "at"))
    except (ValueError, RecursionError, KeyError):
        return None
    if isinstance(found, int) and isinstance(total, int) and isinstance(rules, int) and isinstance(at, int | float):
        return Coverage(found, total, rules, iso(float(at)))
    return None


def read_server(folder: TargetFolder, waiting: int, now: float, target: str) -> ServerState:
    """Read circuit and recovery. Where all is well there is little to read, and nothing more is imported for it."""
    circuit, recovery = read_json(folder.circuit), read_json(folder.recovery)
    if circuit.get("state") in (None, "closed") and not circuit.get("strikes") and not recovery:
        return ServerState(CircuitStatus())
    from sync.outage.circuit import RAMP_SECONDS, circuit_from, recovery_from  # noqa: PLC0415 - see above
    from sync.outage.text import outage_sentence, waiting_sentence  # noqa: PLC0415 - see above

    known, back = circuit_from(circuit), recovery_from(recovery, now)
    rate = round(back.rate(now), 1) if back else 0.0
    return ServerState(
        CircuitStatus(known.state.value.replace("-", "_"), known.strikes),
        RecoveryStatus(rate, iso(back.began_at + RAMP_SECONDS)) if back else None,
        outage_sentence(known, now, target),
        waiting_sentence(known, waiting, now, target),
        not known.is_closed and known.needs_person,
        f"OK; it was away, and gets up to {counted(round(rate), 'job')} a second for now." if back else None,
    )


def target_status(
    known: KnownTarget, folder: TargetFolder, queue: QueueCounts, pictures: str | None, now: float
) -> tuple[TargetStatus, ServerState, LedgerSummary]:
    """Put together what is known of one target."""
    server = read_server(folder, queue.waiting + queue.claimed, now, known.target)
    ledger = read_ledger(folder.ledger)
    stats = read_json(folder.stats)
    speed = speed_per_minute(read_buckets(stats, "minutes"), now)
    status = TargetStatus(
        target=known.target,
        name=known.name,
        is_on=known.is_on,
        url=known.url,
        sentence=ledger.problem or server.waiting or _describe(known, ledger, pictures, server),
        outage=server.outage,
        pictures=pictures,
        circuit=server.circuit,
        recovery=server.recovery,
        queue=queue,
        scenes=ledger.scenes,
        speed_per_minute=speed,
        seconds_left=round(queue.due / speed * 60) if speed and queue.due else None,
        history=tuple(
            HistoryBucket(iso(one.at), one.done, one.failed) for one in last_day(read_buckets(stats, "hours"), now)
        ),
        coverage=ledger.coverage,
        last_run=ledger.last_run,
    )
    return status, server, ledger


def _describe(known: KnownTarget, ledger: LedgerSummary, pictures: str | None, server: ServerState) -> str:
    if not known.is_on:
        return f"{known.name} is not set up."
    if pictures:
        return pictures
    if server.recovering:
        return f"{known.name}: {server.recovering}"
    return f"{counted(ledger.scenes.synced, 'scene')} in {known.name}."
