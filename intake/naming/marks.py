"""Marks in a file's name: which part of a work it is, its subtitles' language, whether it is uncensored.

One name alone cannot tell: `ABC-123-C` is a film with Chinese subtitles, and beside an `ABC-123-A` it is a third part.
So the names of a folder are read together.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from intake.naming.codes import find_codes
from intake.naming.noise import stem, without_noise

SUBTITLE_WORDS = {"": "No Sub", "en": "English Sub", "zh": "Chinese Sub", "ja": "Japanese Sub", "ko": "Korean Sub"}

_SUBTITLE_FILES = frozenset({"srt", "ass", "ssa", "sub", "idx", "vtt"})
_TAGS = {
    **dict.fromkeys(("en", "eng", "english"), "en"),
    **dict.fromkeys(("zh", "zho", "chi", "chs", "cht", "sc", "tc", "zh-cn", "zh-tw", "chinese"), "zh"),
    **dict.fromkeys(("ja", "jpn", "jap", "japanese"), "ja"),
    **dict.fromkeys(("ko", "kor", "korean"), "ko"),
}

_NOT_BEFORE, _NOT_AFTER = r"(?<![A-Z0-9])", r"(?![A-Z0-9])"
_SUBBED = r"[-_. ]?SUB(?:S|BED|TITLES?|TITLED)?"
_LANGUAGES = {
    "zh": re.compile(rf"中文字幕|中字|字幕|{_NOT_BEFORE}(?:CH[ST]|(?:CHINESE|CHI){_SUBBED}|CHI){_NOT_AFTER}"),
    "en": re.compile(rf"{_NOT_BEFORE}ENG(?:LISH)?{_SUBBED}{_NOT_AFTER}|\.EN$"),
    "ja": re.compile(rf"{_NOT_BEFORE}(?:JPN|JAP(?:ANESE)?){_SUBBED}{_NOT_AFTER}|\.JA$"),
    "ko": re.compile(rf"{_NOT_BEFORE}KOR(?:EAN)?{_SUBBED}{_NOT_AFTER}|\.KO$"),
}
_UNCENSORED = re.compile(
    rf"無修正|无修正|无码|流出|破解|{_NOT_BEFORE}(?:UNCENSORED|UNCEN|LEAK(?:ED)?|RESTORED){_NOT_AFTER}"
)
_PART = re.compile(rf"(?<![A-Z])(?:CD|PT|PART|DIS[CK])[-_. ]?([1-9]\d?){_NOT_AFTER}|(?<=\d)HHB([1-9]){_NOT_AFTER}")
_LETTER_MARK = re.compile(r"(?<=\d)[-_]?(UC|CH|C|U)(?=[-_. \[(]|$)|[-_. ](UC|CH|C|U)$")
_LAST_LETTER = re.compile(r"(?:[-_. ]|(?<=\d))([A-Z])$")
_LAST_NUMBER = re.compile(r"(?:[-_. ]|(?<=HD)|(?<=SD))([1-9]\d?|0[1-9])$")
_SEPARATORS = " -_.~"


@dataclass(frozen=True, slots=True)
class Marks:
    """What a name says beside its code. `rest` is the name without all that; `subtitle` a language tag, or empty."""

    rest: str
    part: int | None = None
    subtitle: str = ""
    is_uncensored: bool = False


_NONE: Mapping[str, Marks] = {}


def subtitle_beside(suffixes: Iterable[str]) -> str:
    """Return the language of the subtitles that lie beside a video, by what their names have more: `.en.srt`."""
    words = [suffix.lower().strip(".").split(".") for suffix in suffixes]
    found = {_TAGS[one[-2]] for one in words if len(one) > 1 and one[-1] in _SUBTITLE_FILES and one[-2] in _TAGS}
    return next((tag for tag in SUBTITLE_WORDS if tag in found), "")


def read_marks(names: Iterable[str], words: Mapping[str, Marks] | None = None) -> dict[str, Marks]:
    """Read the names of the videos of one folder; `words` is what `read_words` has said of them, if that is known."""
    marks = dict(words) if words is not None else read_words(names)
    marks = _read_parts(marks, _LAST_LETTER)
    marks = {name: _read_letters(one) for name, one in marks.items()}
    marks = _read_parts(marks, _LAST_NUMBER)
    return {name: _read_letters(one) for name, one in marks.items()}


def read_words(names: Iterable[str], known: Mapping[str, Marks] = _NONE) -> dict[str, Marks]:
    """Read what each name says by itself; of those that are `known` it is known."""
    return {name: known.get(name) or _read_words(stem(name)) for name in names}


def _read_words(name: str) -> Marks:
    """Read what is said in so many words, and parts that are called so."""
    text = without_noise(name)
    subtitle = next((tag for tag, words in _LANGUAGES.items() if words.search(text)), "")
    is_uncensored = bool(_UNCENSORED.search(text))
    for words in (*_LANGUAGES.values(), _UNCENSORED):
        text = words.sub(" ", text)
    part = _PART.search(text)
    number = int(part[1] or part[2]) if part else None
    return Marks(_PART.sub(" ", text).strip(_SEPARATORS), number, subtitle, is_uncensored)


def _read_letters(marks: Marks) -> Marks:
    """Read the marks of one or two letters: C and CH for Chinese subtitles, U for uncensored, UC for both."""
    while found := _LETTER_MARK.search(marks.rest):
        letters = found[1] or found[2]
        rest = (marks.rest[: found.start()] + " " + marks.rest[found.end() :]).strip(_SEPARATORS)
        subtitle = "zh" if "C" in letters else marks.subtitle
        marks = replace(marks, rest=rest, subtitle=subtitle, is_uncensored=marks.is_uncensored or "U" in letters)
    return marks


def _read_parts(marks: Mapping[str, Marks], last: re.Pattern[str]) -> dict[str, Marks]:
    """Take a last letter or number for a part if the same code with the same rest ends in another one as well."""
    ends = {name: last.search(one.rest) for name, one in marks.items() if one.part is None}
    siblings: defaultdict[str, set[str]] = defaultdict(set)
    for end in ends.values():
        if end:
            siblings[_rest_before(end)].add(end[1].lstrip("0"))
    read = dict(marks)
    for name, end in ends.items():
        if end and _are_parts(siblings[_rest_before(end)]) and find_codes(_rest_before(end)):
            read[name] = replace(marks[name], rest=_rest_before(end), part=_number(end[1]))
    return read


def _rest_before(end: re.Match[str]) -> str:
    return end.string[: end.start()].strip(_SEPARATORS)


def _are_parts(values: set[str]) -> bool:
    """C and U alone are two editions of a work: one with subtitles, one uncensored."""
    return len(values) > 1 and not values <= {"C", "U"}


def _number(letter_or_number: str) -> int:
    return int(letter_or_number) if letter_or_number.isdigit() else ord(letter_or_number) - ord("A") + 1
