"""An item as the server shows it: which properties come unasked, which only by name, and which never."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha1
from typing import Any

from sim.mediabrowser.web.exchange import Json, Refused, Request
from sim.mediabrowser.world.records import Item, MediaFile, User, name_of, stem_of
from sim.mediabrowser.world.world import World

_SCALARS = [
    "Name",
    "PremiereDate",
    "EndDate",
    "CriticRating",
    "OfficialRating",
    "ProductionYear",
    "IndexNumber",
    "ParentIndexNumber",
    "AspectRatio",
    "Video3DFormat",
    "DisplayOrder",
    "OriginalLanguage",
    "Album",
]
_SCALAR_FIELDS = ("Overview", "OriginalTitle", "CustomRating", "DateCreated")
_SETTINGS = ("ForcedSortName", "PreferredMetadataLanguage", "PreferredMetadataCountryCode")
_AIRS = ("AirsAfterSeasonNumber", "AirsBeforeEpisodeNumber", "AirsBeforeSeasonNumber")
_EMBY_UNASKED = frozenset({"Name", "IndexNumber", "ParentIndexNumber"})
_EMBY_MORE = ("SortIndexNumber", "SortParentIndexNumber")


@dataclass(frozen=True, slots=True)
class View:
    """What is wanted of items. `fields` has lower-case names; None is everything, as for a single item."""

    fields: frozenset[str] | None
    excluded: frozenset[str] = frozenset()
    user: User | None = None
    has_images: bool = True
    has_user_data: bool = True
    is_misunderstood: bool = False
    """The items come as an answer to a question that the server did not understand."""

    @property
    def is_single(self) -> bool:
        return self.fields is None

    def has(self, name: str) -> bool:
        name = name.lower()
        return name not in self.excluded and (self.fields is None or name in self.fields)


def list_view(request: Request, user: User | None) -> View:
    fields = frozenset(word.lower() for word in request.words("Fields"))
    return View(
        fields,
        user=user,
        has_images=request.flag("EnableImages") is not False,
        has_user_data=request.flag("EnableUserData") is not False,
    )


def single_view(request: Request, user: User | None) -> View:
    excluded = frozenset(word.lower() for word in request.words("ExcludeFields"))
    return View(None, excluded, user)


def item_json(world: World, item: Item, view: View) -> Json:
    """Show an item. Null is never written. Raises Refused where a half update has left it unreadable."""
    is_emby = world.identity.flavour.is_emby
    shown = _emby(world, item, view) if is_emby else _jellyfin(world, item, view)
    shown.update(_common(world, item, view))
    if view.user is not None and view.has_user_data:
        shown["UserData"] = world.user_data.to_json(item, world.user_data.of(view.user, item))
    if not world.quirks.shows_etag or (is_emby and view.is_single and not world.quirks.single_has_etag):
        shown.pop("Etag", None)
    if not world.quirks.shows_empty_locks:
        shown["LockedFields"] = shown.get("LockedFields") or None
    if is_emby and not world.quirks.shows_people:
        shown.pop("People", None)
    if is_emby and not world.quirks.shows_forced_sort_name:
        shown.pop("ForcedSortName", None)
    kept = {name: value for name, value in shown.items() if value is not None}
    if view.is_misunderstood:
        world.witness.note_stranger(item)
    else:
        known = {"LockedFields"} & shown.keys()  # one that is left out because it is empty is known as well
        world.witness.note_shown(item, frozenset(kept) | known)
    return kept


def _common(world: World, item: Item, view: View) -> Json:
    shown: Json = {"Id": item.id, "Type": item.kind, "IsFolder": item.is_folder}
    shown["ServerId"] = world.identity.server_id if world.quirks.names_server else None
    if item.is_video or world.identity.flavour.is_jellyfin:
        shown["MediaType"] = "Video" if item.is_video else "Unknown"
    shown.update((name, item.values.get(name)) for name in _SCALAR_FIELDS if view.has(name))
    shown.update((name, read(world, item)) for name, read in _FIELDS.items() if view.has(name))
    if view.has_images:
        shown.update(_images(world, item))
    if item.is_video:
        shown.update(_video(world, item, view))
    return shown


def _video(world: World, item: Item, view: View) -> Json:
    shown: Json = {"ExtraType": item.extra_type or None}
    if item.is_probed and item.files:
        shown["RunTimeTicks"] = _run_time(item.files[0])
        shown["Container"] = item.path.rpartition(".")[2]
    if len(item.files) > 1:
        shown["PartCount"] = len(item.files)
    if view.has("MediaSources"):
        shown["MediaSources"] = _media_sources(world, item)
    return shown


def _jellyfin(world: World, item: Item, view: View) -> Json:
    values = item.values
    shown: Json = {name: values.get(name) for name in _SCALARS}
    shown["CommunityRating"] = values.get("CommunityRating") or None
    shown["LocationType"] = "FileSystem"
    if view.has("Settings"):
        shown.update(_settings(item))
    if view.has("Tags"):
        shown["Tags"] = item.names("Tags")
    if view.has("Genres"):
        if values.get("Genres", ()) is None:
            raise Refused(500, text="Object reference not set to an instance of an object.")
        shown["Genres"] = item.names("Genres")
        shown["GenreItems"] = _pairs(world, "Genre", item.names("Genres"))
    if view.has("Studios"):
        shown["Studios"] = _pairs(world, "Studio", item.names("Studios"))
    if view.has("Path") and item.path:
        shown["Path"] = _substituted(world, item.path)
    if item.is_video:
        shown.update(_jellyfin_video(world, item, view))
    return shown


def _jellyfin_video(world: World, item: Item, view: View) -> Json:
    shown: Json = {"VideoType": item.video_type}
    if view.has("SpecialEpisodeNumbers") and item.kind == "Episode":
        shown.update((name, item.values.get(name)) for name in _AIRS)
    sources = 1 + len(_other_versions(world, item))
    if view.has("MediaSourceCount") and sources != 1:
        shown["MediaSourceCount"] = sources
    return shown


def _emby(world: World, item: Item, view: View) -> Json:
    quirks = world.quirks
    unasked = view.is_single or quirks.sends_unasked
    names = [name for name in (*_SCALARS, "CommunityRating") if unasked or name in _EMBY_UNASKED or view.has(name)]
    shown: Json = {name: item.values.get(name) for name in names if name not in ("AspectRatio", "OriginalLanguage")}
    if view.is_single or (quirks.settings_in_lists and view.has("Settings")):
        shown.update(_settings(item))
        shown.update((name, item.values.get(name)) for name in _EMBY_MORE)
    if view.has("Tags") or (quirks.tag_items_is_a_field and view.has("TagItems")):
        shown["TagItems"] = _numbered_pairs(world, "Tag", item.names("Tags"))
        if quirks.tags_beside_tag_items != "missing":
            shown["Tags"] = item.names("Tags") if quirks.tags_beside_tag_items == "filled" else []
    if view.has("Genres"):
        shown["Genres"] = item.names("Genres")
        shown["GenreItems"] = _numbered_pairs(world, "Genre", item.names("Genres"))
    if view.has("Studios"):
        shown["Studios"] = _numbered_pairs(world, "Studio", item.names("Studios"))
    if view.has("Path"):
        shown["Path"] = item.path or None
    if item.files:
        shown.update(_emby_file(world, item, view))
    return shown


def _emby_file(world: World, item: Item, view: View) -> Json:
    shown: Json = {}
    if view.has("Size"):
        shown["Size"] = item.files[0].size
    if view.has("FileName"):
        shown["FileName"] = name_of(item.path)
    if view.has("DateModified") and world.identity.flavour.is_emby_since(4, 9):
        shown["DateModified"] = item.values.get("DateCreated")
    return shown


def _settings(item: Item) -> Json:
    shown: Json = {name: item.values.get(name) for name in _SETTINGS}
    return {**shown, "LockData": bool(item.values.get("LockData")), "LockedFields": item.names("LockedFields")}


def _locations(_world: World, item: Item) -> list[str] | None:
    places = item.names("ProductionLocations")
    return places if places or item.kind == "Movie" else None


def _people(world: World, item: Item) -> list[Json]:
    """Jellyfin shows only those who have an entity; the others are there, and nobody sees them."""
    shown: list[Json] = []
    for credit in item.people:
        person = world.people.find(credit.name) if credit.has_entity else None
        if person is None and world.identity.flavour.is_emby:
            shown.append({"Name": credit.name, "Role": credit.role, "Type": credit.type})
        if person is not None:
            entry = {"Name": credit.name, "Id": person.id, "Role": credit.role, "Type": credit.type}
            if primary := person.pictures_of("Primary"):
                entry["PrimaryImageTag"] = world.pictures.tag(person, primary[0])
            shown.append(entry)
    return shown


def _images(world: World, item: Item) -> Json:
    tags = {one.type: world.pictures.tag(item, one) for one in item.pictures if one.type != "Backdrop"}
    return {
        "ImageTags": tags,
        "BackdropImageTags": [world.pictures.tag(item, one) for one in item.pictures_of("Backdrop")],
    }


def _media_sources(world: World, item: Item) -> list[Json]:
    return [_media_source(world, one) for one in (item, *_other_versions(world, item))]


def _other_versions(world: World, item: Item) -> list[Item]:
    if not item.versions and not item.primary_id:
        return []
    first = world.store.items.get(item.primary_id, item)
    return [
        world.store.items[one] for one in (first.id, *first.versions) if one != item.id and one in world.store.items
    ]


def _media_source(world: World, item: Item) -> Json:
    """Jellyfin follows symbolic links here, and only here."""
    is_emby, file = world.identity.flavour.is_emby, item.files[0]
    streams: list[Json] = [{"Type": "Video", "Index": 0, "Codec": "h264", "IsDefault": True}] if item.is_probed else []
    source: Json = {
        "Protocol": "File",
        "Id": _source_id(world, item),
        "Path": file.path if is_emby else file.target or file.path,
        "Type": "Default",
        "Container": item.path.rpartition(".")[2],
        "Size": file.size,
        "Name": stem_of(item.path),
        "IsRemote": False,
        "MediaStreams": streams,
    }
    if is_emby and world.quirks.source_ids == "prefixed":
        source["ItemId"] = item.id
    if item.is_probed:
        source["RunTimeTicks"] = _run_time(file)
    return source


def _source_id(world: World, item: Item) -> str:
    if world.identity.flavour.is_jellyfin:
        return item.id
    return f"mediasource_{item.id}" if world.quirks.source_ids == "prefixed" else f"{int(item.id):032x}"


def _run_time(file: MediaFile) -> int:
    return round(file.duration_seconds * 10_000_000)


def _pairs(world: World, kind: str, names: Sequence[str]) -> list[Json]:
    return [{"Name": name, "Id": world.store.entity_id(kind, name)} for name in names]


def _numbered_pairs(world: World, kind: str, names: Sequence[str]) -> list[Json]:
    return [{"Name": name, "Id": int(world.store.entity_id(kind, name))} for name in names]


def _substituted(world: World, path: str) -> str:
    if world.quirks.path_substitution is None:
        return path
    old, new = world.quirks.path_substitution
    return new + path[len(old) :] if path.startswith(old) else path


_FIELDS: dict[str, Callable[[World, Item], Any]] = {
    "Etag": lambda world, item: world.store.etag(item),
    "SortName": lambda world, item: world.store.sort_name(item),
    "ParentId": lambda _, item: item.parent_id or None,
    "ProviderIds": lambda _, item: item.values.get("ProviderIds", {}),
    "Taglines": lambda _, item: item.names("Taglines"),
    "ProductionLocations": _locations,
    "People": _people,
}
"""What both servers show by the same name when it is asked for."""


def whole_item(world: World, item: Item) -> Json:
    """Write down everything that the server holds of an item, but not when it was saved: for before and after."""
    document: Json = {name: value for name, value in sorted(item.values.items()) if value is not None}
    document["People"] = [{"Name": one.name, "Role": one.role, "Type": one.type} for one in item.people]
    document["Id"], document["Type"], document["Path"] = item.id, item.kind, item.path
    document["Files"] = [file.path for file in item.files]
    document["Pictures"] = [
        {
            "Type": one.type,
            "Path": one.path,
            "Origin": str(one.origin),
            "Sha1": sha1(one.content, usedforsecurity=False).hexdigest(),
        }
        for one in item.pictures
    ]
    document["Members"] = list(item.members)
    document["Collections"] = sorted(one.id for one in world.collections.holding(item.id))
    document["IsProbed"] = item.is_probed
    return document
