"""Redaction: what must never be read in a log."""

import html
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

from runtime.folder import DataFolder
from runtime.privacy.path_pseudonyms import PathPseudonyms, chosen_pseudonyms, open_pseudonyms, remember_choice

SHORTEST_SECRET = 4  # anything shorter would black out ordinary words
MOST_FORMS = 256
MASK = "[hidden]"


class Redactor:
    """Learns secrets and takes them out of texts, as they are and as they look in an address, in JSON or in markup.

    Paths are hidden as well where the person wants that, and in logs only: what a person is told to look at, in the
    status or in a scene's state, keeps its name.
    """

    def __init__(self, folder: DataFolder | None = None) -> None:
        self._folder = folder
        self._pseudonyms = chosen_pseudonyms(folder) if folder else None
        self._forms: tuple[str, ...] = ()

    def learn(self, *secrets: str) -> None:
        """Add secrets. Cookies are renewed without end, so only the newest are kept."""
        fresh = [form for one in secrets if len(one) >= SHORTEST_SECRET for form in forms_of(one)]
        self._forms = tuple(dict.fromkeys([*fresh, *self._forms]))[:MOST_FORMS]

    def hide_paths(self, *, on: bool) -> None:
        """Follow the setting obfuscate_paths, and have it known to whoever logs next, from its first line."""
        if on is (self._pseudonyms is not None):
            return
        self._pseudonyms = (open_pseudonyms(self._folder) if self._folder else PathPseudonyms(b"")) if on else None
        if self._folder:
            remember_choice(self._folder, hide=on)

    def clean(self, text: str) -> str:
        """Take out the secrets."""
        return _pattern(self._forms).sub(MASK, text) if self._forms else text

    def clean_for_log(self, text: str) -> str:
        """Take out the secrets, and the paths where the person wants that."""
        text = self.clean(text)
        return self._pseudonyms.hide(text) if self._pseudonyms else text


@lru_cache(maxsize=4)
def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(forms, key=len, reverse=True)  # one may be a part of another
    return re.compile("|".join(map(re.escape, longest_first)))


def forms_of(secret: str) -> Iterator[str]:
    """Yield a secret as it may look: plain, in an address, in JSON, as Python shows it, in markup."""
    in_addresses = [quote(secret, safe=""), quote(secret), quote_plus(secret)]
    yield secret
    yield from in_addresses
    for form in in_addresses:
        yield re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), form)
        yield quote(form, safe="")
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield repr(secret)[1:-1]
    yield html.escape(secret)
    yield html.escape(secret, quote=False)
