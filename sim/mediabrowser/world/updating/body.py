"""The body of an update, read as the server's JSON reader does: one wrong word fails the whole request."""

import re
from collections.abc import Callable
from typing import Any, cast

from sim.mediabrowser.flavours import Flavour
from sim.mediabrowser.web.exchange import Refused
from sim.mediabrowser.world.item_store import ItemStore
from sim.mediabrowser.world.moments import parse_stamped, text_of
from sim.mediabrowser.world.records import Credit, Values

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_TEXTS = [
    "Name",
    "SortName",
    "ForcedSortName",
    "OriginalTitle",
    "OriginalLanguage",
    "Overview",
    "OfficialRating",
    "CustomRating",
    "PreferredMetadataLanguage",
    "PreferredMetadataCountryCode",
    "AspectRatio",
    "DisplayOrder",
    "Album",
]
_WHOLE = [
    "ProductionYear",
    "IndexNumber",
    "ParentIndexNumber",
    "AirsAfterSeasonNumber",
    "AirsBeforeEpisodeNumber",
    "AirsBeforeSeasonNumber",
    "SortIndexNumber",
    "SortParentIndexNumber",
]
_DATES = ("PremiereDate", "EndDate", "DateCreated")
_LISTS = ("Genres", "Tags", "Taglines", "ProductionLocations")
_PAIRS = ("Studios", "GenreItems", "TagItems")
_3D = frozenset({"HalfSideBySide", "FullSideBySide", "FullTopAndBottom", "HalfTopAndBottom", "MVC"})


class UpdateBody:
    """What an update says: `values` holds the properties it names, with None for null."""

    def __init__(self, body: object, flavour: Flavour, utc_offset_hours: float, store: ItemStore) -> None:
        if not isinstance(body, dict):
            raise _unreadable("$")
        self._flavour = flavour
        self._utc_offset_hours = utc_offset_hours
        self._store = store
        self.values: Values = {}
        self._given = cast("dict[str, Any]", body)
        readers: dict[str, Callable[[str, Any], Any]] = {
            **dict.fromkeys(_TEXTS, self._text),
            **dict.fromkeys(_WHOLE, self._whole),
            **dict.fromkeys(("CommunityRating", "CriticRating"), self._real),
            **dict.fromkeys(_DATES, self._date),
            **dict.fromkeys(_LISTS, self._list),
            **dict.fromkeys(_PAIRS, self._pairs),
            "LockData": self._flag,
            "LockedFields": self._locks,
            "People": self._people,
            "ProviderIds": self._provider_ids,
            "Video3DFormat": self._format_3d,
            "Id": self._id,
        }
        for name, value in self._given.items():
            if name in readers:
                self.values[name] = None if value is None else readers[name](name, value)

    @property
    def sent(self) -> frozenset[str]:
        return frozenset(self.values)

    @property
    def nulls(self) -> frozenset[str]:
        return frozenset(name for name, value in self._given.items() if value is None)

    def get(self, name: str) -> Any:
        return self.values.get(name)

    def _text(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise _unreadable(name)
        return value

    def _whole(self, name: str, value: Any) -> int | None:
        number = self._real(name, value)
        if number is not None and number != int(number):
            raise _unreadable(name)
        return None if number is None else int(number)

    def _real(self, name: str, value: Any) -> float | None:
        """Read a number, which may be a text; on Emby also an empty one."""
        if self._flavour.is_emby and value == "":
            return None
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            return float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _unreadable(name)
        return value

    def _date(self, name: str, value: Any) -> str | None:
        if self._flavour.is_emby and value == "":
            return None
        ticks = parse_stamped(value, self._utc_offset_hours) if isinstance(value, str) else None
        if ticks is None:
            raise _unreadable(name)
        return text_of(ticks)

    def _list(self, name: str, value: Any) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in cast("list[object]", value)):
            raise _unreadable(name)
        return list(cast("list[str]", value))

    def _pairs(self, name: str, value: Any) -> list[str]:
        """Read `[{Name}]`; the ids in it count for nothing, but must be ids."""
        names: list[str] = []
        for pair in _objects(name, value):
            number = pair.get("Id")
            is_id = isinstance(number, int) if self._flavour.is_emby else self._is_guid(number)
            if number is not None and not is_id:
                raise _unreadable(name)
            names.append(self._text(name, pair.get("Name", "")))
        return names

    def _flag(self, name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise _unreadable(name)
        return value

    def _locks(self, name: str, value: Any) -> list[str]:
        words = self._list(name, value)
        if not self._flavour.lock_words.issuperset(words):
            raise _unreadable(name)
        return words

    def _people(self, name: str, value: Any) -> list[Credit]:
        cast_list: list[Credit] = []
        for person in _objects(name, value):
            kind = person.get("Type") or ("Actor" if self._flavour.is_emby else "Unknown")
            if kind not in self._flavour.person_types:
                raise _unreadable(name)
            cast_list.append(
                Credit(self._text(name, person.get("Name") or ""), self._text(name, person.get("Role") or ""), kind)
            )
        return cast_list

    def _provider_ids(self, name: str, value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            raise _unreadable(name)
        pairs = cast("dict[str, Any]", value)
        return {key: self._text(name, one) for key, one in pairs.items() if one is not None and one != ""}

    def _format_3d(self, name: str, value: Any) -> str:
        if value not in _3D:
            raise _unreadable(name)
        return str(value)

    def _id(self, name: str, value: Any) -> str:
        if not self._flavour.is_emby and not self._is_guid(value):
            raise _unreadable(name)
        return str(value)

    def _is_guid(self, value: Any) -> bool:
        return isinstance(value, str) and self._store.parsed_id(value) is not None


def _objects(name: str, value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in cast("list[object]", value)):
        raise _unreadable(name)
    return cast("list[dict[str, Any]]", value)


def _unreadable(name: str) -> Refused:
    return Refused(400, "problem", f"The JSON value could not be converted. Path: $.{name}")
