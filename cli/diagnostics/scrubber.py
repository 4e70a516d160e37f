"""The scrubber: a text that tells what went wrong and gives nothing away.

Secrets, addresses, paths and whatever stands in quotes are covered first. Of the rest only words are let through that
our own code says: a log is made of our sentences, so any other word came from the person's library or network.
"""

import ast
import builtins
import errno
import ipaddress
import os
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

from runtime.privacy.path_pseudonyms import PathPseudonyms
from runtime.privacy.redaction import Redactor

COVER = "…"
_SAID_BY_SQLITE = (
    "database is locked; database disk image is malformed; disk I/O error; file is not a database; no such table; "
    "unable to open database file; attempt to write a readonly database; database or disk is full; constraint failed"
)
_SAID_BY_LOGGING = "DEBUG INFO WARNING ERROR CRITICAL Traceback most recent call last File line in"

_ADDRESS = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"”)>]*")
_MAYBE_IP = re.compile(r"(?<![\w.])\[?[0-9A-Fa-f:.]*[.:][0-9A-Fa-f:.]*[0-9A-Fa-f](?:%\w+)?\]?(?::\d+)?")
_HOST = re.compile(r"(?:[\w.+-]+@)?\b(?:[\w-]+\.)+[A-Za-z][\w-]+\b(?::\d+)?")
_OUR_FILE = re.compile(r"\w+\.(?:py|json|db|log|err|yml|txt)")
_QUOTED = re.compile(r"""(?<!\w)(["'])(?!<\w+>)(.+?)\1(?!\w)""")
_KEPT = re.compile(r"((?:/…/[0-9a-f]{8}/)?\b[0-9a-f]{8}\b(?:\.\w+)?|<\w+>)")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"[0-9]+(?:T[0-9]+)?")  # the T of a moment


class Scrubber:
    """Covers everything that is the person's, in texts and in whatever JSON holds texts."""

    def __init__(self, redactor: Redactor, pseudonyms: PathPseudonyms, places: dict[str, str], hosts: set[str]) -> None:
        """`places` are folders of ours and what to call them; `hosts` are names that must not be read."""
        self._redactor = redactor
        self._pseudonyms = pseudonyms
        self._places = sorted(places.items(), key=lambda place: len(place[0]), reverse=True)
        self._hosts = [host for host in sorted(hosts, key=len, reverse=True) if host]

    def text(self, text: str) -> str:
        """Scrub a text line by line; the same text gives the same result."""
        return "\n".join(map(self._line, text.splitlines()))

    def data(self, value: object) -> object:
        """Scrub every text of a JSON value, names of fields among them."""
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            return {self._line(str(name)): self.data(one) for name, one in fields.items()}
        if isinstance(value, list | tuple):
            return [self.data(one) for one in cast("list[Any]", value)]
        return self.text(value) if isinstance(value, str) else value

    def _line(self, line: str) -> str:
        line = self._redactor.clean(line)
        for host in self._hosts:
            line = re.sub(rf"(?<!\w){re.escape(host)}(?!\w)", COVER, line, flags=re.IGNORECASE)
        line = _ADDRESS.sub(COVER, line)
        line = _MAYBE_IP.sub(_cover_ip, line)
        line = self._pseudonyms.hide(line)
        for folder, name in self._places:
            line = line.replace(folder, name)
        line = _QUOTED.sub(rf"\1{COVER}\1", line)
        pieces = _KEPT.split(line)  # what we covered, and between it what is left to look at
        pieces[::2] = [_WORD.sub(_cover_stranger, _HOST.sub(_cover_host, piece)) for piece in pieces[::2]]
        return re.sub(rf"{COVER}(?:[\s_-]*{COVER})+", COVER, "".join(pieces))


def _cover_ip(found: re.Match[str]) -> str:
    host = found[0].strip("[]")
    for candidate in (host, host.rpartition(":")[0].strip("[]"), host.partition("%")[0]):
        try:
            ipaddress.ip_address(candidate)
        except ValueError:
            continue
        return COVER
    return found[0]


def _cover_host(found: re.Match[str]) -> str:
    return found[0] if _OUR_FILE.fullmatch(found[0]) else COVER


def _cover_stranger(found: re.Match[str]) -> str:
    word = found[0]
    return word if _NUMBER.fullmatch(word) or word.casefold() in _vocabulary() else COVER


@cache
def _vocabulary() -> frozenset[str]:
    """Collect the words that our own code says, and those of the errors of Python, the system and SQLite."""
    errors = [name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)]
    said = [*_our_words(), *errors, *map(os.strerror, errno.errorcode), _SAID_BY_SQLITE, _SAID_BY_LOGGING]
    return frozenset(word.casefold() for text in said for word in _WORD.findall(text))


def _our_words() -> Iterator[str]:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for folder, names, files in os.walk(root):
        names[:] = [
            name for name in names if os.path.exists(os.path.join(folder, name, "__init__.py")) and name != "sim"
        ]
        for file in files:
            if file.endswith(".py"):
                yield file
                with open(os.path.join(folder, file), encoding="utf-8") as source:
                    yield from _words_of(ast.parse(source.read()))


def _words_of(tree: ast.Module) -> Iterator[str]:
    """Yield the texts and the names of a module; what it says about itself in docstrings is left out."""
    asides = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in asides:
            yield node.value
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id  # a field, by whose name a state file is read
