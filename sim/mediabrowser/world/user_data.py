"""What each user did with each item: played, liked, stopped in the middle."""

from typing import Any

from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.world.identity import Identity
from sim.mediabrowser.world.item_store import ItemStore
from sim.mediabrowser.world.records import Item, User, UserData

_NAMES = {
    "Played": "played",
    "PlayCount": "play_count",
    "PlaybackPositionTicks": "position_ticks",
    "IsFavorite": "is_favorite",
    "Rating": "rating",
    "LastPlayedDate": "last_played",
}
_FLAGS = ("Played", "IsFavorite")


class UserDataStore:
    def __init__(self, identity: Identity, quirks: Quirks, store: ItemStore) -> None:
        self._identity = identity
        self._quirks = quirks
        self._store = store
        self._data: dict[tuple[str, str], UserData] = {}

    def of(self, user: User, item: Item) -> UserData:
        return self._data.get((user.id, item.id), UserData())

    def update(self, user: User, item: Item, body: dict[str, Any]) -> UserData:
        """Change what the body names. On Emby a boolean that it does not name becomes false."""
        data = self._data.setdefault((user.id, item.id), UserData())
        resets = self._identity.flavour.is_emby and self._quirks.resets_omitted_booleans
        for name, attribute in _NAMES.items():
            if body.get(name) is not None:
                setattr(data, attribute, body[name])
            elif resets and name in _FLAGS:
                setattr(data, attribute, False)
        self._stamp(data)
        return data

    def mark_played(self, user: User, item: Item, date: str | None) -> UserData:
        count = self.of(user, item).play_count
        return self.update(user, item, {"Played": True, "PlayCount": count + 1, "LastPlayedDate": date})

    def mark_unplayed(self, user: User, item: Item) -> UserData:
        """Forget the plays, and on both servers also where somebody stopped."""
        data = self._data.setdefault((user.id, item.id), UserData())
        data.played, data.play_count, data.position_ticks, data.last_played = False, 0, 0, None
        self._stamp(data)
        return data

    def _stamp(self, data: UserData) -> None:
        data.changed_ticks = self._store.next_ticks()
        self._store.revision += 1

    def forget(self, item: Item) -> None:
        for user in self._identity.users:
            self._data.pop((user.id, item.id), None)

    def to_json(self, item: Item, data: UserData) -> dict[str, Any]:
        document: dict[str, Any] = {
            "PlaybackPositionTicks": data.position_ticks,
            "PlayCount": data.play_count,
            "IsFavorite": data.is_favorite,
            "Played": data.played,
            "Key": item.id,
            "ItemId": item.id,
        }
        if data.rating is not None:
            document["Rating"] = data.rating
        if data.last_played is not None:
            document["LastPlayedDate"] = data.last_played
        return document
