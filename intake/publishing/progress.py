"""How far the publishing of one file has come, on each server. Kept with the row as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from intake.publishing.port import Marks
from validation.json_shapes import as_list, as_object, as_text


@dataclass(frozen=True, slots=True)
class ServerProgress:
    """`looks` counts how often the item was looked for; `shown` names the places whose picture is dealt with."""

    is_scanned: bool = False
    looks: int = 0
    item_id: str = ""
    is_written: bool = False
    wrote: Marks = field(default_factory=dict[str, str])
    pictures: Marks = field(default_factory=dict[str, str])
    shown: tuple[str, ...] = ()

    def anew(self) -> "ServerProgress":
        """Begin again, and remember which values and pictures are ours."""
        return ServerProgress(wrote=self.wrote, pictures=self.pictures)


@dataclass(frozen=True, slots=True)
class PublishProgress:
    """One entry a server."""

    servers: Mapping[str, ServerProgress] = field(default_factory=dict[str, ServerProgress])

    def of(self, name: str) -> ServerProgress:
        return self.servers.get(name, ServerProgress())

    def with_server(self, name: str, progress: ServerProgress) -> "PublishProgress":
        return PublishProgress({**self.servers, name: progress})

    def anew(self) -> "PublishProgress":
        return PublishProgress({name: one.anew() for name, one in self.servers.items()})

    @property
    def item_id(self) -> str:
        return next((one.item_id for one in self.servers.values() if one.item_id), "")

    def to_json(self) -> str:
        return json.dumps({name: asdict(one) for name, one in self.servers.items()})

    @classmethod
    def from_json(cls, text: str) -> "PublishProgress":
        raw = as_object(json.loads(text)) if text else {}
        return cls({name: _read(as_object(one) or {}) for name, one in (raw or {}).items()})


def _read(raw: Mapping[str, object]) -> ServerProgress:
    looks = raw.get("looks")
    return ServerProgress(
        is_scanned=raw.get("is_scanned") is True,
        looks=looks if isinstance(looks, int) else 0,
        item_id=as_text(raw.get("item_id")),
        is_written=raw.get("is_written") is True,
        wrote=_marks(raw.get("wrote")),
        pictures=_marks(raw.get("pictures")),
        shown=tuple(as_text(one) for one in as_list(raw.get("shown")) or ()),
    )


def _marks(raw: object) -> Marks:
    return {name: as_text(mark) for name, mark in (as_object(raw) or {}).items()}
