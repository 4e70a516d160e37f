"""The arguments of an operation: raw JSON to typed values, or a sentence that says what is wrong with them."""

from collections.abc import Iterable, Mapping

from stash.wire import Refusal
from validation.events import parse_id
from validation.json_shapes import as_list

MOST_IDS = 10_000
USUAL_PAGE = 50
MOST_A_PAGE = 1000


class Arguments:
    """What an operation was asked with. Numbers may come as digits, as everywhere in Stash."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self._raw = {name: value for name, value in raw.items() if value is not None}

    def check_names(self, operation: str, known: Iterable[str]) -> None:
        """Refuse an argument that does not exist: a typo must not mean "all"."""
        names = list(known)
        strangers = sorted(set(self._raw) - {"mode", *names})
        if strangers:
            takes = f"takes: {', '.join(names)}" if names else "takes none"
            raise Refusal(f"{operation} has no argument {strangers[0]!r:.60}; it {takes}.")

    def need_id(self, name: str) -> int:
        found = self.id(name)
        if found is None:
            raise Refusal(f"{name} is missing; it is a whole number above 0.")
        return found

    def id(self, name: str) -> int | None:
        if name not in self._raw:
            return None
        found = parse_id(self._raw[name])
        if found is None:
            raise Refusal(f"{name} must be a whole number above 0; it is {self._raw[name]!r:.60}.")
        return found

    def ids(self) -> list[int]:
        """Read `ids`, each once."""
        listed = as_list(self._raw.get("ids"))
        if not listed:
            raise Refusal("ids must be a list of whole numbers above 0.")
        if len(listed) > MOST_IDS:
            raise Refusal(f"ids has {len(listed)} entries; at most {MOST_IDS} are taken at once.")
        found = [parse_id(one) for one in listed]
        wrong = next((raw for raw, one in zip(listed, found, strict=True) if one is None), None)
        if wrong is not None:
            raise Refusal(f"ids must be a list of whole numbers above 0; one of them is {wrong!r:.60}.")
        return list(dict.fromkeys(one for one in found if one is not None))

    def ids_or_all(self) -> list[int] | None:
        """Read `ids`, or None if `all` says all. Neither or both is refused."""
        if self.flag("all"):
            if "ids" in self._raw:
                raise Refusal("Give either ids or all, not both.")
            return None
        if "ids" not in self._raw:
            raise Refusal('Say which: "ids": [1, 2] or "all": true.')
        return self.ids()

    def flag(self, name: str) -> bool:
        value = self._raw.get(name, False)
        if not isinstance(value, bool):
            raise Refusal(f"{name} must be true or false; it is {value!r:.60}.")
        return value

    def page_size(self) -> int:
        """Read `limit`."""
        found = self.id("limit") or USUAL_PAGE
        if found > MOST_A_PAGE:
            raise Refusal(f"limit is {found}; at most {MOST_A_PAGE} are given at once.")
        return found

    def after(self) -> int:
        """Read where the page before ended; 0 and nothing mean the beginning."""
        return 0 if self._raw.get("after") in (0, "0") else self.id("after") or 0

    def choice(self, name: str, allowed: Iterable[str]) -> str | None:
        value = self._raw.get(name)
        names = list(allowed)
        if value is not None and value not in names:
            raise Refusal(f"{name} is {value!r:.60}; there are: {', '.join(names)}.")
        return value if isinstance(value, str) else None
