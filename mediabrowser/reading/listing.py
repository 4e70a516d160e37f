"""Pages of a listing: enough of each item to find it by its files, never enough to compare or to write it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from model.errors import AnswerGarbled, Kind
from validation.json_shapes import as_list, as_object, as_text

_TICKS_A_SECOND = 10_000_000
_EMBY_SOURCE = "mediasource_"
_NOTHING: Mapping[str, object] = {}


class ListedFile(NamedTuple):
    """One file of an item, where the server sees it. `version_id` is the id of the version that it is."""

    item_id: str
    version_id: str
    path: str
    size: int | None = None
    duration_seconds: float | None = None


class ListedItem(NamedTuple):
    """`files` holds only the first of several versions or parts until they are asked for."""

    item_id: str
    server_id: str
    type: str
    etag: str
    files: Sequence[ListedFile]
    version_count: int = 1
    part_count: int = 1


@dataclass(frozen=True, slots=True)
class ItemPage:
    """One page of a listing, from `offset` on, of `total`; `count` items of it."""

    offset: int
    count: int
    total: int
    items: tuple[ListedItem, ...]
    server_time: float | None = None
    is_joined: bool = True
    """It begins with the last item of the page before. If not, the list has moved, and items may be missing."""


def read_page(answer: object, offset: int, server_time: float | None, what: str) -> ItemPage:
    """Read a page. Extras (trailers, scenes behind the scenes) and folders that hold a disc come without files."""
    document = as_object(answer) or {}
    raw, total = as_list(document.get("Items")), document.get("TotalRecordCount")
    if raw is None or not isinstance(total, int):
        raise AnswerGarbled(f"{what}: no list of items came", kind=Kind.OTHER_SHAPE)
    if isinstance(document.get("StartIndex"), int) and document["StartIndex"] != offset:
        raise AnswerGarbled(f"{what}: another page came than was asked for", kind=Kind.OTHER_SHAPE)
    items = tuple(read_item(one, what) for one in raw)
    return ItemPage(offset, len(items), total, items, server_time)


def read_item(value: object, what: str) -> ListedItem:
    raw = as_object(value)
    if raw is None or not as_text(raw.get("Id")):
        raise AnswerGarbled(f"{what}: what came is no item", kind=Kind.OTHER_SHAPE)
    item_id = as_text(raw.get("Id"))
    files = tuple(_files(raw, item_id))
    is_ours = as_text(raw.get("VideoType")) in ("", "VideoFile") and not as_text(raw.get("ExtraType"))
    return ListedItem(
        item_id,
        as_text(raw.get("ServerId")),
        as_text(raw.get("Type")),
        as_text(raw.get("Etag")),
        files if is_ours else (),
        max(_number(raw.get("MediaSourceCount")) or 1, len(files)) if is_ours else 0,
        (_number(raw.get("PartCount")) or 1) if is_ours else 1,
    )


def _files(raw: Mapping[str, object], item_id: str) -> Iterator[ListedFile]:
    """Give the item's own path first: the paths of media sources have symbolic links resolved.

    A source is the item's own by its id, or where ids have another form by its path; no path comes twice.
    """
    path, ticks = as_text(raw.get("Path")), _number(raw.get("RunTimeTicks"))
    sources = [one for one in map(as_object, as_list(raw.get("MediaSources")) or ()) if one is not None]
    by_id = (one for one in sources if _version_id(one) == item_id)
    by_path = (one for one in sources if path and as_text(one.get("Path")) == path)
    own: Mapping[str, object] = next(by_id, next(by_path, _NOTHING))
    seen = {path}
    if path:
        yield ListedFile(item_id, item_id, path, _number(own.get("Size") or raw.get("Size")), _seconds(ticks))
    for source in sources:
        further = as_text(source.get("Path"))
        if source is not own and further and further not in seen:
            seen.add(further)
            size, lasts = _number(source.get("Size")), _seconds(_number(source.get("RunTimeTicks")))
            yield ListedFile(item_id, _version_id(source), further, size, lasts)


def _version_id(source: Mapping[str, object]) -> str:
    return as_text(source.get("Id")).removeprefix(_EMBY_SOURCE)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _seconds(ticks: int | None) -> float | None:
    return None if ticks is None else ticks / _TICKS_A_SECOND
