"""Updating an item, in the order in which the server does it, because a failure in the middle is not rolled back."""

from collections.abc import Iterable, Sequence

from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.web.exchange import Refused
from sim.mediabrowser.world.identity import Identity
from sim.mediabrowser.world.item_store import ItemStore
from sim.mediabrowser.world.people import People
from sim.mediabrowser.world.records import Credit, Item
from sim.mediabrowser.world.scanning.providers import Providers
from sim.mediabrowser.world.scanning.write_lock import WriteLock
from sim.mediabrowser.world.updating.body import UpdateBody
from sim.mediabrowser.world.updating.disasters import DisasterKind, Witness

_FIRST_SCALARS = (
    "Name",
    "ForcedSortName",
    "OriginalTitle",
    "OriginalLanguage",
    "CriticRating",
    "CommunityRating",
    "IndexNumber",
    "ParentIndexNumber",
    "Overview",
)
_AIRS = ("AirsAfterSeasonNumber", "AirsBeforeEpisodeNumber", "AirsBeforeSeasonNumber")
_MIDDLE_SCALARS = ("EndDate", "PremiereDate", "ProductionYear", "OfficialRating", "CustomRating")
_LAST_SCALARS = ("PreferredMetadataCountryCode", "PreferredMetadataLanguage")
_BLANK_IS_NULL = frozenset({"OriginalTitle", "OfficialRating"})
_BY_ONE_BAR = ("Genres", "Tags", "Studios")
"""Jellyfin keeps these in one column each, joined by `|`."""


class Updater:
    def __init__(
        self,
        identity: Identity,
        quirks: Quirks,
        store: ItemStore,
        people: People,
        providers: Providers,
        witness: Witness,
        write_lock: WriteLock,
    ) -> None:
        self._identity = identity
        self._quirks = quirks
        self._store = store
        self._people = people
        self._providers = providers
        self._witness = witness
        self._write_lock = write_lock

    def update(self, item: Item, body: UpdateBody) -> None:
        """Carry out a whole update. A refusal may leave half of it behind: in memory, or the people on disk."""
        before = dict(item.values)
        stored = dict(item.stored_values if item.stored_values is not None else item.values)
        if body.get("People") is not None:
            item.values["People"] = stored["People"] = self._credits(body.get("People"))
            self._people.ensure(item.people)
        elif self._identity.flavour.is_emby and self._quirks.missing_people == "wiped":
            item.values["People"] = stored["People"] = []
        item.stored_values = stored
        try:
            self._apply(item, body)
            self.save(item)
        finally:
            self._witness.judge_update(item, before, body.sent, body.nulls)
        self._push_down(item, before, body)

    def save(self, item: Item) -> None:
        """Put what is in memory into the database."""
        if item.values.get("Genres", ()) is None:
            raise Refused(400, text="Value cannot be null. (Parameter 'value')")
        self._write_lock.acquire()
        if self._identity.flavour.is_jellyfin:
            for name in _BY_ONE_BAR:
                item.values[name] = self._as_stored(item.names(name))
        self._people.ensure(item.people)
        self._store.save(item)
        self._providers.save_nfo(item)

    def _apply(self, item: Item, body: UpdateBody) -> None:
        flavour, values = self._identity.flavour, item.values
        self._set(item, body, _FIRST_SCALARS)
        self._set_sort_name(item, body)
        self._set_list(item, body, "Genres")
        if item.kind == "Episode" and flavour.is_jellyfin:
            self._set(item, body, _AIRS)
        if body.get("Taglines") is not None:
            values["Taglines"] = body.get("Taglines")[:1]
        if body.get("Studios") is not None:
            values["Studios"] = body.get("Studios")
        if body.get("DateCreated") is not None:
            values["DateCreated"] = body.get("DateCreated")
        self._set(item, body, _MIDDLE_SCALARS)
        if flavour.is_jellyfin and not flavour.keeps_missing_lists and body.get("Tags") is None:
            raise Refused(400, text="Value cannot be null. (Parameter 'second')")
        self._set_list(item, body, "Tags")
        if body.get("ProductionLocations") is not None:
            values["ProductionLocations"] = body.get("ProductionLocations")
        self._set(item, body, _LAST_SCALARS)
        self._set(item, body, self._of_kind(item))
        values["LockData"] = bool(body.get("LockData"))
        if body.get("LockedFields") is not None:
            values["LockedFields"] = body.get("LockedFields")
        self._set_provider_ids(item, body)
        if item.is_video:
            self._set(item, body, ("Video3DFormat",))

    def _set(self, item: Item, body: UpdateBody, names: Iterable[str]) -> None:
        """Set what can be wiped: null and missing are the same to the server."""
        for name in names:
            if name == "OriginalLanguage" and not self._identity.flavour.is_jellyfin_since(12):
                continue
            value = body.get(name)
            item.values[name] = None if name in _BLANK_IS_NULL and not (value or "").strip() else value

    def _of_kind(self, item: Item) -> list[str]:
        """Name the scalars that only some kinds of items have."""
        names = ["DisplayOrder"] if item.kind in ("BoxSet", "Series") else []
        names += ["Album"] if item.kind == "MusicVideo" else []
        return names + (["AspectRatio"] if item.is_video and self._identity.flavour.is_jellyfin else [])

    def _set_sort_name(self, item: Item, body: UpdateBody) -> None:
        if self._identity.flavour.is_emby:
            item.values["ForcedSortName"] = body.get(self._quirks.sort_name_property) or None
            self._set(item, body, ("SortIndexNumber", "SortParentIndexNumber"))

    def _set_list(self, item: Item, body: UpdateBody, name: str) -> None:
        """Set genres or tags. Emby has them twice in a body, and one of the two wins."""
        given = body.get(name)
        if self._identity.flavour.is_emby:
            pairs = body.get("GenreItems" if name == "Genres" else "TagItems")
            first, second = (pairs, given) if self._quirks.tag_items_win else (given, pairs)
            given = first if first is not None else second
            item.values[name] = given or []
        elif given is not None or not self._identity.flavour.keeps_missing_lists:
            item.values[name] = given

    def _set_provider_ids(self, item: Item, body: UpdateBody) -> None:
        given = body.get("ProviderIds")
        if given is None and not self._identity.flavour.keeps_missing_lists:
            raise Refused(400, text="Value cannot be null. (Parameter 'source')")
        if given is not None:
            item.values["ProviderIds"] = given

    def _as_stored(self, names: Sequence[str]) -> list[str]:
        split = [part for name in names for part in name.split("|") if part]
        if not self._identity.flavour.is_jellyfin_since(12):
            return split
        trimmed = [part.strip() for part in split if part.strip()]
        return list({part.casefold(): part for part in reversed(trimmed)}.values())[::-1]

    def _credits(self, given: Sequence[Credit]) -> list[Credit]:
        """Jellyfin up to 10.11 keeps one of two roles of the same person; later it keeps both, and trims."""
        keeps_roles = self._identity.flavour.is_jellyfin_since(12)
        kept: dict[tuple[str, ...], Credit] = {}
        for credit in given:
            one = Credit(credit.name.strip(), credit.role.strip(), credit.type) if keeps_roles else credit
            roles = (one.role,) if keeps_roles or self._identity.flavour.is_emby else ()
            if one.name:
                kept.setdefault((one.name.casefold(), one.type, *roles), one)
        return list(kept.values())

    def _push_down(self, item: Item, before: dict[str, object], body: UpdateBody) -> None:
        """What is changed on a folder goes on to everything below it."""
        if not item.is_folder:
            return
        below = [self._store.items[one] for one in item.members if one in self._store.items]
        below += [one for one in self._store.items.values() if item.path and one.path.startswith(item.path + "/")]
        if bool(before.get("LockData")) != item.values["LockData"] and below:
            self._witness.record(DisasterKind.PUSHED_DOWN, item, "LockData")
            for one in below:
                one.values["LockData"] = item.values["LockData"]
                self._store.save(one)
        if item.kind in ("Series", "Season"):
            self._push_tags(item, below, before, body)

    def _push_tags(self, item: Item, below: Sequence[Item], before: dict[str, object], body: UpdateBody) -> None:
        new = item.names("Tags")
        ratings = {name: body.get(name) for name in ("OfficialRating", "CustomRating")}
        is_changed = before.get("Tags") != new or any(before.get(name) != rating for name, rating in ratings.items())
        if is_changed and below:
            self._witness.record(DisasterKind.PUSHED_DOWN, item, "ratings and tags")
        for one in below if is_changed else ():
            locked = one.names("LockedFields")
            one.values.update({name: rating for name, rating in ratings.items() if name not in locked})
            if "Tags" not in locked:
                one.values["Tags"] = list(new)
            self._store.save(one)
