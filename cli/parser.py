"""The command line's grammar: every verb, its options, examples. Standard library only, so that help always works."""

import argparse
from typing import Any, NoReturn

from cli.screen import print_json
from model.targets import TARGETS
from runtime.folder import OVERRIDE
from runtime.version import VERSION
from tasks.arguments import STATES

RESETS = {"queue": "clear_queue", "dead-letters": "clear_dlq", "matches": "clear_match_cache"}
DEAD = "dead"
VERBS: dict[str, str] = {
    "status": "cli.look_verbs:status",
    "list": "cli.look_verbs:list_scenes",
    "explain": "cli.look_verbs:explain",
    "journal": "cli.look_verbs:journal",
    "doctor": "cli.look_verbs:doctor",
    "preview": "cli.look_verbs:preview",
    "sync": "cli.act_verbs:sync",
    "retry": "cli.act_verbs:retry",
    "purge": "cli.act_verbs:purge",
    "reset": "cli.act_verbs:reset",
    "undo": "cli.act_verbs:undo",
    "map": "cli.act_verbs:map_scene",
    "ignore": "cli.act_verbs:ignore",
    "logs": "cli.side_verbs:logs",
    "diagnostics": "cli.side_verbs:diagnostics",
    "worker": "cli.side_verbs:worker",
    "demo": "cli.side_verbs:demo",
    "intake": "cli.side_verbs:intake",
}

ABOUT = (
    "What you type in Stash is in Plex. Run it as the user that Stash runs as: it works on the data of the plugin it "
    "lies in, and reaches Stash by the session that the last Save or task left there."
)
CODES = "Ends with 0 when it is done, 1 when it could not be done or something is unwell, 2 when it was asked wrongly."


class _ScriptsParser(argparse.ArgumentParser):
    """Says in JSON, too, what makes no sense."""

    def error(self, message: str) -> NoReturn:
        print_json({"error": f"{message}. {' '.join(self.format_usage().split())}"})
        self.exit(2)


def build_parser(*, for_scripts: bool = False) -> argparse.ArgumentParser:
    family = _ScriptsParser if for_scripts else argparse.ArgumentParser
    parser = family(prog="Stash2Plex.py", description=ABOUT, epilog=CODES)
    parser.add_argument("--version", action="version", version=f"Stash2Plex {VERSION}")
    _add_common(parser, data_dir=None, json=False)
    verbs = parser.add_subparsers(dest="verb", metavar="verb", title="verbs", required=True)
    grammar = _Grammar(verbs)
    _looking(grammar)
    _acting(grammar)
    _beside(grammar)
    return parser


class _Grammar:
    """Adds verbs that all look alike in help."""

    def __init__(self, verbs: Any) -> None:
        self._verbs = verbs

    def verb(self, name: str, summary: str, *examples: str) -> argparse.ArgumentParser:
        shown = "\n".join(f"  Stash2Plex.py {example}" for example in examples)
        parser = self._verbs.add_parser(
            name,
            help=summary,
            description=summary,
            epilog=f"examples:\n{shown}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        _add_common(parser, data_dir=argparse.SUPPRESS, json=argparse.SUPPRESS)  # else it would undo the one before it
        return parser


def _add_common(parser: argparse.ArgumentParser, *, data_dir: object, json: object) -> None:
    where = f"the folder stash2plex beside Stash's config.yml (default: {OVERRIDE}, else searched)"
    parser.add_argument("--data-dir", default=data_dir, metavar="DIR", help=where)
    parser.add_argument("--json", action="store_true", default=json, help="print the answer as JSON")


def _looking(grammar: _Grammar) -> None:
    status = grammar.verb(
        "status", "Say how many jobs and scenes stand where, and what is in the way.", "status", "status --watch"
    )
    status.add_argument("--watch", action="store_true", help="go on until Ctrl-C")
    listing = grammar.verb(
        "list",
        "List scenes with their state and the reason.",
        "list",
        "list --state ambiguous --limit 200",
        "list --state dead        (jobs that were given up, with the numbers that retry takes)",
    )
    listing.add_argument("--state", choices=[*STATES, DEAD], help="only those in this state")
    listing.add_argument("--limit", type=_above_zero, default=50, metavar="N", help="at most so many (default: 50)")
    _add_target(listing)
    explain = grammar.verb("explain", "Tell the whole story of a scene: why it is, or is not, in Plex.", "explain 42")
    explain.add_argument("scene", type=_above_zero, help="the scene's id in Stash")
    _add_target(explain)
    journal = grammar.verb(
        "journal",
        "List what was written to Plex: the runs, or the values.",
        "journal",
        "journal --run 12",
        "journal --scene 42",
    )
    journal.add_argument("--run", type=_above_zero, metavar="N", help="the values that this run wrote")
    journal.add_argument("--scene", type=_above_zero, metavar="ID", help="the values written for this scene")
    journal.add_argument("--limit", type=_above_zero, default=50, metavar="N", help="at most so many (default: 50)")
    _add_target(journal)
    doctor = grammar.verb(
        "doctor", "Check every part that must work; each is OK or says what to do.", "doctor", "doctor --json"
    )
    _add_target(doctor)
    preview = grammar.verb("preview", "Show what a sync would change, and change nothing.", "preview", "preview 42")
    preview.add_argument("scene", type=_above_zero, nargs="?", help="only this scene (default: all)")
    _add_target(preview)


def _acting(grammar: _Grammar) -> None:
    sync = grammar.verb(
        "sync",
        "Queue scenes for the worker.",
        "sync 42 43",
        "sync --recent --wait",
        "sync --all",
        "sync --wait    (what waits already)",
    )
    sync.add_argument("scenes", type=_above_zero, nargs="*", help="ids of scenes in Stash")
    which = sync.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="compare every scene with what Plex really shows")
    which.add_argument("--recent", action="store_true", help="those changed in the last 24 hours")
    sync.add_argument("--wait", action="store_true", help="make all waiting jobs due and stay until they are done")
    _add_target(sync)
    retry = grammar.verb("retry", "Try jobs again that were given up.", "retry 3 4", "retry --all", "list --state dead")
    retry.add_argument("ids", type=_above_zero, nargs="*", help="numbers of given-up jobs")
    retry.add_argument("--all", action="store_true", help="all of them")
    _add_target(retry)
    purge = grammar.verb("purge", "Forget jobs that were given up long ago.", "purge", "purge --days 7")
    purge.add_argument("--days", type=_above_zero, default=30, metavar="N", help="how long ago (default: 30)")
    reset = grammar.verb(
        "reset",
        "Remove the waiting jobs, the given-up jobs, or what is known of where Plex has its files. Asks first.",
        "reset queue",
        "reset dead-letters matches --yes",
    )
    reset.add_argument("what", nargs="+", choices=RESETS, help=", ".join(RESETS))
    _add_target(reset)
    _add_yes(reset)
    undo = grammar.verb(
        "undo",
        "Put back what was written to Plex, where Plex still shows it.",
        "undo",
        "undo --scene 42",
        "undo --run 12",
        "undo --all",
    )
    scope = undo.add_mutually_exclusive_group()
    scope.add_argument("--scene", type=_above_zero, metavar="ID", help="all that was written for this scene")
    scope.add_argument("--run", type=_above_zero, metavar="N", help="all that this run wrote (see journal)")
    scope.add_argument("--all", action="store_true", help="all that was ever written; asks first")
    _add_target(undo)
    _add_yes(undo)
    mapping = grammar.verb(
        "map", "Settle by hand which Plex item a scene is, and sync it.", "map 42 1234", "map 42 --clear"
    )
    mapping.add_argument("scene", type=_above_zero, help="the scene's id in Stash")
    mapping.add_argument("item", nargs="?", help="the item's number or name on the server (see explain)")
    mapping.add_argument("--clear", action="store_true", help="let it be matched by its files again")
    _add_target(mapping)
    ignore = grammar.verb(
        "ignore", "Leave scenes out of every sync, until you say --off.", "ignore 42", "ignore 42 --off"
    )
    ignore.add_argument("scenes", type=_above_zero, nargs="+", help="ids of scenes in Stash")
    ignore.add_argument("--off", action="store_true", help="sync them again")
    _add_target(ignore)


def _beside(grammar: _Grammar) -> None:
    logs = grammar.verb("logs", "Show the worker's log.", "logs", "logs -n 200", "logs --follow")
    logs.add_argument(
        "-n", type=_above_zero, default=50, dest="lines", metavar="N", help="the last N lines (default: 50)"
    )
    logs.add_argument("--follow", action="store_true", help="go on until Ctrl-C")
    diagnostics = grammar.verb(
        "diagnostics",
        "Write a zip for the person who helps you; it gives nothing away.",
        "diagnostics",
        "diagnostics --out help.zip",
    )
    diagnostics.add_argument("--out", metavar="FILE", help="the zip to write (default: a new one in this folder)")
    grammar.verb("worker", "Be the worker, in the foreground, unless one lives.", "worker")
    intake = grammar.verb("intake", "From a watched folder to the library: a service of its own.", "intake --help")
    intake.add_argument("arguments", nargs="...", help="a verb of intake, and what it takes")
    grammar.verb("demo", "See it work on simulated servers; nothing to configure, nothing left behind.", "demo")


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", choices=TARGETS, help="only this server (default: all that are set up)")


def _add_yes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _above_zero(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0  # noqa: PLR2004 - SQLite's integers
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return number
