"""A disk that fills up under a living worker: hooks say so, nothing that was promised is lost, the worker stays."""

from pathlib import Path

import pytest

from tests.support.machine.small_disk import fill, small_disk
from tests.support.plugin.plugin import wait_until


@pytest.mark.mounts
def test_a_disk_that_is_full_for_a_while_costs_no_promised_job_and_no_worker(plugin, stash):
    root = Path(plugin.data.root)
    with small_disk(root):
        plugin.hook(1, stash.port)
        pid = plugin.wait_for_worker()
        wait_until(lambda: plugin.finished_scenes() == {1})
        filler = fill(root)
        answers = {one: plugin.hook(one, stash.port) for one in range(2, 8)}
        promised = {one for one, answer in answers.items() if "output" in answer.document}
        for one in answers.keys() - promised:
            assert "disk is full" in answers[one].error
        filler.unlink()
        plugin.hook(8, stash.port)
        wait_until(lambda: plugin.finished_scenes() >= {8, *promised}, 90)
        assert plugin.worker_pids() == [pid]
        plugin.kill_workers()
