"""The gate: which files of the watched folder are taken, and why another one is not, by a word and a sentence. Pure."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from intake.naming.noise import VIDEO_EXTENSIONS
from intake.naming.shown import is_text, quoted
from intake.watching.seen import FileKind, SeenFile

_MEGABYTE = 1 << 20
_IGNORED = re.compile(
    r"\..*|errors|@eadir|#recycle|\$recycle\.bin|lost\+found|system volume information|_unpack_.*|_failed_.*|incomplete"
)
_TEMPORARY = re.compile(
    r".*(?:\.(?:part|part-frag\d*|ytdl|crdownload|opdownload|!qb|!ut|aria2|tmp|temp|download|filepart|unfinished|partial)"
    r"|\.partial~|~|\.f\d{2,4}(?:-\w+)?\.(?:mp4|webm|mkv|m4v)|\.temp\.\w{2,4})"
)
_UNFINISHED_IF_BESIDE = (".aria2", ".part", ".ytdl", ".!qB", ".!ut")
_SAMPLE = re.compile(r"(?:sample|trailer)(?:[-._ ].*)?|.*[-._ ](?:sample|trailer)")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file is not taken: a word for programs and lists, a sentence for people."""

    word: str
    sentence: str


@dataclass(frozen=True, slots=True)
class GateRules:
    """What a person may set. Sizes are in bytes."""

    extensions: frozenset[str] = VIDEO_EXTENSIONS
    min_size: int = 1
    ignored_folders: frozenset[str] = frozenset()
    largest_sample: int = 300 * _MEGABYTE


def refuse(file: SeenFile, beside: Collection[str], rules: GateRules) -> Refusal | None:
    """Return why a file is not taken, None if it is. `beside` are the names in its folder."""
    offered = _Offered(file, beside, rules)
    for word, applies, sentence in _REASONS:
        if applies(offered):
            shown = quoted(file.relative)
            return Refusal(word, sentence.format(file=shown, size=file.identity.size, min_size=rules.min_size))
    return None


def is_ignored_folder(name: str, also: Collection[str] = ()) -> bool:
    """Tell whether nothing in a folder of this name is taken."""
    return bool(_IGNORED.fullmatch(name.lower())) or name.lower() in {one.lower() for one in also}


@dataclass(frozen=True, slots=True)
class _Offered:
    file: SeenFile
    beside: Collection[str]
    rules: GateRules

    def is_in_ignored_folder(self) -> bool:
        return any(is_ignored_folder(part, self.rules.ignored_folders) for part in self.file.folder.split("/") if part)

    def is_unfinished(self) -> bool:
        has_companion = any(self.file.name + ending in self.beside for ending in _UNFINISHED_IF_BESIDE)
        return has_companion or bool(_TEMPORARY.fullmatch(self.file.name.lower()))

    def is_no_video(self) -> bool:
        stem, _, extension = self.file.name.lower().rpartition(".")
        return not stem or extension not in self.rules.extensions

    def is_too_small(self) -> bool:
        return self.file.identity.size < self.rules.min_size and not self.file.name.lower().endswith(".strm")

    def is_sample(self) -> bool:
        stem = self.file.name.lower().rpartition(".")[0]
        return self.file.identity.size <= self.rules.largest_sample and bool(_SAMPLE.fullmatch(stem))


_REASONS: tuple[tuple[str, Callable[[_Offered], bool], str], ...] = (
    ("name", lambda one: not is_text(one.file.path), "The path of {file} is not UTF-8. Rename it."),
    ("link", lambda one: one.file.kind is FileKind.LINK, "{file} is a link; only files themselves are taken."),
    ("not_a_file", lambda one: one.file.kind is FileKind.OTHER, "{file} is no ordinary file."),
    ("ignored_folder", _Offered.is_in_ignored_folder, "{file} lies in a folder that is passed over."),
    ("hidden", lambda one: one.file.name.startswith("."), "{file} is hidden."),
    ("temporary", _Offered.is_unfinished, "{file} has the name of an unfinished download."),
    ("extension", _Offered.is_no_video, "{file} is no video by its extension."),
    ("too_small", _Offered.is_too_small, "{file} has {size} bytes, and at least {min_size} are asked for."),
    ("sample", _Offered.is_sample, "{file} is a sample or a trailer."),
)
