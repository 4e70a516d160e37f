"""What is done for a file that is in its place: every server shows it, with its metadata and its pictures."""

import logging
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace

from intake.naming.shown import quoted
from intake.patience import decide
from intake.publishing.port import ItemNotIndexed, PicturesFailed, Publisher, PublishError
from intake.publishing.progress import PublishProgress, ServerProgress
from intake.service.file_work import NO_SERVER, OF_A_ROW, Outcome
from intake.service.lease_keeper import LeaseKeeper, Stopping
from intake.service.row_journal import pictures_beside
from intake.sources.work import Work
from intake.store.errors import StoreAway
from intake.store.port import IntakeStore, Progress, Trouble
from intake.store.row import Row, Step

log = logging.getLogger(__name__)

SCAN_WAITS_SECONDS = 2.0
Scanned = frozenset[str] | PublishError
"""The files that a server's next scan will see, or why it was not asked."""


class PublishWork:
    """Rows as they were claimed together: their folders are scanned together. A server that fails holds up no other."""

    def __init__(
        self,
        store: IntakeStore,
        publishers: Sequence[Publisher],
        keeper: LeaseKeeper,
        look_delays: Sequence[float],
        retry_minutes: Sequence[float],
        max_retries: int,
    ) -> None:
        self._store = store
        self._publishers = publishers
        self._keeper = keeper
        self._look_delays = look_delays
        self._patience = (retry_minutes, max_retries)

    def work(self, rows: Sequence[Row]) -> Generator[Outcome]:
        """Publish claimed rows; say of each that it is done, or why not. How far each server came is kept."""
        scanned = {publisher.name: _scan(publisher, rows) for publisher in self._publishers}
        for row in rows:
            try:
                self._publish(row, scanned)
                yield row, None
            except StoreAway:
                raise
            except OF_A_ROW as error:
                yield row, error

    def _publish(self, row: Row, scanned: Mapping[str, Scanned]) -> None:
        progress = PublishProgress.from_json(row.published_json)
        work = Work.from_json(row.metadata_json)
        errors: list[PublishError] = []
        check = self._keeper.still_ours(row)
        for publisher in self._publishers:
            server = progress.of(publisher.name)
            try:
                for server in self._steps(publisher, server, row, work, scanned[publisher.name]):  # noqa: B020 - as far as it came
                    progress = progress.with_server(publisher.name, server)
                    check()
            except Stopping:
                self._store.save(row, _kept(progress))
                raise
            except ItemNotIndexed as error:
                errors.append(error)
                if server.item_id:  # it was there: the server scans, and is looked at, anew
                    progress = progress.with_server(publisher.name, server.anew())
            except PublishError as error:
                errors.append(error)
        self._finish(row, progress, errors)

    def recover(self, row: Row) -> Progress:  # noqa: ARG002 - `work` has kept it
        return Progress()

    def _steps(
        self, publisher: Publisher, server: ServerProgress, row: Row, work: Work, scanned: Scanned
    ) -> Generator[ServerProgress]:
        """Do what is left for one server; yield how far it came after each step."""
        if not server.is_scanned:
            if isinstance(scanned, PublishError):
                raise scanned
            yield (server := replace(server, is_scanned=row.new_path in scanned))
        yield server
        if not server.item_id:
            yield (server := replace(server, looks=server.looks + server.is_scanned))
            is_last = server.looks > len(self._look_delays)
            yield (server := replace(server, item_id=publisher.find(row.new_path, is_last=is_last)))
        if work == Work():  # nothing is known: what the servers show stays as it is
            yield replace(server, is_written=True)
            return
        if not server.is_written:
            wrote = publisher.write(server.item_id, work, row.new_path, server.wrote)
            yield (server := replace(server, is_written=True, wrote=wrote))
        yield from _pictures(publisher, server, work, pictures_beside(row))

    def _finish(self, row: Row, progress: PublishProgress, errors: Sequence[PublishError]) -> None:
        serious = [one for one in errors if not isinstance(one, ItemNotIndexed | PicturesFailed)]
        unseen = [one for one in errors if isinstance(one, ItemNotIndexed)]
        if serious:
            self._store.save(row, _kept(progress))
            raise serious[0]
        if unseen:
            self._look_again(row, progress, unseen[0])
        elif errors:
            self._complete_without_pictures(row, progress, errors[0])
        else:
            self._complete(row, progress)

    def _complete(self, row: Row, progress: PublishProgress) -> None:
        if not self._publishers:
            self._store.complete(row, Progress(), note=NO_SERVER)
            return
        self._store.complete(row, replace(_kept(progress), step=Step.PICTURED))
        log.info("Row %d: %s is shown.", row.id, quoted(row.new_path))

    def _look_again(self, row: Row, progress: PublishProgress, error: ItemNotIndexed) -> None:
        """Let the row wait for the next look; after the last one it is an error, and the servers scan anew."""
        looks = min(one.looks for one in progress.servers.values() if not one.item_id)
        if looks <= len(self._look_delays):
            why = Trouble("not_indexed_yet", f"{error} It is looked for again.")
            delay = self._look_delays[looks - 1] if looks else SCAN_WAITS_SECONDS
            self._store.postpone(row, delay, why, _kept(progress))
            return
        anew = {name: one if one.item_id else one.anew() for name, one in progress.servers.items()}
        self._store.save(row, _kept(PublishProgress(anew)))
        raise error

    def _complete_without_pictures(self, row: Row, progress: PublishProgress, error: PublishError) -> None:
        """Pictures block nothing: the row is complete, and they are tried again by themselves."""
        decision = decide(error, row, *self._patience)
        kept = replace(_kept(progress), step=Step.WRITTEN, attempts=decision.attempts)
        self._store.complete(row, kept, pictures_in=decision.delay, note=decision.why)


def _scan(publisher: Publisher, rows: Sequence[Row]) -> Scanned:
    """Have a server look at all files that it has not been asked for; they are all in their place by now."""
    progress = {row.new_path: PublishProgress.from_json(row.published_json).of(publisher.name) for row in rows}
    paths = [path for path, server in progress.items() if not server.is_scanned]
    try:
        return publisher.scan(paths) if paths else frozenset()
    except PublishError as error:
        return error


def _pictures(
    publisher: Publisher, server: ServerProgress, work: Work, came_along: frozenset[str]
) -> Generator[ServerProgress]:
    """Show the pictures that are not shown yet; one that fails keeps the others from nothing."""
    failed: list[PicturesFailed] = []
    for place in publisher.places:
        if place in server.shown:
            continue
        try:
            shown = server.pictures.get(place, "")
            mark = publisher.show_picture(server.item_id, work, place, shown, came_along=place in came_along)
        except PicturesFailed as error:
            failed.append(error)
            continue
        yield (server := replace(server, pictures={**server.pictures, place: mark}, shown=(*server.shown, place)))
    if failed:
        raise PicturesFailed(" ".join(dict.fromkeys(str(one) for one in failed)))


def _kept(progress: PublishProgress) -> Progress:
    servers = progress.servers.values()
    step = None
    if servers and all(one.item_id for one in servers):
        step = Step.WRITTEN if all(one.is_written for one in servers) else Step.INDEXED
    return Progress(step=step, published_json=progress.to_json(), emby_item_id=progress.item_id or None)
