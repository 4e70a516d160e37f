"""What Plex calls things in its answers and its requests."""

from collections.abc import Mapping

from model.item import ItemType, TagKind

ELEMENT: Mapping[TagKind, str] = {
    **{kind: kind.value.capitalize() for kind in TagKind},
    TagKind.ACTOR: "Role",
}

TYPE_NUMBER: Mapping[ItemType, int] = {ItemType.MOVIE: 1, ItemType.EPISODE: 4, ItemType.CLIP: 12}
