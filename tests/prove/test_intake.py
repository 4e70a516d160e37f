"""A thousand files through everything: two machines, one PostgreSQL, two servers, and each of them killed at random.

Afterwards every file is on the disk exactly once, every row is completed or says why not, both servers show what is
completed and nothing twice, and undo brings all back byte for byte. `INTAKE_FILES` says how many there are,
`INTAKE_SEED` which accidents.
"""

import contextlib
import os
import random
import shutil
import signal
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from intake.actions.undo import CannotUndo, undo
from intake.moving.plan import Destination
from intake.service.file_plan import Rules
from intake.store.postgres_store import PostgresStore
from intake.store.row import Status
from intake.watching.root import Root
from sim.mediabrowser import faults
from sim.mediabrowser.controls.real_folder import RealFolder
from sim.mediabrowser.server import SimMediaBrowser
from sim.wordpress.server import SimWordPress
from sim.wordpress.works import make_work
from tests.support.intake.postgres import PostgresServer
from tests.support.intake.process import IntakeInstallation

FILES = int(os.environ.get("INTAKE_FILES", "1000"))
SEED = int(os.environ.get("INTAKE_SEED", "17"))
HOSTS = ("nas", "laptop")
FREEZE_SECONDS = 65.0  # longer than a lease
LATEST_SECONDS = 1500.0
EXPECTED_ERRORS = {"unknown", "no_code"}
AWKWARD = max(30, FILES // 10)
PLACES = ("Primary", "Backdrop", "Banner")


class Household:
    """Two machines that share a folder, a database, and the servers that they tell."""

    def __init__(self, folder, library, stack, dice, **more):
        self.dice = dice
        self.library = library
        self.watch = folder / "watch"
        self.watch.mkdir()
        self.database = stack.enter_context(PostgresServer())
        self.site = stack.enter_context(SimWordPress())
        self.emby = stack.enter_context(SimMediaBrowser("emby-4.9", 0))
        self.jellyfin = stack.enter_context(SimMediaBrowser("jellyfin-10.11", 0))
        self.name = self.database.new_database()
        for server in (self.emby, self.jellyfin):
            RealFolder(server, str(library))
        settings = {
            "EMBY_BASE_URL": self.emby.url,
            "EMBY_API_KEY": self.emby.api_key,
            "JELLYFIN_BASE_URL": self.jellyfin.url,
            "JELLYFIN_API_KEY": self.jellyfin.api_key,
            "EMBY_SCAN_RETRY_DELAYS": "0.5,1,2,4,8",
            "DATABASE_URL": self.database.url(self.name),
            **more,
        }
        self.machines = [
            IntakeInstallation(folder / host, self.site, host=host, watch=self.watch, library=library, **settings)
            for host in HOSTS
        ]
        for machine in self.machines:
            stack.callback(machine.kill)
        self.contents = {}
        self.accidents = Counter()

    def drop(self, number):
        """Drop one work: most are known, some are not, some have subtitles, some come in two parts."""
        code = f"KILL-{number:04d}"
        names = [f"{code}-cd1.mp4", f"{code}-cd2.mp4"] if number % 25 == 1 else [f"{code}.mp4"]
        if number % 50 == 3:
            names = [f"holiday {number:04d} in the mountains.mp4".replace(f"{number:04d}", chr(97 + number % 26) * 5)]
            names = [f"{name[:-4]} {'x' * (number // 50)}.mp4" for name in names]
        elif number % 40 != 7:
            picture = f"{self.site.origin}/wp-content/{code}.jpg"
            performers = [f"Performer {number % 20}"]
            self.site.add(
                code, make_work(code, number, actress=performers, title=f"Story {number}", image_cropped=picture)
            )
        sidecars = [f"{names[0][:-4]}.srt"] if number % 10 == 0 else []
        for name in (*sidecars, *names):
            content = f"{name} ".encode() + self.dice.randbytes(self.dice.randrange(100, 40_000))
            self.contents[name] = content
            (self.watch / name).write_bytes(content)

    def put(self, name, content):
        """Drop one file of these bytes, at once."""
        self.contents[name] = content
        (self.watch / name).parent.mkdir(exist_ok=True)
        (self.watch / name).write_bytes(content)

    def put_slowly(self, name, content):
        """Drop a file that another program has open meanwhile."""
        self.contents[name] = content
        with (self.watch / name).open("wb") as writer:
            for half in (content[: len(content) // 2], content[len(content) // 2 :]):
                writer.write(half)
                writer.flush()
                time.sleep(0.8)

    def put_twice(self, name, content):
        """Drop a file, and put another one in its place before the first is finished."""
        self.contents[name] = content
        with (self.watch / name).open("wb") as writer:
            writer.write(b"what is given up again")
            writer.flush()
            time.sleep(0.8)
            (self.watch / f"{name}.part").write_bytes(content)
            os.replace(self.watch / f"{name}.part", self.watch / name)

    def drop_awkward(self, number):
        """Drop a work that comes twice, in two qualities with equal subtitles, slowly, changed, or plainly."""
        code = f"KILL-{number:04d}"
        work = make_work(code, number, actress=[f"Performer {number % 7}"], title=f"Story {number}")
        self.site.add(code, work)
        film = f"{code} ".encode() + self.dice.randbytes(self.dice.randrange(100, 40_000))
        words = b"equal words"
        match number % 6:
            case 0:
                self.put(f"{code}.mp4", film)
                self.put(f"again {number}/{code}.mp4", film)
            case 1:
                self.put(f"{code}.srt", words)
                self.put(f"{code}.mp4", film)
                self.put(f"better {number}/{code}.srt", words)
                self.put(f"better {number}/{code}.mp4", film + b"better")
            case 2:
                self.put_twice(f"{code}.mp4", film)
            case 3:
                self.put(f"{code}.mp4", film)
                self.put_slowly(f"{code}.srt", words + film)
            case 4:
                self.put(f"{code}-cd1.mp4", film)
                self.put_slowly(f"{code}-cd2.mp4", film + b"second")
            case _:
                self.put(f"{code}.mp4", film)

    # --- accidents ----------------------------------------------------------------------------------------------

    def accident(self):
        kind = self.dice.choice(("machine", "machine", "machine", "database", "server", "server", "site", "faults"))
        self.accidents[kind] += 1
        getattr(self, f"_{kind}")()

    def _machine(self):
        machine = self.dice.choice(self.machines)
        machine.kill()
        time.sleep(self.dice.uniform(0, 3))
        machine.start()

    def _database(self):
        self.database.stop()
        time.sleep(self.dice.uniform(0, 1.5))
        self.database.start()

    def _server(self):
        server = self.dice.choice((self.emby, self.jellyfin))
        server.stop()
        time.sleep(self.dice.uniform(0, 1.5))
        if self.dice.random() < 0.3:
            server.restart()
            server.set_phase("running")
        server.start()

    def _site(self):
        self.site.stop()
        time.sleep(self.dice.uniform(0, 1.5))
        self.site.start()

    def _faults(self):
        server = self.dice.choice((self.emby, self.jellyfin))
        for fault in (faults.LOST_BY_RESET, faults.RESET, faults.DATABASE_LOCKED, faults.BAD_GATEWAY):
            server.faults.add(fault, kind=self.dice.choice(("update", "upload", "refresh", "changes")), times=2)

    def drop_and_perhaps_more(self, number, works):
        """Drop a work, and now and then let something happen meanwhile."""
        self.drop(number)
        if number % max(1, works // 40) == 0:
            self.accident()

    def freeze(self, machine):
        """Let a machine sleep for longer than its leases last; what it does on waking is too late."""
        self.accidents["frozen"] += 1
        machine.service.send_signal(signal.SIGSTOP)
        self.machines.remove(machine)

    def wake(self, machine):
        machine.service.send_signal(signal.SIGCONT)
        self.machines.append(machine)

    # --- looking ------------------------------------------------------------------------------------------------

    def hurry(self):
        """Let the waiting go by that the accidents have caused; leases run on."""
        self.database.execute(
            self.name,
            "UPDATE processing_queue SET due_at = now() WHERE status IN ('pending', 'moved') AND due_at > now()",
            "UPDATE processing_queue SET next_retry_at = now() WHERE next_retry_at > now()"
            " AND coalesce(error_kind, '') <> 'unknown'",
        )

    def rows(self):
        with_store = PostgresStore(self.database.url(self.name), "judge", "judge")
        try:
            return with_store.rows(limit=100_000)
        finally:
            with_store.close()

    def on_disk(self):
        """Every file that there is, partial ones too, by its bytes."""
        found = [path for root in (self.watch, self.library) for path in root.rglob("*") if path.is_file()]
        return Counter(path.read_bytes() for path in found)


def videos(contents):
    return {name for name in contents if name.endswith(".mp4")}


def wait_until_all_is_settled(house, number, errors=frozenset(EXPECTED_ERRORS)):
    """Wait for every row to be completed or in error, for nothing to be tried again, and for nobody to have any."""
    deadline = time.monotonic() + LATEST_SECONDS
    while True:
        house.hurry()
        rows = house.rows()
        settled = [
            row
            for row in rows
            if row.lease_until is None
            and ((row.status is Status.COMPLETED and not row.error_kind) or row.error_kind in errors)
        ]
        if len(rows) == number and len(settled) == number:
            return rows
        left = Counter((row.status.value, row.error_kind, row.error_message) for row in rows if row not in settled)
        assert time.monotonic() < deadline, (len(rows), number, left.most_common(5))
        time.sleep(2)


def wrong_on_server(server, rows):
    """Say what a server does not show, or shows twice."""
    completed = {row.new_path: row for row in rows if row.status is Status.COMPLETED}
    shown = {server.item_json(item)["Path"]: item for item in server.item_ids("Intake")}
    if shown.keys() != completed.keys():
        return sorted(shown.keys() ^ completed.keys())[:3]
    for path, item in shown.items():
        name = server.item_json(item)["Name"]
        if not name.startswith(f"{completed[path].movie_code} Story "):
            return [path, name]
        if [len(server.pictures(item, place)) for place in PLACES] != [1, 1, 1]:
            return [path, [len(server.pictures(item, place)) for place in PLACES]]
    return []


@pytest.fixture
def other_device():
    folder = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="intake-library-"))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("where", "works"), [("one device", FILES), ("two devices", max(50, FILES // 4))])
def test_a_thousand_files_and_random_deaths(tmp_path, other_device, where, works):
    dice = random.Random(SEED)
    library = other_device if where == "two devices" else tmp_path / "library"
    library.mkdir(exist_ok=True)
    assert (library.stat().st_dev == tmp_path.stat().st_dev) == (where == "one device")
    began = time.monotonic()
    with ExitStack() as stack:
        house = Household(tmp_path, library, stack, dice)
        for machine in house.machines:
            machine.start()
        nas, laptop = house.machines
        for number in range(works // 3):
            house.drop_and_perhaps_more(number, works)
        house.freeze(laptop)
        frozen_at = time.monotonic()
        for number in range(works // 3, 2 * works // 3):
            house.drop_and_perhaps_more(number, works)
        while time.monotonic() - frozen_at < FREEZE_SECONDS:
            house.accident()
            time.sleep(dice.uniform(0.5, 2))
        house.wake(laptop)
        for number in range(2 * works // 3, works):
            house.drop_and_perhaps_more(number, works)
        for _ in range(10):
            house.accident()
            time.sleep(dice.uniform(0.2, 1.5))
        for server in (house.emby, house.jellyfin):
            server.faults.clear()
        rows = wait_until_all_is_settled(house, len(videos(house.contents)))
        settled = time.monotonic() - began

        assert house.on_disk() == Counter(house.contents.values())
        assert {Path(row.file_path).name for row in rows} == videos(house.contents)
        assert all(row.error_message for row in rows if row.status is Status.ERROR)
        assert wrong_on_server(house.emby, rows) == []
        assert wrong_on_server(house.jellyfin, rows) == []
        shares = {host: machine.log().count(" is now “") for host, machine in zip(HOSTS, (nas, laptop), strict=True)}

        undo_all(house, rows)
        time.sleep(3)
        assert {path.name: path.read_bytes() for path in house.watch.iterdir()} == house.contents
        assert list(library.rglob("*")) == []
        logs = "".join(machine.log() for machine in house.machines)
        assert "bug of ours" not in logs
        assert "Traceback" not in logs
    print(
        f"\n{where}: {len(house.contents):,} files of {works:,} works in {settled:.0f} s, moved by {shares}; "
        f"{sum(house.accidents.values())} accidents {dict(house.accidents)}; "
        f"{sum(row.status is Status.COMPLETED for row in rows):,} rows completed, "
        f"{sum(row.status is Status.ERROR for row in rows)} with a sentence; all undone in "
        f"{time.monotonic() - began - settled:.0f} s"
    )


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("mode", "where"), [("move", "one device"), ("move", "two devices"), ("hardlink", "one device"), ("copy", "two")]
)
def test_awkward_files_and_random_deaths(tmp_path, other_device, mode, where):
    """What comes twice, with equal subtitles, slowly or changed is never lost nor doubled, however it is moved."""
    dice = random.Random(SEED)
    library = tmp_path / "library" if where == "one device" else other_device
    library.mkdir(exist_ok=True)
    with ExitStack() as stack:
        house = Household(tmp_path, library, stack, dice, STASH2PLEX_MOVE_MODE=mode)
        for machine in house.machines:
            machine.start()
        for number in range(AWKWARD):
            house.drop_awkward(number)
            if number % 4 == 0:
                house.accident()
        for server in (house.emby, house.jellyfin):
            server.faults.clear()
        rows = wait_until_all_is_settled(house, len(videos(house.contents)), {"exists"})

        stays = mode != "move"
        in_watch = {path.relative_to(house.watch).as_posix(): path for path in house.watch.rglob("*") if path.is_file()}
        brought = [path.read_bytes() for path in library.rglob("*") if path.is_file()]
        if stays:
            assert {name: path.read_bytes() for name, path in in_watch.items()} == house.contents
        else:
            assert house.on_disk() == Counter(house.contents.values())
        assert not Counter(brought) - Counter(house.contents.values())
        for row in rows:
            if row.status is Status.COMPLETED:
                name = Path(row.file_path).relative_to(house.watch).as_posix()
                assert Path(row.new_path).read_bytes() == house.contents[name]
        kinds = Counter(row.error_kind or row.status.value for row in rows)
        undo_all(house, rows, {row.id for row in rows if not row.plan_json})  # one of two equal ones is not moved
        time.sleep(3)
        back = {path.relative_to(house.watch).as_posix(): path for path in house.watch.rglob("*") if path.is_file()}
        assert {name: path.read_bytes() for name, path in back.items()} == house.contents
        assert [path for path in library.rglob("*") if path.is_file()] == []
        logs = "".join(machine.log() for machine in house.machines)
        assert "bug of ours" not in logs
        assert "Traceback" not in logs
    print(f"\n{mode}, {where}: {len(house.contents)} files of {AWKWARD} works, {dict(kinds)}, {dict(house.accidents)}")


def undo_all(house, rows, never_moved=frozenset()):
    """Take everything back while both services run on."""
    rules = Rules(Root(str(house.watch)), Destination(Root(str(house.library))))
    done = set()
    with contextlib.closing(PostgresStore(house.database.url(house.name), HOSTS[0], "undo")) as store:
        for row in rows:
            if row.status is Status.COMPLETED and row.id not in done:
                with contextlib.suppress(CannotUndo if row.id in never_moved else ()):
                    done |= set(undo(store, row.id, rules).rows)
