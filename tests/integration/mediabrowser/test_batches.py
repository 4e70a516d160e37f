"""Many items written one after the other: a person's edit in between is noticed, and that costs next to nothing."""

import pytest

from mediabrowser.dialect import Product
from mediabrowser.port.documents import SURE_WRITES
from mediabrowser.target import MediaBrowserTarget
from model.change import FieldEdit, ItemChange
from model.errors import ItemChanged
from model.item import Field
from tests.integration.sim.mediabrowser_http import EMBY

COUNT = 50


@pytest.fixture
def batch(start, flavour, tmp_path):
    """A server, a target whose clock stands, and a change for each of fifty items that were just read."""
    server, client = start(flavour, COUNT)
    product = Product.EMBY if flavour in EMBY else Product.JELLYFIN
    target = MediaBrowserTarget(client, product, str(tmp_path), lambda: 0.0, collections=False)
    target.server()
    server.journal.clear()
    items = target.details(server.item_ids()[:COUNT])
    changes = [ItemChange(item, fields=(FieldEdit(Field.TITLE, "Ours"),)) for item in items.values()]
    target.prepare(changes)
    return server, target, changes


def test_a_batch_costs_a_read_for_every_twenty_writes(batch, flavour):
    server, target, changes = batch
    for change in changes:
        target.edit(change)
    counts = server.journal.counts()
    assert counts.pop("update") == COUNT
    # All at once, a question before each twenty writes, and once a look whether locks are kept; the libraries.
    expected = (
        {"details": 3, "single": COUNT + 1, "users": 1} if flavour in EMBY else {"details": 5, "configuration": 1}
    )
    assert counts == {"libraries": 1, **expected}


def test_an_edit_is_noticed_that_came_more_than_twenty_writes_before_ours(batch):
    server, target, changes = batch
    last = changes[-1].item.item_id
    server.after("update", lambda: server.edit_by_person(last, Overview="Hers"), nth=COUNT - SURE_WRITES - 1)
    for change in changes[:-1]:
        target.edit(change)
    with pytest.raises(ItemChanged):
        target.edit(changes[-1])
    assert server.item_json(last)["Overview"] == "Hers"


def test_an_item_written_alone_is_read_right_before(batch):
    server, target, changes = batch
    target.prepare(changes[:1])
    server.edit_by_person(changes[0].item.item_id, Overview="Hers")
    with pytest.raises(ItemChanged):
        target.edit(changes[0])
