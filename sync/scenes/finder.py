"""Finding a scene's item: what was matched is verified by what the server shows, and what is ours on it is known."""

from collections.abc import Sequence

from ledger.baseline import Baseline
from ledger.records import ItemRecord, SceneRecord
from ledger.store import Ledger
from model.errors import ItemGone
from model.item import Item, same_text
from model.match import Match, MatchConfidence, MatchRule
from model.scene import SceneFile
from plan.fields import FIELDS
from plan.forms import as_sent, may_be_form, read_back, text_as_sent
from sync.connection import BoundTarget
from sync.scenes.decide import holds


def verify(files: Sequence[SceneFile], found: Match, shown: Item | None, target: BoundTarget) -> tuple[Match, Item]:
    """Return the matched item if it still holds the matched file: its id may have become another's since.

    Otherwise the files are looked for once more, but not what a person chose. Raises ItemGone if there is no such item.
    """
    assert found.item_id is not None
    if shown is not None and holds(shown, found):
        return found, shown
    if found.rule is MatchRule.PINNED:
        raise ItemGone(f"The item that was chosen by hand ({found.item_id}) is gone from {target.name}.")
    for file in files:
        target.index.find_again(found.item_id, target.path_map.to_target(file.path))
    again = target.find(files)
    if again.item_id is not None and again.part is not None and again.confidence is MatchConfidence.HIGH:
        fresh = target.client.details_of(again.item_id)
        if holds(fresh, again):
            return again, fresh
    raise ItemGone(f"Not in {target.name} yet: its item ({found.item_id}) is gone, and its file is in no other.")


def known_baseline(record: SceneRecord | None, shown: Item, server_id: str, ledger: Ledger, now: float) -> Baseline:
    """Return what we wrote to this item, for this scene or for one that had it before: a merge hands items on.

    One rebuilt under a new id, or on another server, starts without.
    """
    if record is not None and (record.item_id, record.server_id) == (shown.item_id, server_id):
        return seen_again(record.baseline, shown, server_id, ledger, now)
    known = ledger.items.get(shown.item_id, server_id)
    is_known = known is not None and is_same(known, shown)
    return seen_again(known.baseline, shown, server_id, ledger, now) if known and is_known else Baseline()


def is_same(known: ItemRecord, shown: Item) -> bool:
    """Tell an item that we wrote to from a later one of its id: it has the file, or shows still all that we wrote."""
    if any(part.path == known.path for part in shown.parts):
        return True
    written = {name: ours for name, ours in known.baseline.scalars.items() if ours and name in FIELDS}
    texts = shown.texts()
    return bool(written) and all(
        same_text(text_as_sent(known.baseline, name, texts), ours) for name, ours in written.items()
    )


def seen_again(baseline: Baseline, shown: Item, server_id: str, ledger: Ledger, now: float) -> Baseline:
    """Return what is ours, with what the server made of it; a worker may have died before it read that back.

    Long after the write nobody can tell that from what a person made of it: then only what was sent is ours.
    """
    if not baseline.unread:
        return baseline
    written = ledger.items.get(shown.item_id, server_id)
    if written is None or not may_be_form(written.at, now):
        return as_sent(baseline)
    return read_back(baseline, shown, ledger.journal.entries_of_items([shown.item_id], server_id))
