"""Proofs: each ends before the same judge, and all of them in one table."""

import time
from pathlib import Path

import pytest

from tests.prove.judge import not_undone, verdict
from tests.prove.world import World

HERE = Path(__file__).parent
PROOF = "proof"


@pytest.fixture
def world(tmp_path):
    with World(tmp_path) as running:
        yield running


@pytest.fixture
def prove(request):
    """End a proof: `prove(world)` waits for the judge's verdict, and puts it into the table.

    `undo`: afterwards all of it is undone, and Plex must be as it was before we came.
    """
    start = time.monotonic()

    def end(world, *, undo=False):
        left = verdict(world)
        if undo and not left:
            said = world.undo_everything().document
            left = [f"undone ({said}), yet {one}" for one in not_undone(world)]
        seconds = time.monotonic() - start
        request.node.user_properties.append((PROOF, (world.edits, len(world.plex.requests), seconds, left)))
        assert left == []

    return end


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter):
    """Print the table, from whichever processes the proofs ran in."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, ())]
    rows = [
        (report, dict(report.user_properties)[PROOF]) for report in reports if PROOF in dict(report.user_properties)
    ]
    if not rows:
        return
    write = terminalreporter.write_line
    write("")
    write(f"{'proof':90}{'edits':>6}{'requests':>10}{'seconds':>9}  verdict")
    for report, (edits, requests, seconds, left) in sorted(rows, key=lambda row: row[0].nodeid):
        is_right = not left and report.passed
        verdict = "right" if is_right else f"WRONG: {(left or ['see above'])[0]}"
        write(f"{report.nodeid.rpartition('::')[2][:88]:90}{edits:6}{requests:10}{seconds:9.1f}  {verdict}")
    write(f"{len(rows)} proofs, {sum(report.failed for report, _ in rows)} wrong.")
