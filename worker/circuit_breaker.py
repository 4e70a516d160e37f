"""CircuitBreaker: whether Plex may be asked at all. All lanes share it, and it survives a restart.

            5 faults in a row, or one that a person must mend
   closed ────────────────────────────────────────────────────> open <──┐
     ^                                                           │      │ the probe fails
     │                 the probe succeeds                        │ after 60 s (300 s where a person is needed)
     └──────────────────────────────────────────── half-open <───┘      │
                                                       └────────────────┘

Standard library only: the status is told from the same file where no package is installed yet.
"""

import threading
from dataclasses import asdict, replace
from typing import Any

from runtime.quiet_state import save_quietly
from sync.outage.circuit import THRESHOLD, Circuit, CircuitState, Fault, probe_interval, read_circuit


class CircuitBreaker:
    """Counts faults in a row. Only a probe closes it again, and only one probe is on its way at a time."""

    def __init__(self, path: str, now: float) -> None:
        self._path = path
        self._lock = threading.Lock()
        found = read_circuit(path)
        # Without a moment, or with one that is still to come, it counts as opened now.
        opened_at = found.opened_at if 0 < found.opened_at <= now else now
        self._circuit = found if found.is_closed else replace(found, opened_at=opened_at)

    def snapshot(self) -> Circuit:
        with self._lock:
            return self._circuit

    def fail(self, fault: Fault, now: float, *, at_once: bool = False) -> bool:
        """A request failed by the server's fault; say whether that opened the circuit. `at_once`: one is enough."""
        with self._lock:
            if not self._circuit.is_closed:
                return False
            strikes = self._circuit.strikes + 1
            if strikes < THRESHOLD and not at_once:
                self._become(Circuit(strikes=strikes, kind=fault.kind, sentence=fault.sentence))
                return False
            self._become(_open(fault, since=now, now=now))
            return True

    def succeed(self) -> None:
        """Plex did what it was asked: the row of faults is broken. It does not close an open circuit."""
        with self._lock:
            if self._circuit.is_closed and self._circuit.strikes:
                self._become(Circuit())

    def begin_probe(self, now: float) -> bool:
        """Say whether the caller is the one to probe now. It then owes `close` or `reopen`."""
        with self._lock:
            if self._circuit.state is not CircuitState.OPEN or self._circuit.probe_in(now) > 0:
                return False
            # Not written: should this process die, the next one finds it open.
            self._circuit = replace(self._circuit, state=CircuitState.HALF_OPEN)
            return True

    def close(self) -> None:
        """The probe succeeded."""
        with self._lock:
            if self._circuit.state is CircuitState.HALF_OPEN:
                self._become(Circuit())

    def reopen(self, fault: Fault, now: float) -> None:
        """The probe failed, perhaps in another way than the jobs did: that is the newest we know."""
        with self._lock:
            if self._circuit.state is CircuitState.HALF_OPEN:
                self._become(_open(fault, since=self._circuit.down_since(now), now=now))

    def probe_soon(self, now: float) -> None:
        """Something was changed that may have helped: the next probe is due now."""
        with self._lock:
            if self._circuit.state is CircuitState.OPEN:
                self._become(replace(self._circuit, probe_at=now))

    def _become(self, circuit: Circuit) -> None:
        self._circuit = circuit
        state: dict[str, Any] = asdict(circuit)
        save_quietly(self._path, state)


def _open(fault: Fault, *, since: float, now: float) -> Circuit:
    return Circuit(
        CircuitState.OPEN,
        opened_at=since,
        probe_at=now + probe_interval(needs_person=fault.needs_person),
        kind=fault.kind,
        sentence=fault.sentence,
        needs_person=fault.needs_person,
    )
