"""Writes src/api/answers.ts from tasks/answers.py, so that both sides of an answer have one description.

`python ui/generate_answers.py` writes it; a test holds the file equal to what this would write.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

UI = Path(__file__).parent
SOURCE = UI.parent / "tasks" / "answers.py"
WRITTEN = UI / "src" / "api" / "answers.ts"

HEAD = """/** What the plugin's operations answer: made from tasks/answers.py by ui/generate_answers.py. */

export type Value = string | string[];
export type Target = "plex" | "emby" | "jellyfin";
export type SceneState = "synced" | "waiting" | "ambiguous" | "refused" | "skipped" | "failed" | "undone" | "ignored";
"""

PLAIN = {"str": "string", "int": "number", "float": "number", "bool": "boolean", "None": "null"}

# Texts that are one of a few words. The class is left out where a field means the same everywhere.
WORDS = {
    "target": "Target",
    "SceneRow.state": "SceneState",
    "Need.state": "SceneState",
    "Need.kind": '"settings" | "access" | "ambiguous" | "failed" | "refused" | "waiting" | "pictures" | "worker"',
    "Need.view": '"settings" | "problems" | "overview"',
    "CircuitStatus.state": '"closed" | "open" | "half_open"',
    "SettingRow.type": '"boolean" | "text" | "number" | "choice" | "secret" | "path_map"',
    "SettingRow.source": '"stash" | "file" | "environment" | "default"',
    "PathMapAnswer.source": '"setting" | "derived" | "none"',
}


def typescript(source: str) -> str:
    """One interface for each class of the Python text, in its order, with its docstring."""
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    return HEAD + "".join("\n" + "\n".join(_interface(one)) + "\n" for one in classes)


def _interface(node: ast.ClassDef) -> Iterator[str]:
    if told := ast.get_docstring(node):
        yield f"/** {' '.join(told.split())} */"
    yield f"export interface {node.name} {{"
    for field in node.body:
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            name = field.target.id.rstrip("_")
            yield f"  {name}: {_type(field.annotation, _word(node.name, name))};"
    yield "}"


def _word(owner: str, name: str) -> str:
    return WORDS.get(f"{owner}.{name}") or WORDS.get(name, "string")


def _type(node: ast.expr, text: str) -> str:
    """The TypeScript of an annotation; `text` is what a `str` is called here."""
    if isinstance(node, ast.BinOp):
        sides = [_type(node.left, text), _type(node.right, text)]
        return " | ".join(dict.fromkeys(sides))
    if isinstance(node, ast.Constant):
        return "null"
    if isinstance(node, ast.Subscript):
        return _generic(node, text)
    assert isinstance(node, ast.Name), ast.dump(node)
    return text if node.id == "str" else PLAIN.get(node.id, node.id)


def _generic(node: ast.Subscript, text: str) -> str:
    """`tuple[X, ...]` and `dict[str, X]`: there is nothing else in an answer."""
    assert isinstance(node.value, ast.Name)
    assert isinstance(node.slice, ast.Tuple)
    first, second = node.slice.elts
    if node.value.id == "dict":
        return f"Record<string, {_type(second, text)}>"
    inner = _type(first, text)
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


if __name__ == "__main__":
    WRITTEN.write_text(typescript(SOURCE.read_text("utf-8")), "utf-8")
