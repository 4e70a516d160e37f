"""The simulated Stash is as awkward as the real one."""

import json
import textwrap
import urllib.error
from pathlib import Path

import pytest

from sim.stash.simulator import SimStash

MANIFEST = """
name: Probe
exec: [python3, "{pluginDir}/probe.py"]
hooks:
  - name: all
    triggeredBy: [Scene.Update.Post, Scene.Create.Post, Scene.Destroy.Post, Tag.Update.Post]
    defaultArgs: {mode: hook, number: 5}
"""
RECORDER = """
import json, os, sys
heard = json.load(sys.stdin)
with open(os.path.join(os.path.dirname(__file__), "heard.jsonl"), "a") as file:
    file.write(json.dumps(heard) + "\\n")
print(json.dumps({"output": "ok"}))
"""


@pytest.fixture
def stash():
    with SimStash(scenes=30) as running:
        yield running


class Probe:
    """A throw-away plugin that writes down what it was told."""

    def __init__(self, folder: Path, script: str = RECORDER, manifest: str = MANIFEST) -> None:
        self.folder = folder / "plugins" / "probe"
        self.folder.mkdir(parents=True)
        (self.folder / "probe.yml").write_text(manifest)
        (self.folder / "probe.py").write_text(textwrap.dedent(script))

    @property
    def heard(self) -> list[dict]:
        return [json.loads(line) for line in (self.folder / "heard.jsonl").read_text().splitlines()]

    @property
    def contexts(self) -> list[dict]:
        return [heard["args"]["hookContext"] for heard in self.heard]


@pytest.fixture
def probe(tmp_path, stash):
    plugin = Probe(tmp_path)
    stash.install_plugin(plugin.folder, "probe")
    return plugin


def test_save_runs_the_hook_with_all_keys_null_but_those_sent(stash, probe):
    stash.save_scene(5, title="Five", tag_ids=["1"])

    (context,) = probe.contexts
    assert (context["id"], context["type"]) == (5, "Scene.Update.Post")
    assert sorted(context["inputFields"]) == ["id", "tag_ids", "title"]
    assert len(context["input"]) == 24
    assert {key: value for key, value in context["input"].items() if value is not None} == {
        "id": "5",
        "title": "Five",
        "tag_ids": ["1"],
    }


def test_bulk_edit_runs_one_hook_per_scene_each_with_all_ids(stash, probe):
    stash.graphql('mutation{bulkSceneUpdate(input:{ids:["6","7"],rating100:60}){id}}')

    assert [context["id"] for context in probe.contexts] == [6, 7]
    assert all(context["input"] == {"ids": ["6", "7"], "rating100": 60} for context in probe.contexts)


def test_destroy_tells_what_is_left_of_the_scene(stash, probe):
    path = stash.library.scenes[12].path
    stash.graphql('mutation{sceneDestroy(input:{id:"12",delete_file:false})}')

    (context,) = probe.contexts
    assert context["input"]["path"] == path
    assert context["input"]["delete_generated"] is None
    assert "inputFields" not in context


def test_a_server_that_went_away_refuses_and_comes_back_on_its_port(stash):
    port = stash.port
    stash.go_away()
    with pytest.raises(urllib.error.URLError, match="refused"):
        stash.graphql("{version{version}}")
    stash.come_back()

    assert stash.graphql("{version{version}}")
    assert stash.port == port
