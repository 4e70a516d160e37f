"""Every target there is has its title, settings, lanes, group on the page, and a sentence for a key that is refused."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from model.targets import TARGETS, TITLES
from sync.outage.circuit import Circuit, CircuitState
from sync.outage.text import outage_sentence
from sync_queue.operations import LANES_OF, PICTURE_LANE
from tasks.settings.schema import GROUPS
from tests.support.settings import config
from validation.config import KEY_OF, SECRETS, Stash2PlexConfig

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_has_its_title_settings_and_group(name):
    assert TITLES[name]
    assert GROUPS[name] == TITLES[name]
    assert {f"{name}_url", f"{name}_library", KEY_OF[name]} <= set(Stash2PlexConfig.model_fields)
    assert KEY_OF[name] in SECRETS
    assert config().target(name).name == name


def test_no_two_targets_share_a_lane():
    assert set(LANES_OF) == set(TARGETS)
    lanes = {name: {first, first + PICTURE_LANE} for name, first in LANES_OF.items()}
    assert all(lanes[one].isdisjoint(other) for one, other in ((a, lanes[b]) for a, b in combinations(TARGETS, 2)))


@pytest.mark.parametrize("name", TARGETS)
def test_a_refused_key_is_named_with_the_setting_to_mend(name):
    circuit = Circuit(CircuitState.OPEN, needs_person=True, kind="token", sentence="The key was refused.")
    assert KEY_OF[name] in outage_sentence(circuit, 1000.0, name)


def test_the_page_knows_the_same_targets():
    page = (ROOT / "ui/src/parts/target_names.ts").read_text(encoding="utf-8")
    named = re.search(r"TARGETS: readonly Target\[\] = \[(.*?)\]", page)
    assert tuple(re.findall(r'"(\w+)"', named[1])) == TARGETS
