"""A worker process for the tests of the stores: claims rows as it is told and prints what it did, a line a row."""

import json
import sys
import time

from intake.store.errors import LeaseLost, StoreAway
from intake.store.port import Progress
from intake.store.row import FoundFile, Lane, Step
from tests.support.intake.stores import everywhere, next_row, open_store


def say(*words):
    print(*words, flush=True)


def drain(store, how):
    """Take rows through both lanes until nothing is left; a database that is away is waited for."""
    if how.get("together"):
        wait_for_rows(store)
    idle_since = None
    while idle_since is None or time.monotonic() - idle_since < how.get("patience", 0.5):
        try:
            worked = step(store)
        except (StoreAway, LeaseLost):
            worked = True
            time.sleep(0.05)
        idle_since = None if worked else idle_since or time.monotonic()


def wait_for_rows(store):
    """Say that this worker is there, and wait for the first row as the others do."""
    say("ready")
    while not store.rows():
        time.sleep(0.01)


def step(store):
    for lane in Lane:
        if (row := next_row(store, lane, everywhere)) is None:
            continue
        say("claimed", lane.value, row.id, row.claim_no)
        if lane is Lane.FILES:
            store.place([(row, Progress(step=Step.PLACED, new_path=f"/library/{row.id}", identity=""))])
        else:
            store.complete(row, Progress(step=Step.PICTURED))
        say("done", lane.value, row.id, row.claim_no)
        return True
    return False


def hold(store, _how):
    """Claim a row and keep it until killed."""
    row = next_row(store, Lane.FILES, everywhere)
    say("claimed", row.id, row.claim_no)
    time.sleep(600)


def offer(store, how):
    """Offer files until told otherwise, each until the database has taken it."""
    for number in range(how["count"]):
        while True:
            try:
                store.offer([FoundFile(f"/watch/{how['worker']}-{number}.mp4", f"{how['worker']}:{number}")])
                break
            except StoreAway:
                time.sleep(0.05)
        say("offered", number)


def look(store, _how):
    say("rows", len(store.rows()))


if __name__ == "__main__":
    what = json.loads(sys.argv[1])
    opened = open_store(what, what["worker"], what["host"])
    {"drain": drain, "hold": hold, "offer": offer, "look": look}[what["do"]](opened, what)
    opened.close()
