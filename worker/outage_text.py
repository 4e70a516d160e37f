"""An outage in words, for whoever looks: since when, why, what to do, and when Plex is asked next."""

import time

from worker.circuit_breaker import Circuit

SECONDS_A_DAY = 86400.0

_ADVICE = {
    "token": " Set plex_token to the token of the server's owner.",
    "permission": " Set plex_token to the token of the server's owner.",
    "no_library": " Mend plex_library, or empty it for all libraries.",
}


def outage_sentence(circuit: Circuit, now: float) -> str | None:
    """Say that Plex is away and why, in words that stay the same while it lasts; None if it is not."""
    if circuit.is_closed:
        return None
    reason = (circuit.sentence or "it was not noted why").rstrip(".")
    if circuit.needs_person:
        return f"Nothing goes to Plex since {_moment(circuit, now)}: {reason}.{_ADVICE.get(circuit.kind, '')}"
    return f"Plex is down since {_moment(circuit, now)} ({circuit.kind or 'unknown'}): {reason}."


def waiting_sentence(circuit: Circuit, waiting: int, now: float) -> str | None:
    """Say the same with what changes by the second: who waits, and for how long."""
    if circuit.is_closed:
        return None
    wait = f"{waiting} jobs wait; next probe in {circuit.probe_in(now):.0f} s."
    if circuit.needs_person:
        return f"{outage_sentence(circuit, now)} {wait}"
    return f"Plex is down since {_moment(circuit, now)} ({circuit.kind or 'unknown'}), {wait}"


def _moment(circuit: Circuit, now: float) -> str:
    since = circuit.down_since(now)
    form = "%H:%M" if now - since < SECONDS_A_DAY else "%Y-%m-%d %H:%M"
    return time.strftime(form, time.localtime(since))
