"""What we remember of a big library: room on disk, and what noting one more picture costs when there are many.

    python bench/ledger.py [--scenes 100000]

Words of so many scenes are recorded as the worker does it, fifty at a time, then their pictures, as a first sync does;
then one scene in ten is edited ten times. Every scene has a text of 300 characters, eight tags and a path of about 90:
more than most have. Real files, every transaction on disk. Ends with 1 if a promise is broken.
"""

import argparse
import hashlib
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from bench.support.promises import Promise, judge  # noqa: E402 - a script finds its packages first
from ledger.baseline import Baseline  # noqa: E402
from ledger.index_store import IndexStore  # noqa: E402
from ledger.records import ItemSync, JournalEntry, PictureRecord, UnfinishedPicture  # noqa: E402
from ledger.states import PictureState  # noqa: E402
from ledger.store import Ledger  # noqa: E402
from model.item import ListedItem, Part  # noqa: E402
from sync.runs import fold_long_histories  # noqa: E402

SCENES, BATCH, PAGE = 100_000, 50, 1_000
SERVER = hashlib.sha1(b"server", usedforsecurity=False).hexdigest()
NOW = 1_700_000_000.0
EDITED_SHARE, EDITS = 10, 10
TEXT_CHARACTERS = 300
WINDOW = 1_000  # scenes at the beginning, and at the end, that are compared
MOST_MEGABYTES, MOST_GROWTH = 200.0, 1.5
LETTERS = "eeeeeeetttttaaaaaooooiiiiinnnnsssshhhhrrrrdddllluuccmmffyywwggppbbvk"


class Library:
    """Scenes made of invented words, as hard to pack as English ones; always the same."""

    def __init__(self) -> None:
        chance = random.Random(7)
        self._words = ["".join(chance.choices(LETTERS, k=chance.randint(2, 9))) for _ in range(3_000)]
        self._weights = [1 / (rank + 3) for rank in range(len(self._words))]

    def sync(self, scene_id: int, edit: int = 0) -> ItemSync:
        chance = random.Random(scene_id)
        title, studio = f"{self._text(chance, 30)} {scene_id}", self._text(chance, 16)
        performers = tuple(self._text(chance, 13) for _ in range(2))
        tags = tuple(self._text(chance, 10) for _ in range(8))
        summary = f"{self._text(chance, TEXT_CHARACTERS)}{edit or ''}"
        scalars = {"title": title, "sort_title": title, "summary": summary, "studio": studio, "date": "2024-05-06"}
        sets = {"performers": performers, "tags": tags, "collection": (studio,)}
        path = f"/data/scenes/{studio}/{studio} - {title} [1080p].mp4"
        return ItemSync(
            scene_id=scene_id,
            item_id=_scattered(scene_id),
            server_id=SERVER,
            path=path,
            fingerprint=hashlib.sha256(f"{scene_id} {edit}".encode()).hexdigest() + "0f" * 8,
            baseline=Baseline(scalars, sets),
            entries=tuple(_entries(scalars, sets, title)) if not edit else (_edit(summary, edit),),
        )

    def _text(self, chance: random.Random, characters: int) -> str:
        words = chance.choices(self._words, self._weights, k=characters // 3)
        return " ".join(words)[:characters].strip()


def _scattered(scene_id: int) -> str:
    """Give an item its key: Plex has found the files in another order than Stash."""
    return str((scene_id * 7_919) % 1_000_003 + 1)


def _entries(scalars: dict[str, str], sets: dict[str, tuple[str, ...]], title: str) -> Iterator[JournalEntry]:
    for field, value in scalars.items():
        yield JournalEntry(field=field, kind="scalar", old=f"{title}.mp4" if "title" in field else "", new=value)
    for field, names in sets.items():
        yield JournalEntry(field=field, kind="set", old=(), new=names)


def _edit(summary: str, edit: int) -> JournalEntry:
    old = summary[: -len(str(edit))] + (str(edit - 1) if edit > 1 else "")
    return JournalEntry(field="summary", kind="scalar", old=old, new=summary, old_locked=True, was_ours=True)


def write_words(ledger: Ledger, library: Library, ids: range) -> None:
    run_id = ledger.journal.begin_run("worker", NOW)
    for start in range(0, len(ids), BATCH):
        syncs = [library.sync(scene_id) for scene_id in ids[start : start + BATCH]]
        ledger.unfinished.announce(syncs)
        ledger.record_syncs(syncs, run_id=run_id, now=NOW)
        fold_long_histories(ledger, [sync.item_id for sync in syncs], SERVER)
    ledger.journal.end_run(run_id, NOW)


def walk(index: IndexStore, library: Library, ids: range) -> None:
    """Index the items as a walk brings them: by key, a thousand a page."""
    in_order = sorted(ids, key=lambda scene_id: int(_scattered(scene_id)))
    for start in range(0, len(in_order), PAGE):
        index.add((_listed(library.sync(scene_id)) for scene_id in in_order[start : start + PAGE]), 1)


def _listed(sync: ItemSync) -> ListedItem:
    return ListedItem(sync.item_id, NOW, NOW, [Part(sync.item_id, "2", sync.path, 1_234_567_890, 1234.567)])


def write_pictures(ledger: Ledger, ids: range) -> list[float]:
    """Note the pictures of all scenes, and return what each scene took."""
    run_id = ledger.journal.begin_run("pictures", NOW)
    seconds: list[float] = []
    for start in range(0, len(ids), BATCH):
        began_at = time.perf_counter()
        records: list[PictureRecord] = []
        arrived: list[tuple[UnfinishedPicture, str]] = []
        for scene_id in ids[start : start + BATCH]:
            intents = [_intent(scene_id, kind) for kind in ("thumb", "art")]
            ledger.pictures.unfinished([intents[0].item_id], SERVER)
            ledger.pictures.announce(intents)
            arrived += [(intent, f"upload://{_endpoint(intent)}/{intent.digest}") for intent in intents]
        records = [_record(intent, key) for intent, key in arrived]
        ledger.journal.last_metadata_run()
        ledger.record_pictures(records, arrived, run_id=run_id, now=NOW)
        fold_long_histories(ledger, {intent.item_id for intent, _ in arrived}, SERVER)
        seconds.append((time.perf_counter() - began_at) / len(ids[start : start + BATCH]))
    ledger.journal.end_run(run_id, NOW)
    return seconds


def _endpoint(intent: UnfinishedPicture) -> str:
    return "posters" if intent.kind == "thumb" else "arts"


def _intent(scene_id: int, kind: str) -> UnfinishedPicture:
    digest = hashlib.sha1(b"%d" % scene_id, usedforsecurity=False).hexdigest()
    frame = hashlib.sha1(b"frame %d" % scene_id, usedforsecurity=False).hexdigest()
    return UnfinishedPicture(
        scene_id=scene_id,
        item_id=_scattered(scene_id),
        server_id=SERVER,
        kind=kind,
        digest=digest,
        old=f"media://{frame[0]}/{frame[1:]}.bundle/Contents/Thumbnails/thumb1.jpg" if kind == "thumb" else "",
        old_locked=False,
        was_ours=False,
    )


def _record(intent: UnfinishedPicture, key: str) -> PictureRecord:
    return PictureRecord(
        scene_id=intent.scene_id,
        kind=intent.kind,
        item_id=intent.item_id,
        server_id=SERVER,
        stamp=f"t={int(NOW) + intent.scene_id}",
        digest=hashlib.sha256(intent.digest.encode()).hexdigest(),
        key=key,
        state=PictureState.SHOWN,
        sentence="",
        at=NOW,
    )


def edit_often(ledger: Ledger, library: Library, ids: range) -> None:
    edited = ids[::EDITED_SHARE]
    for edit in range(1, EDITS + 1):
        run_id = ledger.journal.begin_run("worker", NOW + edit)
        for start in range(0, len(edited), BATCH):
            syncs = [library.sync(scene_id, edit) for scene_id in edited[start : start + BATCH]]
            ledger.record_syncs(syncs, run_id=run_id, now=NOW + edit)
            fold_long_histories(ledger, [sync.item_id for sync in syncs], SERVER)
        ledger.journal.end_run(run_id, NOW + edit)


def megabytes(file: str) -> float:
    return sum(os.path.getsize(file + end) for end in ("", "-wal") if os.path.exists(file + end)) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=SCENES)
    scenes = parser.parse_args().scenes
    ids, library = range(1, scenes + 1), Library()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "ledger.db")
        ledger, index = Ledger(file), IndexStore(file)
        walk(index, library, ids)
        write_words(ledger, library, ids)
        seconds = write_pictures(ledger, ids)
        first_sync = megabytes(file)
        edit_often(ledger, library, ids)
        edited = megabytes(file)
        ledger.close()
        index.close()
    share = max(1, min(WINDOW // BATCH, len(seconds) // 3))
    early, late = (statistics.median(part) * 1e3 for part in (seconds[:share], seconds[-share:]))
    each = first_sync / scenes * 1e6
    print(f"{scenes:,} scenes: {first_sync:.1f} MB after a first sync with pictures, {each:.0f} bytes each;")
    print(f"{edited:.1f} MB after one in {EDITED_SHARE} was edited {EDITS} times.")
    print(f"Noting the pictures of a scene: {early:.2f} ms among the first, {late:.2f} ms among the last.")
    limit = MOST_MEGABYTES * scenes / SCENES
    growth = f"noting a scene's pictures: {late / early:.2f} times as long among {scenes:,} as among the first"
    promises = [
        Promise(f"the ledger of {scenes:,} scenes: {first_sync:.0f} MB", f"under {limit:.0f}", kept=first_sync < limit),
        Promise(growth, f"at most {MOST_GROWTH}", kept=late / early <= MOST_GROWTH),
    ]
    sys.exit(judge(promises))


if __name__ == "__main__":
    main()
