"""How it stands with Plex, read from what the worker keeps: the circuit, the recovery, past outages, the counters."""

from collections.abc import Mapping
from dataclasses import asdict

from runtime.folder import DataFolder
from tasks.moments import iso
from worker.circuit_breaker import read_circuit
from worker.outage_text import waiting_sentence
from worker.rate_limiter import read_recovery
from worker.stats import Counters, Outage, read_stats

SHOWN_OUTAGES = 5


def outage_words(folder: DataFolder, counts: Mapping[str, int], now: float) -> str | None:
    """Say that Plex is away, who waits and when it is asked next; None if it is not away."""
    return waiting_sentence(read_circuit(folder.circuit), counts["due"] + counts["later"] + counts["claimed"], now)


def recovery_words(folder: DataFolder, now: float) -> str | None:
    recovery = read_recovery(folder.recovery, now)
    return f"OK; Plex was away, and gets up to {recovery.rate(now):.0f} jobs a second for now." if recovery else None


def plex_standing(folder: DataFolder, counts: Mapping[str, int], now: float) -> dict[str, object]:
    """Return all of it in numbers, for a program."""
    stats = read_stats(folder.stats)
    return {
        "circuit": _circuit(folder, now),
        "recovery": _recovery(folder, now),
        "outages": [_outage(outage) for outage in stats.outages[:SHOWN_OUTAGES]],
        "stats": _stats(stats, counts),
    }


def _circuit(folder: DataFolder, now: float) -> dict[str, object]:
    circuit = read_circuit(folder.circuit)
    if circuit.is_closed:
        return {"state": circuit.state.value, "strikes": circuit.strikes}
    return {
        "state": circuit.state.value,
        "since": iso(circuit.down_since(now)),
        "kind": circuit.kind,
        "sentence": circuit.sentence,
        "needs_person": circuit.needs_person,
        "next_probe_in": round(circuit.probe_in(now)),
    }


def _recovery(folder: DataFolder, now: float) -> dict[str, object] | None:
    recovery = read_recovery(folder.recovery, now)
    if recovery is None:
        return None
    return {
        "since": iso(recovery.began_at),
        "progress": round(recovery.progress(now), 3),
        "jobs_a_second": round(recovery.rate(now), 1),
        "halved": bool(recovery.halved_at),
    }


def _outage(outage: Outage) -> dict[str, object]:
    moments = {"began_at": iso(outage.began_at), "ended_at": iso(outage.ended_at)}
    return {**asdict(outage), **moments, "seconds": round(outage.seconds)}


def _stats(stats: Counters, counts: Mapping[str, int]) -> dict[str, object]:
    return {
        "done": stats.done,
        "failed": stats.failed,
        "waiting": counts["due"] + counts["later"],
        "mean_seconds": round(stats.mean_seconds, 3),
    }
