"""What the tests of the simulated Stash share: a plugin that writes down what it hears, and a plain client."""

import http.client
import json
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

MANIFEST = """
name: Probe
exec: [python3, "{pluginDir}/probe.py"]
hooks:
  - name: everything
    triggeredBy:
      - Scene.Create.Post
      - Scene.Update.Post
      - Scene.Destroy.Post
      - Performer.Update.Post
      - Performer.Destroy.Post
      - Studio.Update.Post
      - Studio.Destroy.Post
      - Tag.Update.Post
      - Tag.Merge.Post
      - Tag.Destroy.Post
      - Group.Update.Post
      - Group.Destroy.Post
      - Movie.Update.Post
      - Movie.Destroy.Post
    defaultArgs: {mode: hook, number: 5, flag: true}
tasks:
  - name: Work
    description: does it
    defaultArgs: {mode: work}
"""
RECORDER = """
import json, os, sys
heard = json.load(sys.stdin)
heard["env"] = {"PYTHONPATH": os.environ["PYTHONPATH"], "HTTP_PROXY": os.environ.get("HTTP_PROXY")}
heard["cwd"] = os.getcwd()
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "heard.jsonl"), "a") as file:
    file.write(json.dumps(heard) + "\\n")
print(json.dumps({"output": "ok"}))
"""


class Probe:
    """A throw-away plugin in a folder of its own."""

    def __init__(self, folder: Path, script: str = RECORDER, manifest: str = MANIFEST) -> None:
        self.folder = folder / "plugins" / "probe"
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "probe.yml").write_text(manifest)
        self.becomes(script)

    def becomes(self, script: str) -> None:
        (self.folder / "probe.py").write_text(textwrap.dedent(script))

    @property
    def heard(self) -> list[dict[str, Any]]:
        log = self.folder / "heard.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    @property
    def contexts(self) -> list[dict[str, Any]]:
        return [heard["args"]["hookContext"] for heard in self.heard]

    def forget(self) -> None:
        (self.folder / "heard.jsonl").unlink(missing_ok=True)


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def fetch(port: int, path: str, body: Any = None, **headers: str) -> Answer:
    """One request on a connection of its own, redirects not followed. Header names use _ for -."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    payload = None
    if body is not None:
        sent.setdefault("Content-Type", "application/json")
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        connection.request("GET" if payload is None else "POST", path, payload, sent)
        response = connection.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read())
    finally:
        connection.close()


def ask(port: int, query: str, variables: dict[str, Any] | None = None, **headers: str) -> Answer:
    return fetch(port, "/graphql", {"query": query, "variables": variables}, **headers)
