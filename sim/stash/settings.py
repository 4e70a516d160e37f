"""What stands in Stash's config.yml."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

JsonMap = dict[str, Any]


@dataclass
class Settings:
    config_dir: Path
    scheme: str = "http"
    advertised_host: str = "0.0.0.0"  # noqa: S104 - what Stash really tells its plugins: the bind address
    port: int = 0
    username: str = ""
    password: str = ""
    api_key: str = ""
    max_session_age_seconds: float = 3600.0
    external_host: str = ""
    python_path: str = ""
    proxy: str = ""
    """Stash passes it to everything it starts, as environment variables."""
    gives_cookie: bool = True
    """Off: plugins get a null cookie, as when its encoding failed."""
    stashes: tuple[str, ...] = ("/data",)
    plugins: dict[str, JsonMap] = field(default_factory=dict[str, JsonMap])
    """Plugin settings by plugin id; a key that was never set is absent."""
    disabled_plugins: set[str] = field(default_factory=set[str])
    validation_status: int = 422
    """One recording shows 400 where the facts say 422; a client must stand both."""

    @property
    def needs_login(self) -> bool:
        return bool(self.username)
