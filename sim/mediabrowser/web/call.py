"""A call: one request as the journal keeps it."""

import json
from dataclasses import dataclass, field
from typing import Any

from sim.plex.journal import Entry


@dataclass(frozen=True, slots=True)
class Call(Entry):
    """`body` is kept of JSON only. A status of 0: nobody got an answer."""

    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)
