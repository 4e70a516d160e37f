"""What Plex can hold: every field has a lock but the user's own rating, which nobody but that user fills in."""

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
