"""What lies beside a video: the other parts of its work, and its sidecars (subtitles, NFO, pictures)."""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable

from intake.naming.marks import Marks, read_marks, read_words, subtitle_beside
from intake.naming.noise import SIDECAR_EXTENSIONS, VIDEO_EXTENSIONS
from intake.naming.shown import is_text
from model.picture import PictureKind

_LONGEST_SUFFIX = 60
_COARSEST_TICK_NS = 50_000_000  # two changes of a folder within a tick of the kernel's clock have one time
_PICTURES = ("-poster", "-fanart", "-thumb", "-banner", "-landscape", "-clearlogo", "-backdrop", "-cover")
_PICTURE_EXTENSIONS = frozenset({"jpg", "jpeg", "png", "webp"})
_PLACES = {
    **dict.fromkeys(("", "-poster", "-cover"), PictureKind.POSTER),
    **dict.fromkeys(("-fanart", "-backdrop"), PictureKind.BACKGROUND),
    "-banner": PictureKind.BANNER,
}


Sidecar = tuple[str, str]  # its name, and what that has behind the video's: `.en.srt`, `-poster.jpg`


class Beside:
    """The names of one folder, read together."""

    def __init__(
        self,
        names: Iterable[str],
        video_extensions: Iterable[str] = VIDEO_EXTENSIONS,
        before: "Beside | None" = None,
    ) -> None:
        """Read the names; `before` is the same folder a moment ago, most of whose names are the same."""
        texts = sorted(name for name in names if is_text(name))
        extensions = frozenset(video_extensions)
        videos = [name for name in texts if extension(name) in extensions]
        self.words = read_words(videos, before.words if before else {})
        self._marks = read_marks(videos, self.words)
        self._parts: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        for name, marks in self._marks.items():
            if marks.part is not None:
                self._parts[marks.rest].append((marks.part, name))
        stems = {os.path.splitext(name)[0] for name in self._marks}
        self._sidecars: defaultdict[str, list[Sidecar]] = defaultdict(list)
        self._sidecars_of_all: defaultdict[str, list[Sidecar]] = defaultdict(list)
        for name in texts:
            if extension(name) not in SIDECAR_EXTENSIONS:
                continue
            if stem := _longest_stem(name, stems.__contains__):
                self._sidecars[stem].append((name, name[len(stem) :]))
            elif stem := _longest_stem(name, lambda one: _rest(one) in self._parts):
                self._sidecars_of_all[_rest(stem)].append((name, name[len(stem) :]))

    @classmethod
    def of_folder(
        cls, folder: str, video_extensions: Iterable[str] = VIDEO_EXTENSIONS, before: "Beside | None" = None
    ) -> "Beside":
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        return cls(names, video_extensions, before)

    @property
    def videos(self) -> tuple[str, ...]:
        return tuple(self._marks)

    def marks(self, video: str) -> Marks:
        return self._marks.get(video) or read_marks([video])[video]

    def subtitle(self, video: str) -> str:
        """Return the language of the video's subtitles, by its own name or by that of a file beside it."""
        beside = (*self.sidecars(video), *self.sidecars_of_all_parts(video))
        return self.marks(video).subtitle or subtitle_beside(suffix for _, suffix in beside)

    def parts(self, video: str) -> tuple[str, ...]:
        """List all parts of the video's work, in their order; the video alone, if it is no part."""
        marks = self.marks(video)
        if marks.part is None or video not in self._marks:
            return (video,)
        return tuple(name for _, name in sorted(self._parts[marks.rest]))

    def sidecars(self, video: str) -> tuple[Sidecar, ...]:
        """List the video's own sidecars."""
        return tuple(self._sidecars.get(os.path.splitext(video)[0], ()))

    def sidecars_of_all_parts(self, video: str) -> tuple[Sidecar, ...]:
        """List those of the whole work that the video is a part of: `QRST-1.nfo` beside `QRST-1-cd1.mp4`."""
        marks = self.marks(video)
        return () if marks.part is None else tuple(self._sidecars_of_all.get(marks.rest, ()))


class BesideCache:
    """Remembers what lies in a folder while it stays as it is, so that a full one is not read anew for each file."""

    def __init__(self, video_extensions: Iterable[str] = VIDEO_EXTENSIONS, seconds: float = 1.0) -> None:
        self._video_extensions = frozenset(video_extensions)
        self._seconds = seconds
        self._remembered: dict[str, tuple[float, int, Beside]] = {}

    def of_folder(self, folder: str, now: float) -> Beside:
        """Read a folder, or remember it if it has not changed: for a second, and for one more per thousand videos."""
        changed_at = os.stat(folder).st_mtime_ns
        until, known_at, beside = self._remembered.get(folder, (now, 0, None))
        if beside is None or now >= until or known_at != changed_at:
            is_settled = not 0 <= time.time_ns() - changed_at < _COARSEST_TICK_NS  # else more may come unnoticed
            beside = Beside.of_folder(folder, self._video_extensions, beside)
            until = now + self._seconds * (1 + len(beside.videos) // 1000)
            self._remembered = {folder: (until, changed_at if is_settled else 0, beside)}
        return beside


def extension(name: str) -> str:
    """Return a name's extension in lower case, without its dot."""
    return os.path.splitext(name)[1][1:].lower()


def picture_kind(sidecar: str, video: str) -> PictureKind | None:
    """Say what a sidecar is shown as by servers, by what its path has behind the video's; None if it is no picture."""
    stem = os.path.splitext(video)[0]
    is_picture = sidecar.startswith(stem) and extension(sidecar) in _PICTURE_EXTENSIONS
    return _PLACES.get(os.path.splitext(sidecar)[0][len(stem) :].lower()) if is_picture else None


def _longest_stem(sidecar: str, is_stem: Callable[[str], bool]) -> str:
    """Return the longest: `QRST-1.cd2.srt` goes with `QRST-1.cd2.mp4` rather than with `QRST-1.mp4`."""
    for end in range(len(sidecar) - 1, 0, -1):
        if sidecar[end] in ".-" and _is_sidecar_suffix(sidecar[end:]) and is_stem(sidecar[:end]):
            return sidecar[:end]
    return ""


def _rest(name: str) -> str:
    return read_marks([name])[name].rest


def _is_sidecar_suffix(suffix: str) -> bool:
    fits = len(suffix.encode()) <= _LONGEST_SUFFIX
    return fits and (suffix.startswith(".") or suffix.lower().startswith(_PICTURES))
