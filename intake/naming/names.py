"""A file's new name and place: templates filled, and made fit for Linux, Windows and SMB.

What a source answers is data, not a path: every part of a filled template is sanitised, so that nothing leaves the
destination, and no name is longer than `MAX_BYTES`.
"""

import re
import string
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from intake.naming.codes import Code
from intake.naming.marks import SUBTITLE_WORDS

MAX_BYTES = 240  # of UTF-8; file systems allow 255, and a share or a backup may add to it
NAME_TEMPLATE = "{performers} - [{sub}] {code} {title}"
FOLDER_TEMPLATE = "{performer}"
TITLE_TEMPLATE = "{code} {title}"
FIELDS = ("code", "title", "performer", "performers", "sub", "studio", "date", "year")
TITLE_FIELDS = (*(field for field in FIELDS if field != "sub"), "file")
UNKNOWN, VARIOUS = "Unknown", "Various"

_MOST_NAMED = 3
_LITERAL_BYTES, _CODE_BYTES = 60, 60
_SHORTENED = ("title", "performers", "performer", "studio")  # in this order; the code never
_FORBIDDEN = '<>:"/\\|?*'
_WIDE = str.maketrans({one: chr(ord(one) + 0xFEE0) for one in _FORBIDDEN})
_UNDERSCORE = str.maketrans(dict.fromkeys(_FORBIDDEN, "_"))
_RESERVED = re.compile(r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])(?= *(?:\.|$))", re.IGNORECASE)
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]|\{\s*\}")
_JOINERS = "\u200c\u200d"  # between the halves of one letter


class BadTemplate(ValueError):
    """A template cannot be used; the text says why, and what is allowed."""


@dataclass(frozen=True, slots=True)
class NameFields:
    """What is known of a work, for its name. `subtitle` is a language tag; `date` is YYYY-MM-DD, or empty."""

    code: Code
    title: str = ""
    performers: tuple[str, ...] = ()
    subtitle: str = ""
    studio: str = ""
    date: str = ""


def check_template(template: str, allowed: Sequence[str] = FIELDS) -> None:
    """Raise `BadTemplate` unless every field exists and is written plainly."""
    try:
        pieces = list(string.Formatter().parse(template))
    except ValueError as error:
        raise BadTemplate(f"The template {template!r} has a brace too many or too few.") from error
    fields = {field for _, field, _, _ in pieces if field is not None}
    if any(spec or conversion for _, _, spec, conversion in pieces) or not fields <= set(allowed):
        raise BadTemplate(f"The template {template!r} has a field that is none of: {{{'}, {'.join(allowed)}}}.")
    if len("".join(literal for literal, *_ in pieces).encode("utf-8", "replace")) > _LITERAL_BYTES:
        raise BadTemplate(f"The template {template!r} has more than {_LITERAL_BYTES} bytes of text of its own.")


def file_stem(fields: NameFields, template: str = NAME_TEMPLATE, *, room: int = 20, wide: bool = True) -> str:
    """Fill a template for a file's name. `room`: bytes to keep free for the part, the language and the extension."""
    values = dict(_values(fields, wide=wide))
    for field in _SHORTENED:
        excess = len(_filled(template, values).encode()) + room - MAX_BYTES
        if excess <= 0:
            break
        values[field] = cut(values[field], max(0, len(values[field].encode()) - excess)).rstrip()
    return sanitise(_filled(template, values), wide=wide, limit=MAX_BYTES - room)


def shown_title(fields: NameFields, stem: str, template: str = TITLE_TEMPLATE) -> str:
    """Fill a template for the title that a server shows; `stem` is the file's name, and what is left if all is empty.

    It is no name of a file, so every letter stays what it is.
    """
    return _filled(template, {**_raw_values(fields), "file": stem}) or stem


def folder_parts(fields: NameFields, template: str = FOLDER_TEMPLATE, *, wide: bool = True) -> tuple[str, ...]:
    """Fill a template for the folder below the destination. A slash of the template begins a folder, no other does."""
    values = _values(fields, wide=wide)
    return tuple(sanitise(_filled(part, values), wide=wide) for part in template.split("/") if part.strip())


def part_suffix(part: int | None) -> str:
    """Return what stands behind the stem of a part, as Plex, Emby and Jellyfin know it."""
    return "" if part is None else f"-cd{part}"


def same_folder(wanted: str, existing: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """Return the folder that is there under this name: exactly, else but for case and width, else by an alias."""
    names = sorted(existing)
    if wanted in names:
        return wanted
    by_key = {_folded(name): name for name in reversed(names)}
    alias = {_folded(other): name for other, name in (aliases or {}).items()}.get(_folded(wanted), wanted)
    return by_key.get(_folded(wanted)) or by_key.get(_folded(alias)) or alias


def sanitise(text: str, *, wide: bool = True, limit: int = MAX_BYTES) -> str:
    """Return a name that Linux, Windows and SMB take. What was sanitised once is not changed again."""
    if not (text.isascii() and text.isprintable()):  # most are, and a look at each letter is what naming costs
        text = "".join(" " if one.isspace() else one for one in text if one.isspace() or _is_visible(one))
        text = unicodedata.normalize("NFC", text)
    text = text.translate(_WIDE if wide else _UNDERSCORE)
    text = cut(_trimmed(" ".join(text.split())), limit)
    text = cut(_RESERVED.sub(r"\1_", _trimmed(text), count=1) if _RESERVED.match(_trimmed(text)) else text, limit)
    return _trimmed(text) or "_"


def cut(text: str, limit: int) -> str:
    """Cut to so many bytes of UTF-8, between what a reader takes for letters."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return text
    end = len(encoded[:limit].decode("utf-8", "ignore"))
    while end and _is_inside_letter(text, end):
        end -= 1
    return text[:end]


def without_code(title: str, code: Code) -> str:
    """Take the code out of a title: in the name it stands beside it."""
    for spelling in dict.fromkeys((code.text, *code.spellings)):
        if spelling and title.startswith(f"{spelling} "):  # so most sites have it; what follows compiles a pattern
            title = title[len(spelling) :]
        if _bare(spelling) not in _bare(title):
            continue
        spelled = re.escape(spelling).replace(r"\-", "[-_ ]?")
        title = re.sub(rf"[\[(]?(?<![A-Za-z0-9]){spelled}(?![A-Za-z0-9])[\])]?", " ", title, flags=re.IGNORECASE)
    return " ".join(title.split()).strip(" -")


@lru_cache(maxsize=8)  # a name and a folder are made of the same
def _values(fields: NameFields, *, wide: bool) -> Mapping[str, str]:
    return {
        field: sanitise(value, wide=wide, limit=4 * MAX_BYTES) if value.strip() else ""
        for field, value in _raw_values(fields).items()
    }


def _raw_values(fields: NameFields) -> dict[str, str]:
    names = [name for name in fields.performers if name.strip()]
    return {
        "code": cut(fields.code.text, _CODE_BYTES),
        "title": without_code(fields.title, fields.code),
        "performer": names[0] if len(names) == 1 else VARIOUS if names else UNKNOWN,
        "performers": (", ".join(names) if len(names) <= _MOST_NAMED else VARIOUS) or UNKNOWN,
        "sub": SUBTITLE_WORDS.get(fields.subtitle, fields.subtitle),
        "studio": fields.studio,
        "date": fields.date[:10],
        "year": fields.date[:4],
    }


def _filled(template: str, values: Mapping[str, str]) -> str:
    return " ".join(_EMPTY_BRACKETS.sub("", template.format_map(values)).split()).strip(" -")


def _trimmed(text: str) -> str:
    return text.strip(" .")


def _bare(text: str) -> str:
    return "".join(one for one in text if one.isalnum()).lower()


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _is_visible(one: str) -> bool:
    """Tell whether a letter may stand in a name: none that controls or formats, no lone surrogate, no private one."""
    return one in _JOINERS or unicodedata.category(one) not in {"Cc", "Cf", "Cs", "Co"}


def _is_inside_letter(text: str, index: int) -> bool:
    """Tell whether what begins here belongs to the letter before: an accent, a joined emoji, half a flag."""
    one, before = text[index], text[index - 1]
    if _is_flag(one) and _is_flag(before):
        flags = len(text[:index]) - len(text[:index].rstrip("".join(map(chr, _FLAGS))))
        return flags % 2 == 1
    return one in _JOINERS or before == "\u200d" or unicodedata.category(one)[0] == "M" or ord(one) in _SKIN_TONES


_FLAGS, _SKIN_TONES = range(0x1F1E6, 0x1F200), range(0x1F3FB, 0x1F400)


def _is_flag(one: str) -> bool:
    return ord(one) in _FLAGS
