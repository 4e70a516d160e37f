"""Pseudonyms for paths: folder and file names become pseudonyms, the same every time on this installation.

`/data/My Clips/One two.mp4` reads `/…/5f1c09aa/0b7de312.mp4`: whoever reads a log can tell that two lines speak of one
file, or of one name in two folders, and not which. Our own sentences put a path between marks (`quoted_path`), so that
its end is known whatever characters it has; in the sentences of others a path is whatever looks like one.
"""

import contextlib
import hashlib
import os
import re
import secrets
import sys
import unicodedata
from typing import Any

from model.sentences import CLOSE, OPEN, quoted_path
from runtime.folder import DataFolder
from runtime.state_file import read_state, write_state

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # the plugin's own folder
SALT_BYTES = 16

# An ending is kept if it says what kind of file it is; any other may be a part of a name.
_ENDINGS = re.compile(
    "3gp|avi|db|divx|flv|gif|iso|jpe?g|json|log|m2ts|m4v|mkv|mov|mp4|mpe?g|og[mv]|png|py|rm|rmvb|srt|ts|vob|web[mp]|wmv"
)
_START = r"(?:/(?=[^\s/])|[A-Za-z]:[\\/]|\\{2,}(?=[^\s\\]))"
_MARKED = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")
_QUOTED = re.compile(rf"""(["'])({_START}(?:\\.|(?!\1).)*)\1""")
_QUERY = re.compile(r"\?[\w.%<>-]+=[^\s'\")]*")
_ENCODED = re.compile(r"(?:\b[a-z](?:%3a|:))?%(?:2f|5c)[^\s&'\")]*", re.IGNORECASE)
_BARE = re.compile(rf"(?P<request>\b(?:GET|PUT|POST|DELETE|HEAD) /[^\s:]*)|(?<![\w/\\:.<…%{OPEN}]){_START}[^\r\n]*")
_ENDS_IN_A_FILE = re.compile(r"\.\w{2,5}[.,;:!?)\]'\"]*$")
_AFTER_A_PATH = ".,;:!?)]}'\""


class PathPseudonyms:
    """Hides paths in texts. Our own folders stay readable: a person is sent there, and no film lies in them."""

    def __init__(self, salt: bytes, *own_folders: str) -> None:
        self._salt = salt
        places = (ROOT, sys.prefix, sys.base_prefix, *own_folders)
        self._own = tuple(place.rstrip("/\\") for place in places if len(place) > 1)

    def hide(self, text: str) -> str:
        text = _MARKED.sub(lambda found: quoted_path(self._shown(found[1])), text)
        text = _QUOTED.sub(lambda found: f"{found[1]}{self._shown(found[2])}{found[1]}", text)
        text = _QUERY.sub("?…", text)
        text = _ENCODED.sub(lambda found: self.pseudonym(found[0]), text)
        return _BARE.sub(self._bare, text)

    def pseudonym(self, path: str) -> str:
        """Give folder and name a pseudonym each; a name without a folder keeps the one it has within any folder."""
        *folder, name = re.split(r"[\\/]", path.rstrip("\\/")) if path.strip("\\/") else [path]
        ending = name.rpartition(".")[2].lower() if "." in name else ""
        shown = self._digest(name) + (f".{ending}" if _ENDINGS.fullmatch(ending) else "")
        return f"/…/{self._digest('/'.join(folder))}/{shown}" if folder else shown

    def _shown(self, path: str) -> str:
        return path if not path or self._is_own(path) else self.pseudonym(path)

    def _is_own(self, path: str) -> bool:
        return any(path == own or path.startswith((own + "/", own + "\\")) for own in self._own)

    def _bare(self, found: re.Match[str]) -> str:
        """Cover a path that nothing marks, up to the last word of the line that still looks like a part of it."""
        if found["request"]:
            return found[0]
        words = re.split(r"(\s+)", found[0])
        ends = [place for place, word in enumerate(words) if re.search(r"[\\/]", word) or _ENDS_IN_A_FILE.search(word)]
        last = 0 if self._is_own(words[0]) else ends[-1]
        path, rest = "".join(words[: last + 1]), "".join(words[last + 1 :])
        bare = path.rstrip(_AFTER_A_PATH)
        if last == 0 and rest:
            rest = _BARE.sub(self._bare, rest)
        return self._shown(bare) + path[len(bare) :] + rest

    def _digest(self, text: str) -> str:
        plain = unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(plain, key=self._salt, digest_size=4).hexdigest()


def open_pseudonyms(folder: DataFolder) -> PathPseudonyms:
    """Return the pseudonyms of this installation; their salt is made once and stays."""
    state = read_state(folder.privacy_state)
    try:
        salt = bytes.fromhex(state.get("salt", ""))
    except (TypeError, ValueError):
        salt = b""
    if len(salt) != SALT_BYTES:
        salt = secrets.token_bytes(SALT_BYTES)
        _keep(folder, {**state, "salt": salt.hex()})
    return PathPseudonyms(salt, folder.root)


def remember_choice(folder: DataFolder, *, hide: bool) -> None:
    """Keep what the setting obfuscate_paths said last, for those who log before they have asked Stash."""
    state = read_state(folder.privacy_state)
    if state.get("hide_paths", False) is not hide:
        _keep(folder, {**state, "hide_paths": hide})


def chosen_pseudonyms(folder: DataFolder) -> PathPseudonyms | None:
    """Return them if paths are to be hidden in logs."""
    return open_pseudonyms(folder) if read_state(folder.privacy_state).get("hide_paths") is True else None


def _keep(folder: DataFolder, state: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # a full disk: then the pseudonyms are good for this process only
        write_state(folder.privacy_state, state)
