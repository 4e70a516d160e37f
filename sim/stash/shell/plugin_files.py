"""The files of a plugin that a browser gets: its scripts and styles in one piece each, and its mapped assets."""

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class PluginFiles:
    id: str
    folder: Path
    javascript: tuple[str, ...]
    css: tuple[str, ...]
    assets: dict[str, str]

    @classmethod
    def read(cls, manifest: Path) -> "PluginFiles":
        """What the manifest's `ui` names."""
        ui: dict[str, Any] = yaml.safe_load(manifest.read_text("utf-8")).get("ui") or {}
        scripts, styles = ui.get("javascript") or (), ui.get("css") or ()
        return cls(manifest.stem, manifest.parent, tuple(scripts), tuple(styles), dict(ui.get("assets") or {}))

    def joined(self, names: tuple[str, ...]) -> bytes:
        """All files after one another, as Stash serves them; read at each request."""
        return b"\n".join((self.folder / name).read_bytes() for name in names)

    def asset(self, path: str) -> tuple[bytes, str] | None:
        """A file below a mapped folder and its media type; None for everything else."""
        for prefix, folder in self.assets.items():
            if not path.startswith(prefix):
                continue
            root = (self.folder / folder).resolve()
            file = (root / path[len(prefix) :].lstrip("/")).resolve()
            if file.is_file() and root in file.parents and self.folder.resolve() in root.parents:
                return file.read_bytes(), mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return None


def etag(content: bytes) -> str:
    return f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
