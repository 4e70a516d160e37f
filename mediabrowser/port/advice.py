"""What in the options of libraries will undo or spill our work: a sentence each, with what to do about it."""

from collections.abc import Iterator, Sequence

from mediabrowser.reading.library import Library
from model.sentences import counted

_FILMS = frozenset({"movies", "mixed", ""})


def advice_on(libraries: Sequence[Library], server: str, *, groups_films: bool) -> Iterator[str]:
    """Look at libraries that we write to; `groups_films`: the server hides films behind their collections."""
    for library in libraries:
        yield from _advice_on(library, server)
    films = ", ".join(f"'{one.name}'" for one in libraries if one.collection_type in _FILMS)
    if groups_films and films:
        yield (
            f"{server} shows films of {films} only inside their collection, so scenes will hide behind their studio's; "
            "switch off 'Group movies into collections' (Dashboard, General or Display), or sync_collection here"
        )


def _advice_on(library: Library, server: str) -> Iterator[str]:
    seen = ", and looks at its folders again each time" if library.watches_folders else ""
    if library.saves_pictures_beside:
        yield (
            f"'{library.name}' saves pictures into the folders of your videos{seen}, where Stash finds them too; "
            "switch off 'Save artwork into media folders' in its options, or let Stash leave pictures out"
        )
    if library.saves_nfo:
        yield (
            f"'{library.name}' writes an NFO file beside the video with every change of ours{seen}, and an older one "
            "can bring old values back; switch off the metadata saver 'Nfo' in its options"
        )
    if library.refresh_days > 0:
        yield (
            f"'{library.name}' asks its providers again every {counted(library.refresh_days, 'day')}, and they "
            f"overwrite what {server} has no lock for (date, pictures); set 'Automatically refresh metadata' to "
            "'Never' in its options"
        )
