"""A watched folder and a library on a real disk, and one in memory: a move between the two crosses devices."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from intake.moving.execute import Moved, carry_out
from intake.moving.plan import Destination, plan_move
from intake.naming.codes import read_code
from intake.naming.names import NameFields
from intake.watching.root import Root

FIELDS = NameFields(read_code("QRST-123"), "A Title", ("Some Body",))
STEM = "Some Body - [No Sub] QRST-123 A Title"


@dataclass
class Folders:
    """Where files come from and where they go."""

    watch: Path
    library: Path

    def put(self, name, content=b"film"):
        path = self.watch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def plan(self, *videos, fields=FIELDS, template="{performer}", **options):
        """Plan videos: a name, or a name with its part."""
        named = dict(one if isinstance(one, tuple) else (one, None) for one in videos)
        return plan_move(
            {str(self.watch / name): part for name, part in named.items()},
            fields,
            source_root=options.pop("source_root", Root(str(self.watch))),
            destination=options.pop("destination", Destination(Root(str(self.library)), template)),
            **options,
        )

    def move(self, *videos, **options) -> Moved:
        return carry_out(self.plan(*videos, **options), lambda plan: None)

    def tree(self):
        """All files with what is in them, paths relative to watch and library."""
        roots = {"watch": self.watch, "library": self.library}
        return {
            f"{name}/{path.relative_to(root).as_posix()}": path.read_bytes()
            for name, root in roots.items()
            for path in root.rglob("*")
            if path.is_file()
        }


@pytest.fixture
def folders(tmp_path):
    for name in ("watch", "library"):
        (tmp_path / name).mkdir()
    return Folders(tmp_path / "watch", tmp_path / "library")


@pytest.fixture
def in_memory():
    folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def across(folders, in_memory):
    """The library is on another device than the watched folder."""
    library = in_memory / "library"
    library.mkdir()
    assert library.stat().st_dev != folders.watch.stat().st_dev
    return Folders(folders.watch, library)


@pytest.fixture(params=["one device", "two devices"])
def anywhere(request):
    return request.getfixturevalue("folders" if request.param == "one device" else "across")
