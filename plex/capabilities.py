"""What Plex can hold, and what it calls things: every field has a lock but the user's own rating."""

from collections.abc import Mapping

from model.capabilities import Capabilities
from model.item import Field, ItemType, TagKind
from model.picture import PictureKind

_FIELDS = frozenset(Field) - {Field.STASH_ID}
_PICTURES = frozenset({PictureKind.POSTER, PictureKind.BACKGROUND})

PLEX = Capabilities(
    name="Plex",
    fields=_FIELDS,
    lists=frozenset(TagKind),
    locks=frozenset(one.value for one in (*_FIELDS, *TagKind, *_PICTURES) if one is not Field.USER_RATING),
    pictures=_PICTURES,
    # plexapi finds no editor for these on an episode, and Plex shows none.
    missing={ItemType.EPISODE: frozenset({Field.STUDIO.value, Field.TAGLINE.value, TagKind.GENRE.value})},
    personal=frozenset({Field.USER_RATING}),
)

ELEMENT: Mapping[TagKind, str] = {
    **{kind: kind.value.capitalize() for kind in TagKind},
    TagKind.ACTOR: "Role",
}

TYPE_NUMBER: Mapping[ItemType, int] = {ItemType.MOVIE: 1, ItemType.EPISODE: 4, ItemType.CLIP: 12}
