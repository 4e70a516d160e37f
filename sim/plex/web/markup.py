"""An answer as a tree of elements, written as XML or as JSON, the way Plex writes either."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

Attribute = str | int | float | bool | None

_SPECIAL = re.compile(r'[&<>"\n\r\t]')
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
_METADATA = frozenset({"Video", "Track", "Photo"})
_SINGLE = frozenset({"UltraBlurColors", "Meta", "Context"})


class Node:
    """One element. Attributes that are None do not exist."""

    __slots__ = ("attributes", "children", "tag")

    def __init__(
        self, tag: str, attributes: Mapping[str, Attribute] | None = None, children: Iterable["Node"] = ()
    ) -> None:
        self.tag = tag
        self.attributes: Mapping[str, Attribute] = attributes or {}
        self.children = list(children)

    def json_key(self) -> str:
        """Items are `Metadata` in JSON, whatever their element; a plain Directory stays one."""
        if self.tag in _METADATA or (self.tag == "Directory" and "ratingKey" in self.attributes):
            return "Metadata"
        return self.tag


def to_xml(root: Node) -> bytes:
    """Characters that XML forbids go out as they are: the real server does that too."""
    out = ['<?xml version="1.0" encoding="UTF-8"?>\n']
    _write_xml(root, out)
    return "".join(out).encode("utf-8", "surrogatepass")


def _write_xml(node: Node, out: list[str]) -> None:
    texts = [f' {name}="{_xml_text(value)}"' for name, value in node.attributes.items() if value is not None]
    if not node.children:
        out.append(f"<{node.tag}{''.join(texts)} />\n")
        return
    out.append(f"<{node.tag}{''.join(texts)}>\n")
    for child in node.children:
        _write_xml(child, out)
    out.append(f"</{node.tag}>\n")


def _xml_text(value: str | float) -> str:
    if isinstance(value, str):
        return _SPECIAL.sub(_escape, value) if _SPECIAL.search(value) else value
    return str(int(value) if isinstance(value, bool) else value)


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES[match[0]]


def to_json(root: Node) -> bytes:
    return json.dumps({root.tag: _plain(root)}, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _plain(node: Node) -> dict[str, Any]:
    plain: dict[str, Any] = {name: value for name, value in node.attributes.items() if value is not None}
    for child in node.children:
        key = child.json_key()
        if key in _SINGLE:
            plain[key] = _plain(child)
        else:
            plain.setdefault(key, []).append(_plain(child))
    return plain
