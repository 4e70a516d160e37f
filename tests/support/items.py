"""Plex items and scenes as values, and what an edit makes of an item."""

from dataclasses import replace

from model.item import Field, Item, ItemType, Part, Tag, TagKind, name_key
from model.scene import SceneFile
from plex.edit import change_of
from validation.metadata import SyncMetadata


def item(values=None, tags=None, locked=(), item_id="1", item_type=ItemType.MOVIE):
    return Item(
        item_id=item_id,
        library_key=2,
        type=item_type,
        values={Field(name): value for name, value in (values or {}).items()},
        tags={TagKind(kind): tuple(map(Tag, names)) for kind, names in (tags or {}).items()},
        locked=frozenset(locked),
        parts=(Part(item_id, 2, "/data/a.mp4", 1, 1.0),),
    )


def scene(**fields):
    defaults = {
        "scene_id": 42,
        "title": "A title",
        "has_own_title": True,
        "files": (SceneFile(path="/data/a.mp4", size=1, duration=1.0),),
    }
    return SyncMetadata(**{**defaults, **fields})


def applied(edit, *, adds=True):
    """Return the item as Plex shows it after the edit, on a server that adds tags or one that replaces lists."""
    if edit is None:
        raise ValueError("nothing to apply")
    now = edit.item
    values, tags, locked = dict(now.values), dict(now.tags), set(now.locked)
    for field in edit.fields:
        values[field.field] = field.value
        (locked.add if field.locked else locked.discard)(field.field.value)
    for tag_edit in edit.tags:
        change = change_of(now, tag_edit)
        gone = {name_key(name) for name in change.remove}
        kept = [tag for tag in now.tags.get(tag_edit.kind, ()) if name_key(tag.name) not in gone] if adds else []
        known = {name_key(tag.name) for tag in kept}
        tags[tag_edit.kind] = (*kept, *(tag for tag in change.add if name_key(tag.name) not in known))
        locked.add(tag_edit.kind.value)
    return replace(now, values=values, tags=tags, locked=frozenset(locked))
