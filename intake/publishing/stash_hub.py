"""Stash as hub: a file is scanned into Stash and described there, and its scene goes on to every target by itself."""

import base64
import hashlib
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

from intake.naming.codes import read_code
from intake.naming.names import without_code
from intake.naming.shown import quoted
from intake.publishing.picture_fetch import PictureFetcher
from intake.publishing.port import (
    ItemAmbiguous,
    ItemNotIndexed,
    Marks,
    ServerAway,
    ServerFailed,
    ServerRefuses,
)
from intake.publishing.scan_pace import ScanPace
from intake.publishing.server_paths import PathMap, path_key
from intake.sources.stash_source import oshash
from intake.sources.work import Work
from model.sentences import counted
from stash.exceptions import StashError, StashRefused, StashUnauthorized
from stash.hub import Described, HubClient, SceneUpdate, SeveralOfName

COVER = "Cover"
NO_PICTURE = "none"
_PNG = b"\x89PNG"


class StashHub:
    """The one Stash. `connect` opens a connection; a broken one is not used again."""

    name = "stash"
    places: tuple[str, ...] = (COVER,)

    def __init__(
        self,
        connect: Callable[[], HubClient],
        paths: PathMap,
        fetcher: PictureFetcher,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect = connect
        self._paths = paths
        self._fetcher = fetcher
        self._pace = ScanPace(monotonic)
        self._client: HubClient | None = None

    def scan(self, paths: Sequence[str]) -> frozenset[str]:
        """Have the very files scanned, all in one job: Stash does one job after the other."""
        if not self._pace.is_due(self.name):
            return frozenset()
        with self._asked() as stash:
            stash.scan_files([self._paths.there(path) for path in paths])
        self._pace.note(self.name)
        return frozenset(paths)

    def find(self, path: str, *, is_last: bool) -> str:
        """Find the scene that has the file at its path; at the last look also the only one that has its hash."""
        there = self._paths.there(path)
        with self._asked() as stash:
            found = [one for one in stash.scenes_of_file(there, oshash(path), []) if one.file_id]
        at_path = [one for one in found if any(path_key(file.path) == path_key(there) for file in one.scene.files)]
        scenes = at_path or (found if is_last else [])
        if len(scenes) > 1:
            numbers = ", ".join(str(one.scene.id) for one in scenes[:3])
            raise ItemAmbiguous(
                f"Stash has {counted(len(scenes), 'scene')} with this file: {numbers}.",
                tuple(str(one.scene.id) for one in scenes),
            )
        if not scenes:
            raise ItemNotIndexed(f"Stash does not have {quoted(there)}. Is it in one of its library's folders?")
        return str(scenes[0].scene.id)

    def write(self, item_id: str, work: Work, path: str, wrote: Marks) -> Marks:  # noqa: ARG002 - the port's
        with self._asked() as stash:
            now = stash.describe(int(item_id))
            if now is None:
                raise ItemNotIndexed("Stash does not have the scene any more.")
            texts = {
                name: text for name, text in _texts(work).items() if _is_ours(name, _shown(now, name), text, wrote)
            }
            update = SceneUpdate(
                texts=texts,
                studio_id=stash.ensure("studio", work.studio) if work.studio and not now.scene.studio else None,
                performer_ids=_more(now.performer_ids, [stash.ensure("performer", name) for name in work.performers]),
                tag_ids=_more(now.tag_ids, [stash.ensure("tag", name) for name in work.genres]),
            )
            stash.update_scene(now.scene.id, update)
            return {**wrote, **{name: _mark(text) for name, text in texts.items()}}

    def show_picture(
        self,
        item_id: str,
        work: Work,
        place: str,  # noqa: ARG002 - there is one
        shown: str,
        *,
        came_along: bool = False,  # noqa: ARG002 - Stash reads none that lie beside a file
    ) -> str:
        url = work.image_url or work.raw_image_url
        if not url:
            return NO_PICTURE
        content = self._fetcher.fetch(url)
        mark = hashlib.sha256(content).hexdigest()[:12]
        if mark != shown:
            kind = "png" if content.startswith(_PNG) else "jpeg"
            data = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
            with self._asked() as stash:
                stash.update_scene(int(item_id), SceneUpdate(cover_image=data))
        return mark

    def check(self) -> str:
        with self._asked() as stash:
            return f"Stash answers and has {counted(stash.scene_count(), 'scene')}; it tells the servers."

    def close(self) -> None:
        self._hang_up()
        self._fetcher.close()

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    @contextmanager
    def _asked(self) -> Generator[HubClient]:
        """Give the connection, and let only PublishError out of the block."""
        try:
            if self._client is None:
                self._client = self._connect()
            yield self._client
        except SeveralOfName as error:
            raise ItemAmbiguous(str(error), ()) from error
        except StashUnauthorized as error:
            self._hang_up()
            raise ServerRefuses(str(error)) from error
        except StashRefused as error:
            raise ServerFailed(str(error)) from error
        except StashError as error:
            self._hang_up()
            raise ServerAway(str(error)) from error


def _texts(work: Work) -> Mapping[str, str]:
    code = read_code(work.code)
    title = without_code(work.title or work.original_title, code)
    known = {"title": title, "code": code.text, "details": work.overview, "date": work.release_date}
    return {name: text for name, text in known.items() if text}


def _shown(now: Described, name: str) -> str:
    return str(getattr(now.scene, name)).strip()


def _is_ours(name: str, shown: str, text: str, wrote: Marks) -> bool:
    """Tell whether a value may be written: nobody's is there, ours, or the same."""
    return not shown or shown == text or wrote.get(name) == _mark(shown)


def _more(there: Sequence[int], ours: Sequence[int]) -> tuple[int, ...] | None:
    wanted = tuple(dict.fromkeys((*there, *ours)))
    return wanted if wanted != tuple(there) else None


def _mark(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()[:12]
