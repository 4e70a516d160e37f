"""The one device that Plex knows this installation as.

plexapi would invent an identifier for every process that cannot read a network card, and Plex would greet each as a new
device. Ours is made once, kept in `device.json`, and sent with every request.
"""

import contextlib
import json
import os
import re
import socket
import sys
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

FILE_NAME = "device.json"
PRODUCT = "Stash2Plex"

_UUID = re.compile(rb"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class DeviceIdentity:
    """Who we are to Plex."""

    identifier: str
    version: str = "0"
    name: str = PRODUCT

    @property
    def headers(self) -> Mapping[str, str]:
        return {
            "X-Plex-Client-Identifier": self.identifier,
            "X-Plex-Product": PRODUCT,
            "X-Plex-Version": self.version,
            "X-Plex-Device-Name": self.name,
        }


def load_identity(folder: str, version: str = "0") -> DeviceIdentity:
    """Read the installation's identity, or make it if there is none yet.

    Two processes that start at once end up with the same one, also if they find a damaged file.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, FILE_NAME)
    damaged = _read(path)
    identifier = _identifier_in(damaged)
    if identifier is None:
        identifier = _create(path) if damaged is None else _repair(path, damaged)
    return DeviceIdentity(identifier, version)


def prepare_plexapi(identity: DeviceIdentity) -> None:
    """Make plexapi ours before its first import: it reads these once and keeps them.

    No configuration file of the user's, no reloading behind our back; `false` is one of two spellings it understands.
    """
    os.environ["PLEXAPI_CONFIG_PATH"] = os.devnull
    os.environ["PLEXAPI_PLEXAPI_AUTORELOAD"] = "false"
    os.environ["PLEXAPI_HEADER_IDENTIFIER"] = identity.identifier
    os.environ["PLEXAPI_HEADER_PRODUCT"] = PRODUCT
    os.environ["PLEXAPI_HEADER_VERSION"] = identity.version
    os.environ["PLEXAPI_HEADER_DEVICE_NAME"] = identity.name
    if "plexapi" in sys.modules:  # somebody was quicker: its modules share one dictionary of headers
        cast("dict[str, str]", sys.modules["plexapi"].BASE_HEADERS).update(identity.headers)


# --- the file -----------------------------------------------------------------------------------------------------


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _identifier_in(content: bytes | None) -> str | None:
    """Take the identifier from a whole file only."""
    try:
        data: object = json.loads(content or b"")
        identifier = cast("dict[str, object]", data)["identifier"] if isinstance(data, dict) else None
        return str(uuid.UUID(identifier)) if isinstance(identifier, str) else None
    except (ValueError, KeyError):
        return None


def _create(path: str) -> str:
    """Write a new identity unless another process was first; then take that one's."""
    mine = str(uuid.uuid4())
    temporary = _write_beside(path, mine)
    try:
        os.link(temporary, path)  # fails if the file is there, unlike a rename
    except FileExistsError:
        return _identifier_in(_read(path)) or mine
    except OSError:  # a file system without links
        os.replace(temporary, path)
        return _identifier_in(_read(path)) or mine
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    return mine


def _repair(path: str, damaged: bytes) -> str:
    """Give every process that saw this damage the same answer: what is left of the old one, or made from the ruins."""
    saved = _UUID.search(damaged)
    try:
        changed_at = os.stat(path).st_mtime_ns
    except FileNotFoundError:
        changed_at = 0
    ruins = f"{socket.gethostname()} {os.path.abspath(path)} {changed_at} {damaged.hex()}"
    identifier = saved.group().decode().lower() if saved else str(uuid.uuid5(uuid.NAMESPACE_OID, ruins))
    whole = _identifier_in(_read(path))  # another process may have repaired it since we looked
    if whole:
        return whole
    os.replace(_write_beside(path, identifier), path)
    return identifier


def _write_beside(path: str, identifier: str) -> str:
    """Write the whole file under another name, readable to us alone, and see it to the disk."""
    handle, temporary = tempfile.mkstemp(prefix=FILE_NAME, dir=os.path.dirname(path) or ".")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"identifier": identifier}, file)
        file.flush()
        os.fsync(file.fileno())
    return temporary
