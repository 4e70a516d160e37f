"""The grammar of `Stash2Plex.py intake`. Standard library only, so that help always works."""

import argparse
from typing import Any, NoReturn

from cli.screen import print_json
from runtime.folder import OVERRIDE

VERBS: dict[str, str] = {
    "run": "cli.intake.act_verbs:run",
    "status": "cli.intake.look_verbs:status",
    "list": "cli.intake.look_verbs:list_rows",
    "explain": "cli.intake.look_verbs:explain_row",
    "preview": "cli.intake.look_verbs:preview_file",
    "code": "cli.intake.look_verbs:code",
    "doctor": "cli.intake.look_verbs:doctor",
    "retry": "cli.intake.act_verbs:retry",
    "retry-all": "cli.intake.act_verbs:retry_all",
    "reset": "cli.intake.act_verbs:reset",
    "set-code": "cli.intake.act_verbs:set_code",
    "undo": "cli.intake.act_verbs:undo_row",
    "cleanup": "cli.intake.act_verbs:cleanup",
}
NEEDS_NO_FOLDER = frozenset({"code"})
STATUSES = ("pending", "processing", "moved", "emby_pending", "completed", "error")
ABOUT = "From a watched folder to the library: what arrives gets a name, a place and its metadata, and nothing is lost."
CODES = "Ends with 0 when it is done, 1 when it could not be done or something is unwell, 2 when it was asked wrongly."


class _ScriptsParser(argparse.ArgumentParser):
    """Says in JSON, too, what makes no sense."""

    def error(self, message: str) -> NoReturn:
        print_json({"error": f"{message}. {' '.join(self.format_usage().split())}"})
        self.exit(2)


def build_intake_parser(*, for_scripts: bool = False) -> argparse.ArgumentParser:
    family = _ScriptsParser if for_scripts else argparse.ArgumentParser
    parser = family(prog="Stash2Plex.py intake", description=ABOUT, epilog=CODES)
    _add_common(parser, data_dir=None, json=False)
    verbs = parser.add_subparsers(dest="verb", metavar="verb", title="verbs", required=True)
    _verb(verbs, "run", "Be the service, until Ctrl-C or a stop signal.")
    _looking(verbs)
    _acting(verbs)
    return parser


def _looking(verbs: Any) -> None:
    _verb(verbs, "status", "Count the rows in each status.")
    listing = _verb(verbs, "list", "List rows, the newest first.")
    listing.add_argument("--status", choices=STATUSES, help="only those in this status")
    listing.add_argument("--limit", type=_above_zero, default=50, metavar="N", help="at most so many (default: 50)")
    _add_id(_verb(verbs, "explain", "Tell a row's story: where it stands, why, and what to do."))
    preview = _verb(verbs, "preview", "Show what would be done with a file, and touch nothing.")
    preview.add_argument("path", help="the file")
    code = _verb(verbs, "code", "Say which code a file's name holds, and how sure that is.")
    code.add_argument("name", help="a file's name; - reads names from stdin, one a line, and answers in JSON")
    _verb(verbs, "doctor", "Check every part that must work; each is OK or says what to do.")


def _acting(verbs: Any) -> None:
    _add_id(_verb(verbs, "retry", "Let a row go on where it stopped, with all its tries."))
    _verb(verbs, "retry-all", "Do so for every row in error, but those that were undone.")
    _add_id(_verb(verbs, "reset", "Let a row begin anew, whatever its status."))
    pinning = _verb(verbs, "set-code", "Say what a file is, and let it be worked on.")
    _add_id(pinning)
    pinning.add_argument("code", help="the code, for example SONE-760")
    _add_id(_verb(verbs, "undo", "Bring a row's files back to where they came from."))
    cleanup = _verb(verbs, "cleanup", "Take completed rows out of the lists; what can be undone stays known.")
    cleanup.add_argument("--days", type=_days, default=7, metavar="N", help="those older than N days (default: 7)")


def _verb(verbs: Any, name: str, summary: str) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=summary, description=summary)
    _add_common(parser, data_dir=argparse.SUPPRESS, json=argparse.SUPPRESS)  # else it would undo the one before it
    return parser


def _add_common(parser: argparse.ArgumentParser, *, data_dir: object, json: object) -> None:
    where = f"the folder that keeps the state (default: {OVERRIDE}, else the plugin's)"
    parser.add_argument("--data-dir", default=data_dir, metavar="DIR", help=where)
    parser.add_argument("--json", action="store_true", default=json, help="print the answer as JSON")


def _add_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", type=_above_zero, help="the row's number (see list)")


def _above_zero(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0  # noqa: PLR2004 - PostgreSQL's integers
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return number


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):  # noqa: PLR2004 - centuries will do
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days")
    return int(text)
