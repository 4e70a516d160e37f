"""An outage in words, for whoever looks: since when, why, what to do, and when Plex is asked next."""

import time

from model.sentences import counted
from model.targets import EMBY, JELLYFIN, PLEX, TITLES
from sync.outage.circuit import Circuit

SECONDS_A_DAY = 86400.0

_KEYS = {
    PLEX: " Set plex_token to the token of the server's owner.",
    EMBY: " Set emby_api_key to an API key of this server.",
    JELLYFIN: " Set jellyfin_api_key to an API key of this server.",
}
_LIBRARY = " Mend {target}_library, or empty it for all libraries."
_ADDRESS = " Mend {target}_url."
_NOT_ITS_ADDRESS = frozenset({"wrong_address", "redirect", "other_product", "plex", "not_plex", "html_page"})


def _advice(kind: str, target: str) -> str:
    if kind in {"token", "permission"}:
        return _KEYS[target]
    if kind in _NOT_ITS_ADDRESS:
        return _ADDRESS.format(target=target)
    return _LIBRARY.format(target=target) if kind == "no_library" else ""


def outage_sentence(circuit: Circuit, now: float, target: str = PLEX) -> str | None:
    """Say that Plex is away and why, in words that stay the same while it lasts; None if it is not."""
    if circuit.is_closed:
        return None
    reason = (circuit.sentence or "it was not noted why").rstrip(".")
    if circuit.needs_person:
        advice = _advice(circuit.kind, target)
        return f"Nothing goes to {TITLES[target]} since {_moment(circuit, now)}: {reason}.{advice}"
    return f"{TITLES[target]} is down since {_moment(circuit, now)}: {reason}."


def strikes_sentence(circuit: Circuit, target: str = PLEX) -> str | None:
    """Say that Plex failed of late, while it is not yet left alone; None if it did not."""
    if not circuit.is_closed or not circuit.strikes or not circuit.sentence:
        return None
    which = f"{circuit.strikes} requests" if circuit.strikes > 1 else "request"
    return f"{TITLES[target]} failed the last {which}: {circuit.sentence.rstrip('.')}. It is tried again."


def waiting_sentence(circuit: Circuit, waiting: int, now: float, target: str = PLEX) -> str | None:
    """Say the same with what changes by the second: who waits, and for how long."""
    if circuit.is_closed:
        return None
    wait = f"{counted(waiting, 'job')} waiting; {TITLES[target]} is asked again in {circuit.probe_in(now):.0f} s."
    return f"{outage_sentence(circuit, now, target)} {wait}"


def _moment(circuit: Circuit, now: float) -> str:
    since = circuit.down_since(now)
    form = "%H:%M" if now - since < SECONDS_A_DAY else "%Y-%m-%d %H:%M"
    return time.strftime(form, time.localtime(since))
