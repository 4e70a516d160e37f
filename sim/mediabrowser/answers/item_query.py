"""`/Items`: which items a query means. What the server does not understand of it, it leaves out without a word."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sim.mediabrowser.web.exchange import Refused, Request
from sim.mediabrowser.world.moments import parse
from sim.mediabrowser.world.records import Item, User
from sim.mediabrowser.world.world import World

_PRESENTATION = frozenset(
    [
        "startindex",
        "limit",
        "fields",
        "enableimages",
        "enableuserdata",
        "imagetypelimit",
        "enableimagetypes",
        "enabletotalrecordcount",
        "excludefields",
    ]
)
_UNDERSTOOD = _PRESENTATION | frozenset(
    [
        "userid",
        "recursive",
        "includeitemtypes",
        "excludeitemtypes",
        "parentid",
        "ids",
        "sortby",
        "sortorder",
        "searchterm",
        "mindatelastsaved",
        "mindatelastsavedforuser",
        "isplayed",
        "isfavorite",
        "filters",
        "collapseboxsetitems",
        "groupitemsintocollections",
        "excludelocationtypes",
        "apikey",
        "api_key",
        "namestartswith",
    ]
)
_EMBY_UNDERSTOOD = frozenset({"path", "anyprovideridequals", "listitemids"})
_SORTS = frozenset({"sortname", "datecreated", "dateplayed", "name", "premieredate", "productionyear", "random"})
_NOT_LISTED = frozenset({"Person", "CollectionFolder"})
_KINDS = {
    kind.lower(): kind
    for kind in [
        "Movie",
        "Video",
        "Episode",
        "MusicVideo",
        "Trailer",
        "Folder",
        "CollectionFolder",
        "BoxSet",
        "Series",
        "Season",
        "Person",
    ]
}
Test = Callable[[Item], bool]


@dataclass(frozen=True, slots=True)
class Page:
    items: Sequence[Item]
    total: int
    start: int


class ItemQuery:
    """One question. `user` is the one whose eyes it is asked with; a key has none."""

    def __init__(self, world: World, request: Request, user: User | None) -> None:
        self._world = world
        self._request = request
        self._user = user
        self._flavour = world.identity.flavour

    def run(self) -> Page:
        start, limit = self._request.number("StartIndex") or 0, self._request.number("Limit")
        if (most := self._world.quirks.most_a_page) is not None and self._ids is None:
            limit = most if limit is None else min(limit, most)
        if self._ids is not None:
            found = [item for item in self._by_id(self._ids) if self._fits(item)]
        else:
            key = (tuple(sorted(self._deciding_args())), self._user.id if self._user else "", repr(self._world.quirks))
            found = self._world.store.sorted(key, lambda: self._sorted(filter(self._fits, self._chosen)))
        end = len(found) if limit is None else start + limit
        items = found[start:end] if self._ids is not None else self._page(found, start, end)
        return Page(items, len(found), start)

    @cached_property
    def is_misunderstood(self) -> bool:
        """The query named something to filter by that this server did not take."""
        known = set(_UNDERSTOOD)
        if self._flavour.is_emby:
            known |= _EMBY_UNDERSTOOD if self._world.quirks.knows_list_item_ids else _EMBY_UNDERSTOOD - {"listitemids"}
        dropped_ids = bool(self._request.words("Ids")) and self._ids is None
        dropped_kinds = bool(self._request.words("IncludeItemTypes")) and not self._kinds
        return dropped_ids or dropped_kinds or any(name not in known for name in self._request.args)

    def _deciding_args(self) -> Iterable[tuple[str, str]]:
        return ((name, value) for name, value in self._request.args.items() if name not in _PRESENTATION)

    # Which items are looked at.

    @cached_property
    def _ids(self) -> list[str] | None:
        """The ids that could be read; None where there is no such filter, or none of them was an id."""
        asked = self._request.words("Ids")
        parsed = [one for one in map(self._world.store.parsed_id, asked) if one is not None]
        if asked and not parsed and self._flavour.is_emby and not self._world.quirks.drops_bad_ids:
            return []
        return parsed or None

    def _by_id(self, ids: Sequence[str]) -> list[Item]:
        items = self._world.store.items
        return [items[one] for one in dict.fromkeys(ids) if one in items]

    @property
    def _chosen(self) -> Iterable[Item]:
        store, path = self._world.store, self._request.text("Path")
        if path and self._flavour.is_emby:
            found = store.at_path(path)
            parent = self._request.text("ParentId") if self._world.quirks.heeds_parent_beside_path else None
            is_below = parent is None or (found is not None and found in self._below(parent))
            return [found] if found is not None and found.path == path and is_below else []
        if self._request.text("ParentId") and self._kinds != ("BoxSet",):
            return self._below(self._request.text("ParentId") or "")
        if self._request.flag("Recursive"):
            return self._all
        return store.of_kind("CollectionFolder")

    @property
    def _all(self) -> Iterable[Item]:
        if self._kinds:
            return [item for kind in self._kinds for item in self._world.store.of_kind(kind)]
        return (item for item in self._world.store.items.values() if item.kind not in _NOT_LISTED)

    def _below(self, parent_id: str) -> Iterable[Item]:
        store = self._world.store
        if store.parsed_id(parent_id) is None and self._flavour.is_jellyfin:
            raise Refused(400, "problem", f"The value '{parent_id}' is not valid.")
        parent = store.find(parent_id)
        if parent is None:
            return self._all if self._world.quirks.unknown_parent == "everything" else ()
        if parent.kind == "BoxSet":
            # Jellyfin lists the linked children of a collection to a user, or with Recursive; to a key alone, nothing.
            is_blind = self._flavour.is_jellyfin and self._user is None and not self._request.flag("Recursive")
            return () if is_blind else self._members(parent)
        if not self._request.flag("Recursive"):
            return (item for item in store.items.values() if item.parent_id == parent.id)
        if parent.kind == "CollectionFolder":
            return (item for item in self._all if item.library_id == parent.id)
        return (item for item in self._all if item.path.startswith(parent.path + "/"))

    def _members(self, collection: Item) -> list[Item]:
        """Give what is in a collection, and with Recursive also what lies in the folders that are in it."""
        members = self._by_id(collection.members)
        folders = [one.path + "/" for one in members if one.is_folder and self._request.flag("Recursive")]
        below = [one for one in self._all if any(one.path.startswith(folder) for folder in folders)] if folders else []
        return list(dict.fromkeys((*members, *below)))

    # Which of them fit.

    def _fits(self, item: Item) -> bool:
        return all(test(item) for test in self._tests)

    @cached_property
    def _tests(self) -> list[Test]:
        tests = [self._is_visible, *self._version_tests(), *self._delta_tests(), *self._user_tests()]
        excluded = {_KINDS.get(word.lower()) for word in self._request.words("ExcludeItemTypes")}
        if self._kinds:
            tests.append(lambda item: item.kind in self._kinds)
        if excluded:
            tests.append(lambda item: item.kind not in excluded)
        if term := self._request.text("SearchTerm"):
            tests.append(lambda item: term.casefold() in str(item.values.get("Name") or "").casefold())
        if prefix := self._request.text("NameStartsWith"):
            tests.append(lambda item: str(item.values.get("Name") or "").casefold().startswith(prefix.casefold()))
        if self._flavour.is_emby:
            tests += self._emby_tests()
        if self._collapses:
            hidden = {member for collection in self._world.collections.all() for member in collection.members}
            tests.append(lambda item: item.kind != "Movie" or item.id not in hidden)
        return tests

    @cached_property
    def _kinds(self) -> tuple[str, ...]:
        """The types that were asked for; words that are none are dropped, and with the last of them the filter."""
        words = [_KINDS.get(word.lower()) for word in self._request.words("IncludeItemTypes")]
        return tuple(dict.fromkeys(kind for kind in words if kind is not None))

    def _is_visible(self, item: Item) -> bool:
        if self._user is None:
            return True
        is_blind = self._flavour.is_emby_since(4, 9) and self._world.quirks.users_see_no_persons
        return item.id not in self._user.hidden and not (is_blind and item.kind == "Person")

    def _version_tests(self) -> list[Test]:
        """12 leaves alternate versions out of every list, earlier ones only where a user asks."""
        quirks, hides = self._world.quirks, self._user is not None or self._flavour.is_emby
        if self._ids is not None:
            hides = self._flavour.is_jellyfin_since(12) and not quirks.ids_reach_versions
        elif quirks.lists_versions is not None:
            hides = not quirks.lists_versions
        elif self._flavour.is_jellyfin_since(12):
            hides = True
        return [lambda item: not item.primary_id] if hides else []

    def _delta_tests(self) -> list[Test]:
        since, for_user = self._moment("MinDateLastSaved"), self._moment("MinDateLastSavedForUser")
        if since is not None and for_user is None and self._flavour.is_jellyfin_before(10, 11):
            if self._world.quirks.min_date_last_saved == "error":
                raise Refused(500, text="Must add values for the following parameters: @MinDateLastSavedForUser")
            return [lambda _: False]
        if self._is_in_memory:
            return []
        if self._flavour.is_emby:
            least = (since or 0) + (0 if self._world.quirks.delta_is_inclusive or since is None else 1)
            return [lambda item: item.saved_ticks >= least, *self._saved_for_user(for_user)]
        moments = [moment for moment in (since, for_user) if moment is not None]
        return [lambda item: item.saved_ticks >= max(moments)] if moments else []

    def _saved_for_user(self, since: int | None) -> list[Test]:
        if since is None:
            return []
        user, data = self._user, self._world.user_data
        return [
            lambda item: item.saved_ticks >= since or (user is not None and data.of(user, item).changed_ticks >= since)
        ]

    def _moment(self, name: str) -> int | None:
        text = self._request.text(name)
        if not text:
            return None
        ticks = parse(text, self._world.quirks.utc_offset_hours)
        if ticks is None:
            raise Refused(400, "problem", f"The value '{text}' is not valid.")
        return ticks

    @property
    def _might_collapse(self) -> bool:
        """Nothing says that films must not hide behind their collections."""
        wanted = "GroupItemsIntoCollections" if self._flavour.is_emby else "CollapseBoxSetItems"
        is_narrow = self._ids is not None or bool(self._request.text("SearchTerm"))
        films = "Movie" in self._kinds
        return films and not is_narrow and self._request.flag(wanted) is not False

    @property
    def _collapses(self) -> bool:
        return self._might_collapse and self._user is not None and self._world.quirks.groups_into_collections

    @property
    def _is_in_memory(self) -> bool:
        """Jellyfin ≥ 10.11 with a key: the query leaves the database, and there `MinDateLastSaved` is not known."""
        return self._flavour.is_jellyfin_since(10, 11) and self._user is None and self._might_collapse

    def _user_tests(self) -> list[Test]:
        user, data, tests = self._user, self._world.user_data, list[Test]()
        words = {word.lower() for word in self._request.words("Filters")}
        is_played, is_favorite = self._request.flag("IsPlayed"), self._request.flag("IsFavorite")
        if user is None:
            return []
        if is_played is not None or words & {"isplayed", "isunplayed"}:
            wanted = is_played if is_played is not None else "isplayed" in words
            tests.append(lambda item: data.of(user, item).played == wanted)
        if is_favorite is not None or "isfavorite" in words:
            tests.append(lambda item: data.of(user, item).is_favorite == (is_favorite is not False))
        if "isresumable" in words:
            tests.append(lambda item: data.of(user, item).position_ticks > 0)
        return tests

    def _emby_tests(self) -> list[Test]:
        tests: list[Test] = []
        if provider := self._request.text("AnyProviderIdEquals"):
            pairs = {tuple(pair.lower().partition(".")[::2]) for pair in provider.split(",")}
            tests.append(lambda item: any((key.lower(), value.lower()) in pairs for key, value in _provider_ids(item)))
        if self._world.quirks.knows_list_item_ids and (members := self._request.words("ListItemIds")):
            tests.append(lambda item: item.kind == "BoxSet" and not set(members).isdisjoint(item.members))
        return tests

    # In which order.

    @cached_property
    def _sort_keys(self) -> list[tuple[Callable[[Item], str], bool]]:
        """The keys that are understood, and whether each is descending; the last order counts for the rest."""
        words = [word.lower() for word in self._request.words("SortBy")]
        orders = [word.lower().startswith("desc") for word in self._request.words("SortOrder")] or [False]
        numbered = list(enumerate(word for word in words if word in _SORTS and word != "random"))
        return [(self._sort_key(word), orders[min(number, len(orders) - 1)]) for number, word in numbered]

    def _sort_key(self, word: str) -> Callable[[Item], str]:
        store, user, data = self._world.store, self._user, self._world.user_data
        if word == "sortname":
            return store.sort_name
        if word == "dateplayed":
            return lambda item: (data.of(user, item).last_played or "") if user else ""
        name = {"datecreated": "DateCreated", "premieredate": "PremiereDate", "productionyear": "ProductionYear"}
        return lambda item: str(item.values.get(name.get(word, "Name")) or "")

    def _sorted(self, items: Iterable[Item]) -> list[Item]:
        ordered = list(items)
        for key, is_descending in reversed(self._sort_keys):
            ordered.sort(key=key, reverse=is_descending)
        return ordered

    def _page(self, found: Sequence[Item], start: int, end: int) -> Sequence[Item]:
        """Cut a page out. Items that sort alike stand in another order in every answer."""
        if self._world.quirks.ties == "stable":
            return found[start:end]
        first, last = min(start, len(found)), min(end, len(found))
        while 0 < first < len(found) and self._ties(found[first - 1], found[first]):
            first -= 1
        while 0 < last < len(found) and self._ties(found[last - 1], found[last]):
            last += 1
        window = self._with_ties_shuffled(found[first:last], start)
        return window[start - first : end - first]

    def _ties(self, one: Item, other: Item) -> bool:
        return all(key(one) == key(other) for key, _ in self._sort_keys)

    def _with_ties_shuffled(self, items: Sequence[Item], seed: int) -> list[Item]:
        groups: list[list[Item]] = []
        for item in items:
            if groups and self._ties(groups[-1][-1], item):
                groups[-1].append(item)
            else:
                groups.append([item])
        dice = random.Random(seed)
        for group in groups:
            if len(group) > 1:
                dice.shuffle(group)
        return [item for group in groups for item in group]


def _provider_ids(item: Item) -> Iterable[tuple[str, str]]:
    pairs: dict[str, str] = item.values.get("ProviderIds", {})
    return pairs.items()
