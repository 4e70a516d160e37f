"""Redaction: what must never be read in a log."""

from urllib.parse import quote

SHORTEST_SECRET = 4  # anything shorter would black out ordinary words
MOST_SECRETS = 64
MASK = "[hidden]"


class Redactor:
    """Learns secrets and takes them out of texts, as they are and as they look in an address."""

    def __init__(self) -> None:
        self._secrets: tuple[str, ...] = ()

    def learn(self, *secrets: str) -> None:
        """Add secrets. Cookies are renewed without end, so only the newest are kept."""
        forms = [form for one in secrets if len(one) >= SHORTEST_SECRET for form in (one, quote(one, safe=""))]
        self._secrets = tuple(dict.fromkeys([*forms, *self._secrets]))[:MOST_SECRETS]

    def clean(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):  # one may be a part of another
            text = text.replace(secret, MASK)
        return text
