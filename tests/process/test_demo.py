"""The demo does what it shows, from the first Save to the last field put back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(300)
def test_the_demo_shows_the_whole_story_and_leaves_nothing_behind(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "Stash2Plex.py"), "demo"],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    told = done.stdout
    assert done.returncode == 0, done.stderr
    assert "Plex is down since" in told
    assert "Plex shows 'The newest', 'During the outage', 'Likewise'" in told
    assert "Jellyfin goes on: " in told
    assert "the last Save it shows 'The newest', 'During the outage', 'Likewise'." in told
    assert told.count("A new title") == 2  # in Plex and in Jellyfin, by one Save
    assert "waiting: Not in Plex yet" in told
    assert "waiting: Not in Jellyfin yet: nothing in Jellyfin" in told
    assert "Requests that changed Plex: 0, Jellyfin: 0." in told
    for name in ("Plex", "Jellyfin"):
        assert f"As they were before the demo, field by field, in {name}: 38 of 38 items." in told
    assert "Jellyfin: SONE-760 The first story · Ruri Saijo · Primary, Backdrop, Banner" in told
    assert "No movie code found in “holiday.mp4”" in told
    assert "library/Ruri Saijo/Ruri Saijo - SONE-761 A holiday.mp4" in told.replace("[No Sub] ", "")
    assert "Yua Mikami - [Chinese Sub] ABP-123 Another story.mkv" in told
    assert "In the folder lie again: holiday.json, holiday.mp4." in told
    assert "Traceback" not in told + done.stderr
    assert not list(tmp_path.glob("stash2plex-demo-*"))
