"""Where a server sees the files that lie here: the same folder often has another name there. Pure."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PathMap:
    """Prefixes here and there. Of several that fit, the longest counts; without one a path is the same there."""

    rules: Mapping[str, str]

    def there(self, path: str) -> str:
        fitting = [prefix for prefix in self.rules if _is_in(path, prefix)]
        if not fitting:
            return path
        longest = max(fitting, key=len)
        prefix, rest = self.rules[longest], path[len(longest.rstrip("/")) :]
        separator = "\\" if "\\" in prefix and "/" not in prefix else "/"
        return prefix.rstrip("/\\") + rest.replace("/", separator)


THE_SAME = PathMap({})


def path_key(path: str) -> str:
    """Write a path so that two spellings of one place are equal: separators, Unicode form, long-path prefixes."""
    plain = path.removeprefix("\\\\?\\").replace("\\", "/")
    return unicodedata.normalize("NFC", plain)


def name_key(path: str) -> str:
    """Write a path's last part so."""
    return path_key(path).rpartition("/")[2]


def _is_in(path: str, prefix: str) -> bool:
    return path.startswith(prefix.rstrip("/") + "/")
