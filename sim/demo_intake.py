"""The demo's second act: three files are dropped into a folder, one of them unknown, and end on a Jellyfin."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from intake.store.row import Status
from intake.store.sqlite_store import SqliteStore
from model.user_error import UserError
from runtime.launch import entry_script
from runtime.lock import is_held
from validation.intake_config import KEYS, variables

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from runtime.folder import DataFolder
    from sim.mediabrowser.server import SimMediaBrowser
    from sim.wordpress.server import SimWordPress

PATIENCE_SECONDS = 30.0
KNOWN = {"SONE-760": ("The first story", "Ruri Saijo"), "ABP-123": ("Another story", "Yua Mikami")}
SETTINGS = {
    "STASH2PLEX_STABLE_SECONDS": "0.5",
    "STASH2PLEX_SEARCH_ORDER": "sidecar,wordpress",
    "EMBY_SCAN_RETRY_DELAYS": "0.5,0.5,1,2,4",
}


def run_intake_act(place: Path, folder: DataFolder) -> None:
    """Play it in a temporary place, with the state in the demo's data folder; nothing is left running."""
    from sim.mediabrowser.controls.real_folder import RealFolder  # noqa: PLC0415 - needs the packages that the demo has loaded
    from sim.mediabrowser.server import SimMediaBrowser  # noqa: PLC0415 - as above
    from sim.wordpress.server import SimWordPress  # noqa: PLC0415 - as above

    with SimWordPress() as site, SimMediaBrowser("jellyfin-12", 0) as jellyfin:
        for name in ("downloads", "library"):
            (place / name).mkdir()
        for code, (title, performer) in KNOWN.items():
            site.add_pictured(code, title=title, actress=[performer])
        RealFolder(jellyfin, str(place / "library"), "/media")
        IntakeAct(place, folder, site, jellyfin).run()


class IntakeAct:
    """What a person does, and what they see."""

    def __init__(self, place: Path, folder: DataFolder, site: SimWordPress, jellyfin: SimMediaBrowser) -> None:
        self._place = place
        self._folder = folder
        self._jellyfin = jellyfin
        ours = {name for key in KEYS for name in variables(key)}
        self._environment = {
            **{name: value for name, value in os.environ.items() if name not in ours},
            **SETTINGS,
            "STASH2PLEX_DATA_DIR": folder.root,
            "WATCH_DIR": str(place / "downloads"),
            "DESTINATION_DIR": str(place / "library"),
            "API_BASE_URL": site.base_url,
            "API_TOKEN": site.token,
            "JELLYFIN_BASE_URL": jellyfin.url,
            "JELLYFIN_API_KEY": jellyfin.api_key,
            "STASH2PLEX_JELLYFIN_PATH_MAP": f"{place / 'library'}=>/media",
        }

    def run(self) -> None:
        print("\n=== Act two: intake ===")
        print(f"A folder is watched, and a simulated Jellyfin at {self._jellyfin.url} shows what comes of it.")
        print("Three films are dropped into the folder, one of them with subtitles, one with a name that says nothing.")
        for name in ("SONE-760.mp4", "SONE-760.en.srt", "abp-123-C.mkv", "holiday.mp4"):
            (self._place / "downloads" / name).write_bytes(f"what is in {name}".encode())
        with self._service():
            began = time.monotonic()
            self._wait_for(Status.COMPLETED, 2)
            self._wait_for(Status.ERROR, 1)
            print(f"   {time.monotonic() - began:.1f} s later two of them are named, in their place and on Jellyfin:")
            self._show()
            print("\nWhat became of the third?")
            self._type("explain", self._row("holiday.mp4"))
            print("\nSomebody knows what it is, and puts a sidecar beside it.")
            (self._place / "downloads" / "holiday.json").write_text('{"title": "A holiday", "actress": "Ruri Saijo"}')
            self._type("set-code", self._row("holiday.mp4"), "SONE-761")
            self._wait_for(Status.COMPLETED, 3)
            self._show()
            print("\nThe last one is taken back.")
            self._type("undo", self._row("holiday.mp4"))
            left = ", ".join(sorted(path.name for path in (self._place / "downloads").iterdir()))
            print(f"   In the folder lie again: {left}.")

    def _show(self) -> None:
        for path in sorted(path for path in (self._place / "library").rglob("*") if path.is_file()):
            print(f"   {path.relative_to(self._place)}")
        for item in self._jellyfin.item_ids("Intake"):
            shown = self._jellyfin.item_json(item)
            kinds = [kind for kind in ("Primary", "Backdrop", "Banner") if self._jellyfin.pictures(item, kind)]
            people = ", ".join(person["Name"] for person in shown["People"])
            print(f"   Jellyfin: {shown['Name']} · {people} · {', '.join(kinds) or 'no picture'}")

    def _type(self, *words: str) -> None:
        print(f"   $ Stash2Plex.py intake {' '.join(words)}")
        command = [sys.executable, entry_script(), "intake", *words]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
        for line in (done.stdout + done.stderr).splitlines():
            print(f"   {line}")

    @contextmanager
    def _service(self) -> Generator[None]:
        """Run the real service until the block ends."""
        command = [sys.executable, entry_script(), "intake", "run"]
        with open(self._place / "intake.log", "wb") as log:
            process = subprocess.Popen(command, env=self._environment, stderr=log)  # noqa: S603 - as above
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_SECONDS)
            self._until(lambda: not is_held(self._folder.intake_lock))

    def _row(self, name: str) -> str:
        with self._store() as store:
            return next(str(row.id) for row in store.rows() if os.path.basename(row.file_path) == name)

    @contextmanager
    def _store(self) -> Generator[SqliteStore]:
        store = SqliteStore(self._folder.intake_dir, "demo", "demo")
        try:
            yield store
        finally:
            store.close()

    def _wait_for(self, status: Status, number: int) -> None:
        with self._store() as store:
            self._until(lambda: store.counts()[status] == number)

    def _until(self, claim: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not claim():
            if time.monotonic() > deadline:
                said = (self._place / "intake.log").read_text(errors="replace")
                raise UserError(f"It takes too long; the service said:\n{said[-2000:]}")
            time.sleep(0.05)
