"""Every part that must work, looked at: each is well, or says what to do."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from intake.naming.shown import quoted
from intake.publishing.port import PublishError
from intake.sources.port import SourceError
from intake.store.errors import StoreError
from intake.store.row import Status
from intake.watching.root import Root, empty_sentence
from intake.watching.watch import do_events_arrive
from intake.wiring import (
    NEEDED_TO_RUN,
    WrongSettings,
    load_packages,
    make_publishers,
    make_sources,
    open_store,
    read_intake_settings,
    require,
)
from runtime.folder import DataFolder
from runtime.lock import is_held
from runtime.packages import PackagesMissing
from runtime.state_file import read_state, read_text
from validation.intake_config import IntakeConfig
from validation.json_shapes import as_list

LITTLE_ROOM_BYTES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """One part. `is_ok` None: nothing is wrong, and something could be better."""

    name: str
    is_ok: bool | None
    sentence: str


def examine(folder: DataFolder) -> Iterator[Check]:
    """Look at the parts one after the other; what needs a part that failed is left out."""
    settings = read_intake_settings(folder)
    try:
        config = require(settings, *NEEDED_TO_RUN)
        yield Check("settings", is_ok=True, sentence="All settings can be used.")
    except WrongSettings as error:
        for line in str(error).splitlines():
            yield Check("settings", is_ok=False, sentence=line)
        config = settings.config
    yield from _unknown_names(folder)
    yield from _packages(folder, config)
    yield from _store(folder, config)
    yield from _watched(config)
    yield from _destination(config)
    yield from _sources(folder, config)
    yield from _servers(folder, config)
    yield from _service(folder)


def _unknown_names(folder: DataFolder) -> Iterator[Check]:
    """Name what stands in the file and is no setting. Only here: who knows all names is three times as large as we."""
    try:
        from validation.config import read_settings_file  # noqa: PLC0415 - as above

        _, problems = read_settings_file(read_text(folder.settings_file))
    except ImportError:  # its packages are not there; nobody needs them to run
        return
    for sentence in problems:
        yield Check("settings", is_ok=None, sentence=sentence)


def _packages(folder: DataFolder, config: IntakeConfig) -> Iterator[Check]:
    try:
        load_packages(folder, config)
    except PackagesMissing as problem:
        yield Check("packages", is_ok=False, sentence=str(problem))


def _store(folder: DataFolder, config: IntakeConfig) -> Iterator[Check]:
    where = "PostgreSQL" if config.uses_postgres else folder.intake_dir
    try:
        counts = _counts(folder, config)
    except (StoreError, ImportError) as error:
        yield Check("database", is_ok=False, sentence=str(error))
        return
    total, failed = sum(counts.values()), counts[Status.ERROR]
    yield Check("database", is_ok=True, sentence=f"{where} has {total:,} rows, {failed:,} of them in error.")
    watched = Root(config.watch_dir, config.watch_anchor)
    waiting = sum(counts[one] for one in (Status.PENDING, Status.PROCESSING, Status.ERROR))
    if waiting and config.watch_dir and not watched.trouble() and watched.may_be_unmounted():
        text = f"{empty_sentence(watched)} Rows that wait for files there: {waiting:,}."
        yield Check("watched folder", is_ok=False, sentence=text)


def _counts(folder: DataFolder, config: IntakeConfig) -> Mapping[Status, int]:
    store = open_store(folder, config, "doctor")
    try:
        return store.counts()
    finally:
        store.close()


def _watched(config: IntakeConfig) -> Iterator[Check]:
    if not config.watch_dir:
        return
    root = Root(config.watch_dir, config.watch_anchor)
    if trouble := root.trouble():
        yield Check("watched folder", is_ok=False, sentence=trouble)
        return
    yield _writable("watched folder", root, "Files cannot be moved away from it.")
    if do_events_arrive(config.watch_dir):
        yield Check("events", is_ok=True, sentence="New files are heard of at once.")
    elif find_spec("watchdog") is None:
        text = "watchdog is not installed, so the folder is looked at every ten seconds. Try: pip install watchdog"
        yield Check("events", is_ok=None, sentence=text)
    else:
        text = "No events arrive from this folder, as on network drives; it is looked at every ten seconds."
        yield Check("events", is_ok=None, sentence=text)


def _destination(config: IntakeConfig) -> Iterator[Check]:
    if not config.destination_dir:
        return
    root = Root(config.destination_dir, config.destination_anchor)
    if trouble := root.trouble():
        yield Check("destination", is_ok=False, sentence=trouble)
        return
    yield _writable("destination", root, "No file can be brought there.")
    free = shutil.disk_usage(root.path).free
    if free < LITTLE_ROOM_BYTES:
        text = f"{quoted(root.path)} has only {free / 1e6:,.0f} MB left."
        yield Check("room", is_ok=False, sentence=text)
    if os.path.isdir(config.watch_dir) and os.stat(root.path).st_dev != os.stat(config.watch_dir).st_dev:
        text = "It is on another device than the watched folder: files are copied, and take as long as that does."
        yield Check("device", is_ok=None, sentence=text)


def _writable(name: str, root: Root, otherwise: str) -> Check:
    try:
        with tempfile.TemporaryFile(prefix=".stash2plex-doctor-", dir=root.path):
            pass
    except OSError as error:
        text = f"{quoted(root.path)} cannot be written to ({error.strerror}). {otherwise} Check its owner and rights."
        return Check(name, is_ok=False, sentence=text)
    return Check(name, is_ok=True, sentence=f"{quoted(root.path)} is there and can be written to.")


def _sources(folder: DataFolder, config: IntakeConfig) -> Iterator[Check]:
    try:
        sources = make_sources(folder, config)
    except ImportError as error:
        yield Check("sources", is_ok=False, sentence=str(error))
        return
    for source in sources:
        yield _asked(f"source {source.name}", source.check)
        source.close()
    if not any(source.name != "sidecar" for source in sources):
        text = "No source is set but sidecars. Set API_BASE_URL, or STASH2PLEX_STASH_URL."
        yield Check("sources", is_ok=None, sentence=text)


def _servers(folder: DataFolder, config: IntakeConfig) -> Iterator[Check]:
    try:
        publishers = make_publishers(folder, config)
    except (ImportError, WrongSettings) as error:
        yield Check("servers", is_ok=False, sentence=str(error))
        return
    for publisher in publishers:
        yield _asked(f"server {publisher.name}", publisher.check)
        publisher.close()
    if not publishers:
        text = "No server is set; files are only brought to their place."
        yield Check("servers", is_ok=None, sentence=text)


def _asked(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, is_ok=True, sentence=check())
    except (SourceError, PublishError) as error:
        return Check(name, is_ok=False, sentence=str(error))


def _service(folder: DataFolder) -> Iterator[Check]:
    if not is_held(folder.intake_lock):
        yield Check("service", is_ok=None, sentence="The service does not run here. Start it with: intake run")
        return
    obstacles = as_list(read_state(folder.intake_state).get("obstacles")) or []
    for obstacle in obstacles:
        yield Check("service", is_ok=False, sentence=str(obstacle))
    if not obstacles:
        yield Check("service", is_ok=True, sentence="The service runs, and nothing is in its way.")
