"""What the library holds. Times are the text that the server stored, ids are numbers."""

from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(slots=True)
class VideoFile:
    id: int
    path: str
    size: int
    mod_time: str
    created_at: str
    updated_at: str
    duration: float = 60.0
    width: int = 1920
    height: int = 1080
    video_codec: str = "h264"
    audio_codec: str = "aac"
    format: str = "mp4"
    frame_rate: float = 25.0
    bit_rate: int = 402160
    oshash: str = ""


@dataclass(slots=True)
class SceneGroup:
    group_id: int
    scene_index: int | None = None


@dataclass(slots=True)
class StashId:
    endpoint: str
    stash_id: str
    updated_at: str


@dataclass(slots=True)
class Scene:
    id: int
    created_at: str
    updated_at: str
    title: str = ""
    code: str = ""
    details: str = ""
    director: str = ""
    date: str | None = None
    rating100: int | None = None
    organized: bool = False
    studio_id: int | None = None
    urls: tuple[str, ...] = ()
    performer_ids: tuple[int, ...] = ()
    tag_ids: tuple[int, ...] = ()
    groups: tuple[SceneGroup, ...] = ()
    files: tuple[VideoFile, ...] = ()
    stash_ids: tuple[StashId, ...] = ()
    play_history: tuple[str, ...] = ()
    o_counter: int = 0
    cover_version: int = 0
    """Counts the covers this scene has had; zero is no cover."""

    def copy(self) -> Self:
        return replace(self)

    @property
    def path(self) -> str:
        """Path of the primary file, empty for a scene without files."""
        return self.files[0].path if self.files else ""


@dataclass(slots=True)
class Performer:
    id: int
    name: str
    created_at: str
    updated_at: str
    disambiguation: str = ""
    gender: str | None = None
    birthdate: str | None = None
    country: str = ""
    urls: tuple[str, ...] = ()
    alias_list: tuple[str, ...] = ()
    favorite: bool = False
    rating100: int | None = None
    details: str = ""
    image_version: int = 0


@dataclass(slots=True)
class Studio:
    id: int
    name: str
    created_at: str
    updated_at: str
    parent_id: int | None = None
    urls: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    favorite: bool = False
    rating100: int | None = None
    details: str = ""
    image_version: int = 0


@dataclass(slots=True)
class Tag:
    id: int
    name: str
    created_at: str
    updated_at: str
    sort_name: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    favorite: bool = False
    parent_ids: tuple[int, ...] = ()
    image_version: int = 0


@dataclass(slots=True)
class Group:
    id: int
    name: str
    created_at: str
    updated_at: str
    aliases: str = ""
    date: str | None = None
    rating100: int | None = None
    studio_id: int | None = None
    director: str = ""
    synopsis: str = ""
    urls: tuple[str, ...] = field(default=())
    image_version: int = 0
