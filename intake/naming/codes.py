"""A work's code: what a name may hold of it, how sure that is, and when two spellings are one code."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from intake.naming.noise import stem, without_noise


@dataclass(frozen=True, slots=True)
class Code:
    """A code in the one form that is stored and shown; its digits are never padded or stripped.

    `key` is the same for all spellings of one code. `spellings` are what a source may be asked for, in this order.
    `studio` stands beside a code that is only a date and a number: two studios may have one of the same day.
    """

    text: str
    key: str
    spellings: tuple[str, ...]
    studio: str = ""

    def is_same(self, other: "Code") -> bool:
        studios = {self.studio, other.studio} - {""}
        return self.key == other.key and len(studios) <= 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A code that a name may hold. A guess counts only if a source answers with the same code."""

    code: Code
    is_certain: bool


def find_codes(name: str, folder: str = "") -> tuple[Candidate, ...]:
    """List the codes that a file's name may hold: certain ones first, then as the rules find them.

    `folder`, the name of the file's folder, counts where the file's holds none; give it only if no other film is there.
    """
    found: dict[str, Candidate] = {}
    for part in reversed(without_noise(stem(name)).split("@")):  # before an @ stands who posted it
        for candidate in _candidates(part):
            found.setdefault(candidate.code.key, candidate)
    if folder and not found:
        return find_codes(folder)
    return tuple(sorted(found.values(), key=lambda one: not one.is_certain))


def read_code(text: str) -> Code:
    """Understand a code that a person typed or a source answered: all of the text is the code, known series or not."""
    shown = unicodedata.normalize("NFKC", text).strip().upper()
    for rule in _RULES:
        if match := rule.pattern.fullmatch(shown):
            return rule.read(match)
    return Code(shown, re.sub(r"[\W_]", "", shown), (shown,))


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Code]
    is_certain: Callable[[re.Match[str]], bool]


def _candidates(text: str) -> Iterator[Candidate]:
    """Apply the rules in their order. What one has read is hidden from the next: `FC2-PPV-123456` holds no PPV code."""
    for rule in _RULES:
        matches = list(rule.pattern.finditer(text))
        for match in matches:
            yield Candidate(rule.read(match), rule.is_certain(match))
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]


# How each series is read ----------------------------------------------------------------------------------------------


def _series(prefix: str, *other_prefixes: str) -> Callable[[re.Match[str]], Code]:
    """Read a series whose prefix is fixed; all groups are numbers."""

    def read(match: re.Match[str]) -> Code:
        numbers = "-".join(match.groups())
        spellings = tuple(one + numbers for one in (prefix, *other_prefixes))
        return Code(spellings[0], prefix + "-".join(_bare(number) for number in match.groups()), spellings)

    return read


def _joined(match: re.Match[str]) -> Code:
    """Read a series of fixed words: their parts with a dash between them."""
    text = "-".join(match.groups())
    return Code(text, text, (text,))


def _tokyo_hot(match: re.Match[str]) -> Code:
    text = match["series"] + match["number"]
    dashed = f"{match['series']}-{match['number']}"
    return Code(text, match["series"] + "-" + _bare(match["number"]), (text, f"TOKYO-HOT-{text}", dashed))


def _dated(match: re.Match[str]) -> Code:
    word = match["before"] or match["after"] or ""
    studio = next((name for start, name in _DATED_STUDIOS.items() if start in word), "")
    dashed, underlined = f"{match['date']}-{match['number']}", f"{match['date']}_{match['number']}"
    spellings = (dashed, underlined) if studio in {"CARIB", ""} else (underlined, dashed)
    return Code(dashed, dashed, spellings, studio)


def _plain(match: re.Match[str]) -> Code:
    """Read letters and digits. The number as written is asked for first: padded, a film may be another or none."""
    maker, letters, number = match["maker"] or "", match["letters"], match["number"]
    tail = match["tail"] or ""
    padded = _bare(number).zfill(3)
    prefixes = [maker + letters, letters] if maker else [letters]
    spellings = [f"{prefix}-{digits}{tail}" for prefix in prefixes for digits in (number, padded)]
    return Code(spellings[0], f"{letters}-{_bare(number)}{tail}", tuple(dict.fromkeys(spellings)))


def _undashed(match: re.Match[str]) -> Code:
    """Read letters and digits without a dash, also a shop's content id: `h_094abc00200` is ABC-200."""
    letters, number = match["letters"], match["number"]
    is_content_id = _CONTENT_ID.fullmatch(number)
    shown = _bare(number).zfill(3) if is_content_id else number
    text, content_id = f"{letters}-{shown}", (letters + number).lower()
    return Code(text, f"{letters}-{_bare(number)}", (text, content_id) if is_content_id else (text,))


def _western(match: re.Match[str]) -> Code:
    text = ".".join(match.groups())
    return Code(text, text, (text,))


def _bare(number: str) -> str:
    return number.lstrip("0") or "0"


# How sure a find is ---------------------------------------------------------------------------------------------------

_CONTENT_ID = re.compile(r"00\d{3}")
_CERTAIN_LETTERS, _CERTAIN_DIGITS = 6, 3
_NO_CODES = re.compile(
    r"WEB|DVD(?:RIP)?|BLURAY|BD|HD|SD|CD|DIS[CK]|PARTS?|PT|VOL(?:UME)?|EP|EPISODE|SEASON|CH|CHAPTER|CAP|NO|NOW|DAY|YEAR"
    r"|(?:TMDB|TVDB|IMDB)(?:ID)?|ANIDB|XVID|DIVX|AVC|HEVC|AAC|DTS|AC|MP|BT|HDR|PPV|TEST|FILE|MOVIE|VIDEO|VID|IMG|DSC|MVI"
    r"|AREA|BOEING|AIRBUS|AGENT|ROUTE|ROOM|FLIGHT|APOLLO"
)
_BRACKETS = " []()-_"
_DATE_AND_NUMBER = re.compile(r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d\d[-_]\d{3}")
_YEAR = re.compile(r"(?:19|20)\d\d")


def _certain(_: re.Match[str]) -> bool:
    return True


def _guess(_: re.Match[str]) -> bool:
    return False


def _is_dated_work(match: re.Match[str]) -> bool:
    """Tell whether the studio is named, or the name begins with a day, a month and a number of three digits."""
    is_first = not match.string[: match.start()].strip(_BRACKETS)
    return bool(match["before"] or match["after"]) or (is_first and bool(_DATE_AND_NUMBER.match(match[0])))


def _stands_alone(match: re.Match[str]) -> bool:
    """Tell whether the studio is named, or the code begins the name or follows a dash: `Area N1234` may be anything."""
    before = match.string[: match.start()].rstrip(_BRACKETS)
    return bool(match["word"]) or not before or match.string[match.start() - 1] in "-_"


def _is_content_id(match: re.Match[str]) -> bool:
    """Tell a shop's content id: five digits padded with zeros, right at the start, perhaps after the maker's number."""
    is_first = not match.string[: match.start()].strip(_BRACKETS)
    return is_first and match["gap"] == "" and bool(_CONTENT_ID.fullmatch(match["number"]))


def _looks_like_a_code(match: re.Match[str]) -> bool:
    """Tell whether letters and digits are a code, whatever film or series the name may be of."""
    letters, number = match["letters"], match["number"]
    return (
        match["dash"] == "-"
        and len(letters) <= _CERTAIN_LETTERS
        and len(number) >= _CERTAIN_DIGITS
        and not _YEAR.fullmatch(number)
        and not _NO_CODES.fullmatch(letters)
        and not re.search(r"[A-Z]-$", match.string[: match.start()])  # `One-Piece-603`
        and not re.match(r"[A-Z]{3}", match.string[match.end() :])
    )


# The rules: series with a grammar of their own, then letters and digits -----------------------------------------------

_DATED_STUDIOS = {"PR": "CARIBPR", "CARIB": "CARIB", "PON": "1PON", "10MU": "10MU", "PACO": "PACO", "MURA": "MURA"}
_STUDIO = r"(?:CARIB[A-Z]*|1?POND[A-Z]*|1PON|10MU[A-Z]*|PACO[A-Z]*|(?:MURA)+)"
_BEFORE, _AFTER = rf"(?:DL)?(?P<before>{_STUDIO}[-_ ]+)?", rf"(?P<after>[-_ ]{_STUDIO}(?![A-Z0-9]))?"
_TOKYO_HOT = r"(?P<word>TOKYO[-_ ]?HOT[-_ ~]*)?"
_START, _END = r"(?<![A-Z0-9])", r"(?![0-9])"
_TAIL = r"(?:(?P<tail>[ZE])(?![A-Z0-9]))?"

_RULES = tuple(
    _Rule(re.compile(pattern), read, is_certain)
    for pattern, read, is_certain in (
        (rf"{_START}FC2[-_ )(]*(?:PPV)?[-_ )(]*(\d{{5,8}}){_END}", _series("FC2-", "FC2-PPV-"), _certain),
        (rf"{_START}HEYZO[-_ )(]*(?:(?:HD|LT|SD|FULL)[-_ ])?(\d{{3,4}}){_END}", _series("HEYZO-"), _certain),
        (rf"{_START}HEY(?:DOUGA[-_ .]?|[-_])(\d{{4}})[-_ ](\d{{3,4}}){_END}", _series("HEYDOUGA-", ""), _certain),
        (rf"^[\[\] ]*(4\d{{3}})-(\d{{3,4}}){_END}", _series("HEYDOUGA-", ""), _guess),
        (rf"{_START}XXX[-_ ]AV[-_ ]?(\d{{4,5}}){_END}", _series("XXX-AV-"), _certain),
        (rf"{_START}MYWIFE[-_ ]*(?:NO[-._ ]*)?(\d{{3,4}}){_END}", _series("MYWIFE NO.", "MYWIFE-"), _certain),
        (rf"{_START}1000GIRI[-_ ]?(\d{{6}}){_END}", _series("1000GIRI-"), _certain),
        (rf"{_START}(GETCHU|GYUTTO)[-_ ]?(\d{{4,8}}){_END}", _joined, _certain),
        (rf"{_START}(H4610|C0930|H0930)[-_ ]?([A-Z]+\d{{3,6}}){_END}", _joined, _certain),
        (rf"{_START}(MKY-[A-Z]{{2,3}})[-_ ]?(\d{{3}}){_END}", _joined, _certain),
        (rf"{_START}(MKBD)[-_ ]?(S\d{{2,3}}){_END}", _joined, _certain),
        (rf"{_START}((?:S2M|CW3D2D|MK3D2D|MCB3D)(?:BD|DV)?)[-_ ]?(\d{{2,3}}){_END}", _joined, _certain),
        (rf"{_START}(T28|T38|R18)[-_ ]?(\d{{3}}){_END}", _joined, _certain),
        (rf"{_START}{_BEFORE}(?P<date>\d{{6}})[-_ ](?P<number>\d{{2,3}}){_END}{_AFTER}", _dated, _is_dated_work),
        (rf"{_START}{_TOKYO_HOT}(?P<series>[NK])(?P<number>\d{{4}})(?![A-Z0-9])", _tokyo_hot, _stands_alone),
        (
            rf"{_START}{_TOKYO_HOT}(?P<series>RED|SKY|CZ|GEDO|EX)(?P<number>\d{{3,4}})(?![A-Z0-9])",
            _tokyo_hot,
            _stands_alone,
        ),
        (
            rf"{_START}(?:(?P<maker>[1-9]\d\d)|\d{{0,4}})(?P<letters>[A-Z]{{2,10}})(?P<dash>[-_])(?P<number>\d{{2,6}}){_END}{_TAIL}",
            _plain,
            _looks_like_a_code,
        ),
        (rf"{_START}([A-Z]{{2,6}})-([A-Z]\d{{2,3}}){_END}", _joined, _guess),
        (
            rf"{_START}(?:H_)?\d{{0,4}}(?P<letters>[A-Z]{{2,7}})(?P<gap> ?)(?P<number>\d{{2,5}}){_END}",
            _undashed,
            _is_content_id,
        ),
        (rf"{_START}([A-Z0-9]{{3,}})\.(\d\d)\.([01]\d)\.([0-3]\d)(?![0-9])", _western, _guess),
    )
)
