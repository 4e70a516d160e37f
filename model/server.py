"""A server, by what it says of itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """Which server this is."""

    server_id: str
    name: str = ""
    version: str = ""
    platform: str = ""

    @property
    def ignores_case(self) -> bool:
        """Does the file system under the server ignore case? Windows paths say so themselves; macOS ones do not."""
        return self.platform.lower().startswith(("macos", "darwin", "windows"))
