"""The quirks of a server: settings of its owner, and a switch for everything that nobody has verified."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True)
class Quirks:
    """Every switch may be thrown while the server runs. The defaults are the harder of two habits."""

    # Settings of the server's owner.

    base_url: str = ""
    """Jellyfin's "Base URL", for instance `/jellyfin`; without it a request is sent on to the web page."""
    legacy_auth: bool | None = None
    """Jellyfin's `EnableLegacyAuthorization`; None is the default of the version."""
    utc_offset_hours: float = 0.0
    """Where the server's clock hangs: a date with an offset is stored as the server's local time."""
    case_sensitive_ids: bool = True
    """Jellyfin's ids tell `A.mp4` from `a.mp4`."""
    path_substitution: tuple[str, str] | None = None
    """Jellyfin shows `Path` with this prefix replaced, `MediaSources[].Path` without."""
    is_in_maintenance: bool = False
    """Emby ≥ 4.9: its owner keeps everybody out for a while, and `/System/Info` says so."""
    groups_into_collections: bool = True
    """Films hide behind their collection for users, unless the query says that they must not."""
    automatic_refresh_seconds: float | None = None
    """When a scan finds an item older than this since its last refresh, the providers run again."""

    # What nobody has verified: each can be either way.

    takes_authorization_header: bool = True
    """Emby 4.x: `Authorization: MediaBrowser Token=…` works."""
    refuses_two_tokens: bool = False
    """Jellyfin: a header of the new kind and one of the old together are a 401."""
    refusal_of_users: Literal[401, 403] = 403
    """Emby: what a user without rights gets."""
    users_may_edit: bool = False
    """Emby 4.9: a user who is no administrator may update items."""
    plain_routes: bool = False
    """Emby: `GET /Library/VirtualFolders` and `GET /Users` exist beside their `/Query` forms."""
    startup_camel_case: bool = True
    """Jellyfin ≥ 10.11: the little server that answers during the start spells its properties `version`, `id`."""
    min_date_last_saved: Literal["nothing", "error"] = "nothing"
    """Jellyfin ≤ 10.10: what the broken filter does."""
    delta_is_inclusive: bool = True
    """Emby: `MinDateLastSaved` includes the very moment."""
    unknown_parent: Literal["everything", "nothing"] = "everything"
    """A well-formed `ParentId` that no folder has: no filter at all, or an empty answer."""
    heeds_parent_beside_path: bool = False
    """Emby: `Path` beside a `ParentId` finds what lies in that folder alone; otherwise it is found wherever it is."""
    source_ids: Literal["prefixed", "guid"] = "prefixed"
    """Emby: what the id of a media source looks like."""
    names_server: bool = True
    """Items tell the id of their server."""
    shows_people: bool = True
    """Emby: a single item comes with `People`; otherwise they are there, and the property is not."""
    shows_etag: bool = True
    """Items tell their Etag."""
    shows_forced_sort_name: bool = True
    """Emby: a single item tells `ForcedSortName`; otherwise only `SortName`."""
    drops_bad_ids: bool = True
    """Emby: `Ids` that are no ids are dropped, as on Jellyfin; otherwise nothing is found."""
    ids_reach_versions: bool = False
    """Jellyfin ≥ 12: an alternate version is found by its own id."""
    lists_versions: bool | None = None
    """Alternate versions stand in lists asked for with a key; None is the habit of the version."""
    ties: Literal["shuffled", "stable"] = "shuffled"
    """Items that sort alike come in another order with every page, or always in the same."""
    sends_unasked: bool = False
    """Emby: a list has dates, ratings and years without being asked for them."""
    settings_in_lists: bool = False
    """Emby: `Fields=Settings` brings the locks into lists; otherwise only the single item has them."""
    tags_beside_tag_items: Literal["missing", "empty", "filled"] = "missing"
    """Emby: what `Tags` is where `TagItems` are."""
    tag_items_is_a_field: bool = False
    """Emby: `Fields=TagItems` does what `Fields=Tags` does."""
    tag_items_win: bool = True
    """Emby: an update with both takes TagItems and GenreItems, not Tags and Genres."""
    sort_name_property: Literal["SortName", "ForcedSortName"] = "SortName"
    """Emby: which of the two an update obeys."""
    missing_people: Literal["wiped", "kept"] = "wiped"
    """Emby: what an update without `People` does to them. Its own editor always sends them; Jellyfin keeps them."""
    single_has_etag: bool = True
    """Emby: the single item tells its Etag; otherwise only a list that is asked for it."""
    shows_empty_locks: bool = True
    """An item without locks has an empty `LockedFields`; otherwise it has none."""
    most_a_page: int | None = None
    """A list never holds more than so many, whatever `Limit` says."""
    tags_add_works: bool = True
    """Emby: `POST /Items/{id}/Tags/Add` takes `{Tags:[{Name}]}`."""
    update_status: Literal[200, 204] = 204
    """Emby: the status of a good update."""
    honours_image_index: bool = False
    """Emby: an upload of a backdrop with an index replaces that one; otherwise it is appended, as on Jellyfin."""
    reencodes_pictures: bool = False
    """A picture comes out in other bytes than it went in."""
    same_name_collection: Literal["emptied", "restored", "second"] = "emptied"
    """Making a collection that is there: its members are gone, come back from its file, or there are two."""
    drops_empty_collections: bool = True
    """Emby: a collection without members cannot be made, and goes with its last one."""
    knows_list_item_ids: bool = True
    """Emby: `ListItemIds` finds the collections of an item."""
    mode_none_unprobed: bool = True
    """Jellyfin: a refresh of a folder with mode None makes items that no provider ever looks at."""
    resets_omitted_booleans: bool = True
    """Emby: user data sent without `Played` marks as unplayed."""
    users_see_no_persons: bool = True
    """Emby ≥ 4.9: a query with a `UserId` finds no person."""
    key_sees_user_data: bool = True
    """Jellyfin: with a key, `/Items?userId=` shows that user's data."""

    # How long things take, and how much there may be.

    max_request_line: int = 8192
    max_body_bytes: int = 30_000_000
    scan_seconds: float = 0.3
    """How long a scan or a folder's refresh takes before the items it found are listed."""
    first_pass_seconds: float = 0.2
    """How long a new item then waits for its first metadata pass, which overwrites what is not locked."""
    monitor_delay_seconds: float | None = None
    """How long after the *last* report `/Library/Media/Updated` acts; None: 60 on Jellyfin, 90 on Emby."""
    database_locked_every: int = 0
    """Jellyfin ≥ 10.11: while a scan runs, every so many writes end in a 500, half done; 0 is never."""
    mtime_seconds: float = 0.0
    """How coarse the times of picture files are: two pictures of the same moment have the same tag."""
    latency_seconds: float = 0.0
    media_sources_seconds: float = 0.0
    """What `Fields=MediaSources` costs for each item."""
    people_seconds: float = 0.0
    """What `Fields=People` costs for each item."""
    keep_alive_seconds: float = 20.0
    compresses: bool = True


Clock = Callable[[], float]
