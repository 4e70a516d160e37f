"""What the page says: short headlines, no words of the command line, a text for every name that the code can give."""

import re

import pytest

from ledger.states import SceneState
from model.picture import PictureKind
from plan.fields import SCALARS, SETS
from tasks.answers import CircuitStatus, QueueCounts, SceneCounts, SweepStatus, TargetStatus, WorkerStatus
from tasks.scenes import headline as scene
from tasks.scenes.known import PLACES
from tasks.status.headline import headline
from tasks.status.needs import Conditions, needs_you
from ui.node import UI

TEXTS = (UI / "src" / "texts.ts").read_text("utf-8")
PARENT = UI.parent


def worker(**changes):
    known = {"alive": True, "version": "1", "pid": 1, "started_at": None, "obstacle": None}
    return WorkerStatus(**{**known, "is_installing": False, "is_outdated": False, **changes})


def target(name="Plex", outage=None, **scenes):
    return TargetStatus(
        target=name.lower(), name=name, is_on=True, url=None, sentence="", outage=outage, pictures=None,
        circuit=CircuitStatus(), recovery=None, queue=QueueCounts(), scenes=SceneCounts(**scenes),
        speed_per_minute=None, seconds_left=None, history=(), coverage=None, last_run=None,
    )  # fmt: skip


WELL = Conditions(True, True, worker(), ())
STARTING = Conditions(True, True, worker(alive=False), ())
INSTALLING = Conditions(True, True, worker(is_installing=True), ())
RESTING, SWEEPING = SweepStatus(False, None, None, None), SweepStatus(True, 0.4, None, None)
DOWN = "Plex is down since 10:14."


@pytest.mark.parametrize(
    ("conditions", "queue", "targets", "sweep", "sentence"),
    [
        (WELL, QueueCounts(), (target(),), RESTING, "Everything is up to date."),
        (WELL, QueueCounts(due=1200, claimed=4), (target(),), RESTING, "Syncing: 1,204 to do."),
        (WELL, QueueCounts(later=1), (target(),), RESTING, "Up to date; 1 to try again later."),
        (WELL, QueueCounts(), (target(),), SWEEPING, "Checking all scenes."),
        (WELL, QueueCounts(due=9), (target(outage=DOWN),), RESTING, "Waiting for Plex to come back."),
        (WELL, QueueCounts(due=9), (target(outage=DOWN), target("Emby")), RESTING, "Syncing: 9 to do. Plex is away."),
        (Conditions(False, True, worker(), ()), QueueCounts(), (), RESTING, "No server is set up yet."),
        (Conditions(True, False, worker(), ()), QueueCounts(due=3), (target(),), RESTING, "Syncing is paused."),
        (STARTING, QueueCounts(), (target(),), RESTING, "The worker is starting."),
        (INSTALLING, QueueCounts(), (target(),), RESTING, "Getting ready for the first time."),
    ],
)  # fmt: skip
def test_the_page_begins_with_one_short_sentence(conditions, queue, targets, sweep, sentence):
    assert headline(conditions, queue, targets, sweep) == sentence
    assert len(sentence) < 60


def test_what_needs_a_person_names_its_server_once():
    everything = target(ambiguous=1, refused=2, failed=1, waiting=3)
    said = [one.sentence for one in needs_you(WELL, (everything,), frozenset())]
    assert [sentence.count("Plex") for sentence in said] == [1, 1, 1, 1]
    assert said[3] == "3 scenes are not found in Plex: not scanned yet, or the path map is wrong."


STEPS = [*scene.NEXT_STEPS.values(), scene.SYNC_IT, scene.UNLOCK_IT]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.words[:20])
def test_what_to_do_next_has_no_words_of_the_command_line(step):
    assert not re.search(r"\(\w+( --\w+)?\)|--|_", step.words)
    assert step.words.endswith(".")


def test_every_state_says_what_to_do_next():
    assert scene.NEXT_STEPS.keys() == set(SceneState)


def names_in(variable):
    """The keys of an object of texts.ts, by the first line that names it."""
    found = re.search(rf"{variable}(?:: [^=]*)?[:=] \{{(.*?)\}}", TEXTS, re.DOTALL)
    return set(re.findall(r"^\s*(\w+):", found[1], re.MULTILINE))


def test_every_field_that_is_written_has_a_name_on_the_page():
    fields = {one.name for one in (*SCALARS, *SETS)}
    pictures = {place for one in PictureKind for place in (one.value, one.place)} | set(PLACES.values())
    assert (fields | pictures) - names_in("fieldTexts") == set()


def test_every_kind_of_run_has_a_name_on_the_page():
    sources = "".join(file.read_text("utf-8") for file in (PARENT / "sync").rglob("*.py"))
    kinds = set(re.findall(r"OpenRun\(\w+, \"(\w+)\"", sources))
    assert kinds == {"worker", "pictures"}
    assert kinds - names_in("kinds") == set()
