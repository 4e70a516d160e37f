"""Plans for an item of Plex, unless another server is meant."""

from plan import planner
from plex.capabilities import PLEX


def make_plan(metadata, item, baseline, config, capabilities=PLEX):
    return planner.make_plan(metadata, item, baseline, config, capabilities)
