"""Kills a move at every system call it makes, and looks at what is left: run as a program, it prints what it found.

Each death is a real one, of a forked process. Python's own `os` is what a move's modules call, so a stand-in for it
counts the calls and ends the process before the n-th; half of the bytes of a `write` may still have gone out.
"""

import contextlib
import functools
import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from intake.moving import disk, execute, place, plan
from intake.moving.errors import MoveError
from intake.moving.execute import carry_out, resume
from intake.moving.plan import Destination, MoveMode, MovePlan, plan_move
from intake.moving.undo import plan_undo
from intake.naming.codes import read_code
from intake.naming.names import NameFields
from intake.watching.root import Root

CALLS = re.compile(
    "open|close|read|write|lseek|fsync|rename|link|unlink|mkdir|rmdir|chmod|l?stat|fstat(vfs)?|fchown|fchmod|utime"
    "|(list|get|set)xattr|posix_fadvise|scandir"
)
CONTENTS = {
    "QRST-123-cd1.mp4": b"first part " * 40,
    "QRST-123-cd2.mp4": b"second part " * 50,
    "QRST-123-cd1.en.srt": b"words",
    "QRST-123-cd2-poster.jpg": b"picture" * 30,
}
DIED = 77


class CountedCalls:
    """Stands in for `os`: ends the process before its n-th system call."""

    def __init__(self, last: int) -> None:
        self._left = last

    def __getattr__(self, name: str) -> object:
        real = getattr(os, name)
        return functools.partial(self._call, real) if CALLS.fullmatch(name) else real

    def _call(self, real, *arguments, **named):
        self._left -= 1
        if self._left <= 0:
            if real is os.write:
                os.write(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            os._exit(DIED)
        return real(*arguments, **named)

    def counted(self, function):
        return functools.partial(self._call, function)


@dataclass(frozen=True)
class Scenario:
    """How files are moved, and what the system is made not to know."""

    mode: MoveMode = MoveMode.MOVE
    without: tuple[str, ...] = ()  # "renameat2", "link"
    blocked: bool = False  # another file has the last target's name
    undo: bool = False


SCENARIOS = {
    "rename": Scenario(),
    "link": Scenario(without=("renameat2",)),
    "reserve": Scenario(without=("renameat2", "link")),
    "hardlink": Scenario(mode=MoveMode.HARDLINK),
    "copy": Scenario(mode=MoveMode.COPY),
    "blocked": Scenario(blocked=True),
    "undo": Scenario(undo=True),
}


class World:
    """A watched folder and a library, made anew for every death."""

    def __init__(self, source: Path, target: Path, scenario: Scenario) -> None:
        self.source, self.target, self.scenario = source, target, scenario
        self.announced = target.parent / "announced.json"

    def make(self) -> MovePlan:
        for folder in (self.source, self.target):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        self.announced.unlink(missing_ok=True)
        for name, content in CONTENTS.items():
            (self.source / name).write_bytes(content)
        made = plan_move(
            {str(self.source / "QRST-123-cd1.mp4"): 1, str(self.source / "QRST-123-cd2.mp4"): 2},
            NameFields(read_code("QRST-123"), "A Title", ("Some Body",)),
            source_root=Root(str(self.source)),
            destination=Destination(Root(str(self.target)), "{performer}/{code}"),
            mode=self.scenario.mode,
        )
        if self.scenario.blocked:
            blocking = Path(made.files[-1].target)
            blocking.parent.mkdir(parents=True)
            blocking.write_bytes(b"another film")
        if self.scenario.undo:
            made, _ = plan_undo(carry_out(made, lambda _: None))
        return made

    def announce(self, made: MovePlan) -> None:
        self.announced.write_text(made.to_json())

    def wrong_after_death(self, made: MovePlan) -> str:
        for file in made.files:
            content = self.content_of(file)
            whole = [path for path in (file.source, file.target) if read(path) == content]
            if not whole:
                return f"{file.source} is lost"
            if self.scenario.blocked and file is made.files[-1]:
                continue
            if read(file.target) not in {None, content} and not disk.is_reserved(file.target, made.id):
                return f"{file.target} is not whole"
            if not self.announced.exists() and read(file.source) != content:
                return f"{file.source} was touched before the plan was announced"
        return ""

    def content_of(self, file) -> bytes:
        name = os.path.basename(file.target if self.scenario.undo else file.source)
        return CONTENTS[name]

    def wrong_at_the_end(self, made: MovePlan, *, done: bool) -> str:
        keeps_source = self.scenario.mode is not MoveMode.MOVE
        for file in made.files:
            content = self.content_of(file)
            is_blocked = self.scenario.blocked and file is made.files[-1]
            expected_source = content if keeps_source or not done else None
            expected_target = b"another film" if is_blocked else content if done else None
            if read(file.source) != expected_source or read(file.target) != expected_target:
                return f"{file.source} is not in exactly one place"
        names = {
            Path(folder, name)
            for root in (self.source, self.target)
            for folder, _, names in os.walk(root)
            for name in names
        }
        expected = {Path(path) for file in made.files for path in (file.source, file.target)}
        if strangers := names - expected:
            return f"left over: {sorted(map(str, strangers))}"
        if self.scenario.undo and any(self.target.iterdir()):
            return "an empty folder was left"
        return ""


def read(path: str) -> bytes | None:
    with contextlib.suppress(FileNotFoundError):
        return Path(path).read_bytes()
    return None


def in_child(task, last: int, scenario: Scenario) -> int:
    """Run a task in a process of its own that dies before its `last` system call; return how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    counted = CountedCalls(last)
    for module in (disk, execute, place, plan):
        module.os = counted
    if disk.renameat2 is not None:
        disk.renameat2 = counted.counted(disk.renameat2)
    weaken(scenario)
    try:
        task()
    except MoveError:
        os._exit(1)
    os._exit(0)


def weaken(scenario: Scenario) -> None:
    """Take away what some file systems do not have."""
    if "renameat2" in scenario.without:
        disk.renameat2 = None
    if "link" in scenario.without:
        disk._try_link = lambda source, target: False


def is_finished(made: MovePlan) -> bool:
    try:
        resume(made)
    except MoveError:
        return False
    return True


def main() -> None:
    name, source, target, second = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    disk.CHUNK = 200  # so that a file is several chunks
    world = World(source, target, SCENARIOS[name])
    deaths = second_deaths = 0
    for last in range(1, 10_000):
        made = world.make()
        ended = in_child(lambda made=made: carry_out(made, world.announce), last, world.scenario)
        deaths += ended == DIED
        if wrong := world.wrong_after_death(made):
            sys.exit(f"killed at call {last}: {wrong}")
        if ended == DIED and second and last % second == 0 and world.announced.exists():
            for again in range(1 + last % 3, 10_000, 3):
                if in_child(lambda made=made: resume(made), again, world.scenario) != DIED:
                    break
                second_deaths += 1
                if wrong := world.wrong_after_death(made):
                    sys.exit(f"killed at call {last}, then at {again}: {wrong}")
        weaken(world.scenario)
        kept = MovePlan.from_json(world.announced.read_text()) if world.announced.exists() else None
        done = is_finished(kept) if kept else False
        if wrong := world.wrong_at_the_end(made, done=done):
            sys.exit(f"killed at call {last}, resumed: {wrong}")
        if kept and done is world.scenario.blocked:
            sys.exit(f"killed at call {last}: resuming did not end as it should")
        if ended != DIED:
            print(json.dumps({"deaths": deaths, "second_deaths": second_deaths}))
            return


if __name__ == "__main__":
    main()
