"""The words that a person meets: numbers agree with their nouns, and nobody has to know how the plugin is built."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from hooks.handlers import HANDLERS
from model.sentences import counted
from plex.exceptions import from_status
from sync.retries.patience import outcome_of
from sync_queue.models import SWEEP, SyncJob
from tasks.queue.jobs import describe_reason
from tests.support.settings import config

ROOT = Path(__file__).parents[3]
ROOMS = (
    "hooks",
    "tasks",
    "cli",
    "worker",
    "sync",
    "matching",
    "model",
    "plan",
    "stash",
    "plex",
    "mediabrowser",
    "intake",
    "sync_queue",
    "validation",
    "runtime",
    "ledger",
)
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))

PAGES_FOR_USERS = (
    "README.md",
    *(f"docs/{name}.md" for name in ("settings", "tasks", "command-line", "troubleshooting", "privacy", "comparison")),
    "docs/what-is-written.md",
)
KEPT_NAMES = ("Clear Dead Letter Queue", "Purge Old DLQ Entries", "reset dead-letters", "dead-letters")
INSIDE = (
    r"DLQ|circuits?|sweeps?|dead[ -]letters?|ledger|baselines?|probes?|rating keys?|fingerprints?|machine identifiers?"
)
PROTOCOL = r"\b(?:GET|PUT|POST) [/{]|\bHTTP \d|\w\.Post\b"
FOR_DEVELOPERS = re.compile(rf"\b(?:{INSIDE})\b|{PROTOCOL}", re.IGNORECASE)
TECHNICAL = re.compile(rf"\b(?:{INSIDE}|hooks?)\b|{PROTOCOL}", re.IGNORECASE)
FOR_THE_LOG = {"at", "translated", "parse_xml", "checked_root", "_parsed"}  # they take the name of a request
PLURALS = (
    "attempts|bytes|candidates|changes|characters|dates|days|entries|fields|files|hours|items|jobs|letters|libraries|lines|"
    "minutes|numbers|others|parts|pictures|rules|runs|scenes|seconds|tags|times|tries|values"
)
AFTER_A_NUMBER = re.compile(rf" (?:[a-z-]+ ){{0,2}}(?:{PLURALS})\b| (?:are|were|have|wait|stand|need)\b")
ONE_OF_MANY = re.compile(rf"(?<![\d.,])1 (?:[a-z-]+ )?(?:{PLURALS}|are|were|have|wait|need)\b")
QUERY = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE FROM|CREATE|PRAGMA|ALTER|DROP|BEGIN)\b|^\s*(?:query|mutation) ")


def texts(path):
    """Yield every text that may be a sentence, with its line; a `{…}` stands for what is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unseen = {id(inner) for node in ast.walk(tree) for one in _unseen(node) for inner in ast.walk(one)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            unseen |= {id(inner) for inner in node.values}
        if id(node) not in unseen and isinstance(node, ast.Constant | ast.JoinedStr):
            text = _written(node)
            if (" " in text.strip() or (text.istitle() and text.isalpha())) and not QUERY.search(text):
                yield node, text


def _unseen(node):
    """Give docstrings, and what goes to the worker's log alone."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return [node.value]
    if not isinstance(node, ast.Call):
        return []
    called = ast.unparse(node.func)
    if called == "threading.Thread":
        return [keyword.value for keyword in node.keywords]
    return node.args if called.startswith("log.") or called.rpartition(".")[2] in FOR_THE_LOG else []


def _written(node):
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(_written(part) if isinstance(part, ast.Constant) else "{…}" for part in node.values)


def counts_by_hand(node):
    """Find a number in a sentence that is followed by a word in the plural; a constant never is 1."""
    if not isinstance(node, ast.JoinedStr):
        return
    for filled, after in zip(node.values, node.values[1:], strict=False):
        is_constant = isinstance(getattr(filled, "value", None), ast.Name) and filled.value.id.isupper()
        is_counted = isinstance(filled, ast.FormattedValue) and "counted" in ast.unparse(filled.value)
        is_title = isinstance(filled, ast.FormattedValue) and "title" in ast.unparse(filled.value).lower()
        if not isinstance(filled, ast.FormattedValue) or is_constant or is_counted or is_title:
            continue
        if isinstance(after, ast.Constant) and (found := AFTER_A_NUMBER.match(after.value)):
            yield f"{{{ast.unparse(filled.value)}}}{found[0]}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_needs_a_developer(path):
    found = [(node.lineno, word) for node, text in texts(path) for word in TECHNICAL.findall(_without_names(text))]
    assert not found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_number_agrees_with_its_noun(path):
    found = [(node.lineno, words) for node, text in texts(path) for words in counts_by_hand(node)]
    found += [(node.lineno, text) for node, text in texts(path) if ONE_OF_MANY.search(text)]
    assert not found


def test_the_manifest_and_the_pages_for_users_need_no_developer_either():
    manifest = yaml.safe_load((ROOT / "Stash2Plex.yml").read_text(encoding="utf-8"))
    entries = [*manifest["settings"].values(), *manifest["tasks"], *manifest["hooks"]]
    told = [f"{entry.get('displayName', entry.get('name'))}: {entry['description']}" for entry in entries]
    for_users = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in PAGES_FOR_USERS)
    prose = re.sub(r"```.*?```|`[^`]*`", "", for_users, flags=re.DOTALL)
    assert not [line for line in [*told, *prose.splitlines()] if FOR_DEVELOPERS.search(_without_names(line))]
    everything = [*told, *for_users.splitlines(), *(ROOT / "docs" / "operations.md").read_text("utf-8").splitlines()]
    assert not [line for line in everything if ONE_OF_MANY.search(line)]


def _without_names(text):
    for name in KEPT_NAMES:
        text = text.replace(name, "")
    return text


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (0, "job", "0 jobs"),
        (1, "job", "1 job"),
        (1234, "given-up job", "1,234 given-up jobs"),
        (2, "entry", "2 entries"),
    ],
)
def test_a_number_and_its_noun_agree(number, noun, words):
    assert counted(number, noun) == words


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("Scene.Update.Post", "edited in Stash"),
        ("Scene.Create.Post", "new in Stash"),
        ("Performer.Update.Post", "its performer was edited in Stash"),
        ("Tag.Merge.Post", "its tag was merged in Stash"),
        (SWEEP, "found by the check of all scenes"),
        ("Sync All", "Sync All"),
    ],
)
def test_the_reason_of_a_job_is_said_as_a_person_says_it(reason, words):
    assert describe_reason(reason) == words


def test_every_event_that_is_queued_has_such_a_reason():
    assert not [
        trigger for trigger in HANDLERS if describe_reason(trigger) == trigger or "None" in describe_reason(trigger)
    ]


def test_the_request_that_failed_is_told_to_the_log_alone():
    error = from_status(503, "PUT", "/library/sections/1/all")
    outcome = outcome_of(error, SyncJob(1, "scene", 1, "", 0.0, 0.0), config())
    assert outcome.sentence == "Plex does not answer"
    assert outcome.detail == "PUT /library/sections/1/all: 503"
