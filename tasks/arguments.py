"""The arguments of actions: raw JSON to typed values, or a sentence that says what is wrong with them.

One class for each set of arguments; its fields are their names, and `read` makes it of what Stash, the page or the
command line gave. Standard library only, and little of it: a status waits for every import made here.
"""

from __future__ import annotations

from model.sentences import counted
from model.targets import TITLES
from model.user_error import UserError
from runtime.record import dataclass
from validation.events import parse_id
from validation.json_shapes import as_list, as_object

TYPE_CHECKING = False  # typing and collections.abc take time that only a type checker has
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_IDS = 10_000
USUAL_PAGE = 50
MOST_A_PAGE = 1000
MOST_TEXT = 100
MOST_QUERY = 200
DEFAULT_PURGE_DAYS = 30
STATES = (
    "synced",
    "waiting",
    "ambiguous",
    "refused",
    "skipped",
    "failed",
    "undone",
    "ignored",
    "queued",
    "left",
    "kept",
)
"""What scenes can be listed by: the states of the ledger, and three that only a list knows."""
_SWITCH = {"true": True, "1": True, "false": False, "0": False}


class Arguments:
    """What an action was asked with. Numbers and switches may come as text, as everywhere in Stash; null is nothing."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self._raw = {name: value for name, value in raw.items() if value is not None}
        self._empty = frozenset(name for name, value in raw.items() if value is None)

    def check_names(self, action: str, known: Iterable[str]) -> None:
        """Refuse an argument that does not exist: a typo must not mean "all"."""
        names = list(known)
        strangers = sorted((set(self._raw) | self._empty) - {"mode", *names})
        if strangers:
            takes = f"takes: {', '.join(names)}" if names else "takes none"
            raise UserError(f"{action} has no argument {strangers[0]!r:.60}; it {takes}.")

    def has(self, name: str) -> bool:
        return name in self._raw

    def is_null(self, name: str) -> bool:
        """Tell whether it was given, as null."""
        return name in self._empty

    def need_id(self, name: str) -> int:
        found = self.id(name)
        if found is None:
            raise UserError(f"{name} is missing; it is a whole number above 0.")
        return found

    def id(self, name: str) -> int | None:
        if name not in self._raw:
            return None
        found = parse_id(self._raw[name])
        if found is None:
            raise UserError(f"{name} must be a whole number above 0; it is {self._raw[name]!r:.60}.")
        return found

    def need_text(self, name: str) -> str:
        """Read the name of an item: servers use numbers or letters."""
        value = self._raw.get(name)
        text = value.strip() if isinstance(value, str) else str(value) if isinstance(value, int) else ""
        if not text or len(text) > MOST_TEXT:
            raise UserError(f"{name} is missing or makes no sense; it is the number or name that the server gave.")
        return text

    def query(self, name: str) -> str:
        """Read words to look for."""
        value = self._raw.get(name)
        if not isinstance(value, str) or not value.strip() or len(value) > MOST_QUERY:
            raise UserError(f"{name} is missing; it is some words of a title or of a file's name.")
        return value.strip()

    def ids(self, name: str = "ids") -> tuple[int, ...]:
        """Read a list of numbers, each once."""
        listed = as_list(self._raw.get(name))
        if not listed:
            raise UserError(f"{name} must be a list of whole numbers above 0.")
        if len(listed) > MOST_IDS:
            raise UserError(f"{name} has {counted(len(listed), 'entry')}; at most {MOST_IDS} are taken at once.")
        found = [parse_id(one) for one in listed]
        wrong = next((raw for raw, one in zip(listed, found, strict=True) if one is None), None)
        if wrong is not None:
            raise UserError(f"{name} must be a list of whole numbers above 0; one of them is {wrong!r:.60}.")
        return tuple(dict.fromkeys(one for one in found if one is not None))

    def ids_if_given(self, name: str) -> tuple[int, ...] | None:
        return self.ids(name) if name in self._raw else None

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self._raw.get(name, default)
        found = _SWITCH.get(str(value).strip().lower())
        if found is None:
            raise UserError(f"{name} must be true or false; it is {value!r:.60}.")
        return found

    def page_size(self) -> int:
        """Read `limit`."""
        found = self.id("limit") or USUAL_PAGE
        if found > MOST_A_PAGE:
            raise UserError(f"limit is {found}; at most {MOST_A_PAGE} are given at once.")
        return found

    def after(self) -> str:
        """Read where the page before ended, `next` of its answer; empty at the beginning."""
        value = self._raw.get("after", "")
        text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else "?"
        if text.strip("abcdefghijklmnopqrstuvwxyz0123456789:;") or len(text) > MOST_TEXT:
            raise UserError(f"after must be `next` of the page before; it is {value!r:.60}.")
        return "" if text == "0" else text

    def choice(self, name: str, allowed: Iterable[str]) -> str | None:
        value = self._raw.get(name)
        names = list(allowed)
        if value is not None and value not in names:
            raise UserError(f"{name} is {value!r:.60}; there are: {', '.join(names)}.")
        return value if isinstance(value, str) else None

    def target(self) -> str | None:
        """Read which target is meant; None means all that are on."""
        return self.choice("target", TITLES)

    def values(self, name: str) -> dict[str, object]:
        found = as_object(self._raw.get(name))
        if not found:
            raise UserError(f"{name} must be an object with settings.")
        return found


@dataclass(frozen=True, slots=True)
class Nothing:
    """No arguments."""

    @classmethod
    def read(cls, _given: Arguments) -> Nothing:
        return cls()


Nothing.__record_fields__ = ()  # pyright: ignore[reportAttributeAccessIssue] - a class without fields has none to find


@dataclass(frozen=True, slots=True)
class OfTarget:
    target: str | None = None

    @classmethod
    def read(cls, given: Arguments) -> OfTarget:
        return cls(given.target())


@dataclass(frozen=True, slots=True)
class SceneList:
    """Scenes in a state, or all that are known, a page at a time."""

    state: str | None = None
    target: str | None = None
    limit: int = USUAL_PAGE
    after: str = ""

    @classmethod
    def read(cls, given: Arguments) -> SceneList:
        return cls(given.choice("state", STATES), given.target(), given.page_size(), given.after())


@dataclass(frozen=True, slots=True)
class OneScene:
    scene_id: int
    target: str | None = None

    @classmethod
    def read(cls, given: Arguments) -> OneScene:
        return cls(given.need_id("scene_id"), given.target())


@dataclass(frozen=True, slots=True)
class SomeScenes:
    ids: tuple[int, ...]
    target: str | None = None

    @classmethod
    def read(cls, given: Arguments) -> SomeScenes:
        return cls(given.ids(), given.target())


@dataclass(frozen=True, slots=True)
class IgnoreScenes:
    """One scene or several, and whether they are left out from now on or no longer."""

    scene_id: int | None
    ids: tuple[int, ...]
    ignore: bool = True
    target: str | None = None

    @classmethod
    def read(cls, given: Arguments) -> IgnoreScenes:
        if given.has("ids") == given.has("scene_id"):
            raise UserError('Say which: "scene_id": 42 or "ids": [42, 43].')
        one = given.id("scene_id")
        return cls(one, given.ids() if one is None else (one,), given.flag("ignore", default=True), given.target())


@dataclass(frozen=True, slots=True)
class MapScene:
    scene_id: int
    item_id: str
    target: str | None = None

    @classmethod
    def read(cls, given: Arguments) -> MapScene:
        return cls(given.need_id("scene_id"), given.need_text("item_id"), given.target())


@dataclass(frozen=True, slots=True)
class SearchItems:
    query: str
    target: str | None = None
    limit: int = USUAL_PAGE

    @classmethod
    def read(cls, given: Arguments) -> SearchItems:
        return cls(given.query("query"), given.target(), given.page_size())


@dataclass(frozen=True, slots=True)
class LetterList:
    limit: int = USUAL_PAGE
    after: str = ""
    target: str | None = None

    @classmethod
    def read(cls, given: Arguments) -> LetterList:
        return cls(given.page_size(), given.after(), given.target())


@dataclass(frozen=True, slots=True)
class SomeLetters:
    """Given-up jobs: by their numbers, by their scenes, or all. Exactly one of the three is said."""

    ids: tuple[int, ...] | None
    scene_ids: tuple[int, ...] | None = None
    all: bool = False
    target: str | None = None

    @classmethod
    def read(cls, given: Arguments) -> SomeLetters:
        everything, said = given.flag("all"), [name for name in ("ids", "scene_ids") if given.has(name)]
        if everything and said:
            raise UserError(f"Give either {said[0]} or all, not both.")
        if len(said) > 1:
            raise UserError("Give either ids or scene_ids, not both.")
        if not (everything or said):
            raise UserError('Say which: "ids": [1, 2], "scene_ids": [42] or "all": true.')
        return cls(given.ids_if_given("ids"), given.ids_if_given("scene_ids"), everything, given.target())


@dataclass(frozen=True, slots=True)
class OldLetters:
    days: int = DEFAULT_PURGE_DAYS

    @classmethod
    def read(cls, given: Arguments) -> OldLetters:
        return cls(given.id("days") or DEFAULT_PURGE_DAYS)


@dataclass(frozen=True, slots=True)
class JournalPart:
    target: str | None = None
    run_id: int | None = None
    scene_id: int | None = None
    limit: int = USUAL_PAGE
    after: str = ""

    @classmethod
    def read(cls, given: Arguments) -> JournalPart:
        return cls(given.target(), given.id("run_id"), given.id("scene_id"), given.page_size(), given.after())


@dataclass(frozen=True, slots=True)
class UndoWhat:
    """What is undone: a run, all of one scene, some values by their numbers, everything; none of them: the last run."""

    target: str | None = None
    run_id: int | None = None
    scene_id: int | None = None
    ids: tuple[int, ...] | None = None
    all: bool = False

    @classmethod
    def read(cls, given: Arguments) -> UndoWhat:
        """Read it. Null beside another scope says nothing; by itself it must not mean the last run."""
        scopes = ("run_id", "scene_id", "ids", "all")
        if not any(map(given.has, scopes)) and (null := [name for name in scopes if given.is_null(name)]):
            needed = "true or false" if null[0] == "all" else "a whole number above 0"
            raise UserError(f"{null[0]} must be {needed}; it is None.")
        what = cls(
            given.target(), given.id("run_id"), given.id("scene_id"), given.ids_if_given("ids"), given.flag("all")
        )
        if sum((what.run_id is not None, what.scene_id is not None, what.ids is not None, what.all)) > 1:
            raise UserError("Undo takes one of run_id, scene_id, ids and all, not several.")
        return what


@dataclass(frozen=True, slots=True)
class PreviewSome:
    """All scenes, or only the first of them."""

    target: str | None = None
    limit: int | None = None

    @classmethod
    def read(cls, given: Arguments) -> PreviewSome:
        return cls(given.target(), given.id("limit"))


@dataclass(frozen=True, slots=True)
class Page:
    limit: int = USUAL_PAGE
    after: str = ""

    @classmethod
    def read(cls, given: Arguments) -> Page:
        return cls(given.page_size(), given.after())


@dataclass(frozen=True, slots=True)
class IntakeFile:
    """A file of intake, by the number of its row."""

    id: int

    @classmethod
    def read(cls, given: Arguments) -> IntakeFile:
        return cls(given.need_id("id"))


@dataclass(frozen=True, slots=True)
class IntakeCode:
    """A file of intake, and what a person says that it is."""

    id: int
    code: str

    @classmethod
    def read(cls, given: Arguments) -> IntakeCode:
        return cls(given.need_id("id"), given.need_text("code"))


@dataclass(frozen=True, slots=True)
class SaveSettings:
    """Settings by their keys; null takes one back, so that its default holds."""

    values: dict[str, object]

    @classmethod
    def read(cls, given: Arguments) -> SaveSettings:
        return cls(given.values("values"))
