"""Emby's and Jellyfin's OpenAPI documents: the extract that tests hold our requests and the simulated servers to.

The extract holds the operations that we use, their parameters, and the properties of the types they carry; no prose.
To use more, name it there, and

    python -m tests.support.openapi FOLDER

fills in what the whole documents in FOLDER/jellyfin and FOLDER/emby say of it. A type is a word: `string`, `uuid`,
`date-time`, `binary`, `integer`, `number`, `boolean`, `any`, `[T]` for a list, `{T}` for a dictionary, or the name of a
type of the document; a question mark says that null is allowed.
"""

import json
import re
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

EXTRACT = Path(__file__).parents[1] / "data" / "mediabrowser" / "openapi.json"
DOCUMENTS = Path(__file__).parents[3] / "shared" / "samples"
SOURCES = {
    "jellyfin-10.10": "jellyfin/openapi-10.10.json",
    "jellyfin-10.11": "jellyfin/openapi-10.11.json",
    "jellyfin-12": "jellyfin/openapi-12.0.0.json",
    "emby-4.8": "emby/openapi-4.8.11.0.json",
    "emby-4.9": "emby/openapi-4.9.1.90.json",
}
BEYOND = {
    ("GET /Users/{}/Items/{}", "excludefields"),  # Emby's own web client sends it
    ("GET /Users/{}/Items", "listitemids"),  # known from tools that write to Emby 4.9
}
"""Parameters that no document has, and that servers take all the same."""

_UUID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?")
_METHODS = ("get", "post", "delete")


# --- documents into words ------------------------------------------------------------------------------------------


def word_of(schema):
    """Write a schema as one word."""
    if schema is None:
        return "any"
    null = "?" if schema.get("nullable") else ""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2] + null
    for several in ("allOf", "oneOf"):
        if several in schema:
            return word_of(schema[several][0]).rstrip("?") + null
    kind, form = schema.get("type", "any"), schema.get("format", "")
    if kind == "array":
        return f"[{word_of(schema['items'])}]{null}"
    if kind == "object":
        more = schema.get("additionalProperties")
        return f"{{{word_of(more) if isinstance(more, dict) else 'any'}}}{null}"
    if kind == "string":
        kind = {"uuid": "uuid", "guid": "uuid", "date-time": "date-time", "binary": "binary"}.get(form, "string")
    return kind + null


def condensed(document):
    """Write a whole document as operations and types."""
    operations = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                operations[f"{method.upper()} {re.sub(r'{[^}]*}', '{}', path)}"] = _operation(path, methods[method])
    types = {name: _type(schema) for name, schema in document["components"]["schemas"].items()}
    return {"version": document["info"]["version"], "operations": operations, "types": types}


def _operation(path, operation):
    parameters = {one["name"]: one for one in operation.get("parameters", ())}
    answers = {code: _content(answer) for code, answer in operation["responses"].items() if code.startswith("2")}
    return {
        "path": [word_of(parameters.get(name, {}).get("schema")) for name in re.findall(r"{([^}]*)}", path)],
        "query": {name: word_of(one["schema"]) for name, one in sorted(parameters.items()) if one["in"] == "query"},
        "required": sorted(name for name, one in parameters.items() if one["in"] == "query" and one.get("required")),
        "body": _content(operation.get("requestBody", {})),
        "answers": answers,
    }


def _content(holder):
    plain = {kind: one for kind, one in holder.get("content", {}).items() if ";" not in kind and "xml" not in kind}
    return {
        kind: word_of(one.get("schema"))
        for kind, one in plain.items()
        if kind not in ("text/json", "application/*+json")
    }


def _type(schema):
    if "enum" in schema:
        return sorted(schema["enum"])
    return {name: word_of(one) for name, one in sorted(schema.get("properties", {}).items())}


def restricted(whole, kept):
    """Say of what the extract names what the whole document says of it; what that has not falls out."""
    operations = {
        name: {**whole["operations"][name], "query": _named_in(whole["operations"][name]["query"], one["query"])}
        for name, one in kept["operations"].items()
        if name in whole["operations"]
    }
    types = {
        name: _named_in(whole["types"][name], one) if isinstance(one, dict) else whole["types"][name]
        for name, one in kept["types"].items()
        if name in whole["types"]
    }
    return {"version": whole["version"], "operations": operations, "types": types}


def _named_in(whole, kept):
    return {name: whole[name] for name in kept if name in whole}


# --- holding requests and answers to them ---------------------------------------------------------------------------


@cache
def extract():
    return json.loads(EXTRACT.read_text())


@cache
def whole_documents():
    """The documents by flavour, where they are; they are not part of the project."""
    found = {flavour: DOCUMENTS / source for flavour, source in SOURCES.items()}
    return {name: condensed(json.loads(path.read_text())) for name, path in found.items() if path.exists()}


class Contract:
    """One server's document: tells what is wrong with a request or an answer."""

    def __init__(self, document):
        self._operations = document["operations"]
        self._types = document["types"]
        self._patterns = [
            (name, re.compile(re.escape(name).replace(r"\{\}", "([^/]+)"), re.IGNORECASE)) for name in self._operations
        ]
        self._patterns.sort(key=lambda one: one[0].count("{}"))

    def operation(self, method, path):
        for name, pattern in self._patterns:
            if match := pattern.fullmatch(f"{method} {path}"):
                pairs = zip(self._operations[name]["path"], match.groups(), strict=True)
                if not any(self.faults(word, _typed(word, text)) for word, text in pairs):
                    return name
        return None

    def faults_of_request(self, method, path, query, content_type, body):
        name = self.operation(method, path)
        if name is None:
            return [f"{method} {path}: no such operation"]
        operation = self._operations[name]
        known = {one.lower(): word for one, word in operation["query"].items()}
        faults = [f"{name}: {one} is missing" for one in operation["required"] if one.lower() not in _names(query)]
        for one, text in parse_qsl(query, keep_blank_values=True):
            if one.lower() in known:
                faults += self._faults_of_parameter(f"{name}: {one}", known[one.lower()], text)
            elif (name, one.lower()) not in BEYOND:
                faults.append(f"{name}: no parameter {one}")
        return faults + self._faults_of_body(name, operation["body"], content_type, body)

    def faults_of_answer(self, method, path, status, content_type, body):
        """Look at answers of success only: what goes wrong is in no document."""
        name = self.operation(method, path)
        if name is None or not 200 <= status < 300:
            return []
        answers = self._operations[name]["answers"]
        expected = answers.get(str(status), answers.get("200") if status == 204 and not body else None)
        if expected is None:
            return [f"{name}: status {status} is not in the document"]
        word = expected.get(content_type.partition(";")[0])
        if not expected or not content_type:  # Emby's document says nothing of the content of pictures
            return [f"{name}: {len(body)} bytes where none are expected"] if body and method != "GET" else []
        if word is None:
            return [] if any(_fits_media(kind, content_type) for kind in expected) else [f"{name}: {content_type}"]
        return self.faults(word, json.loads(body), name)

    def _faults_of_parameter(self, place, word, text):
        if word.startswith("["):
            inner = word[1:].partition("]")[0]
            return [fault for one in text.split(",") for fault in self.faults(inner, _typed(inner, one), place)]
        return self.faults(word, _typed(word, text), place)

    def _faults_of_body(self, name, expected, content_type, body):
        if not body:
            return []
        media = content_type.partition(";")[0]
        word = next((word for kind, word in expected.items() if _fits_media(kind, media)), None)
        if word == "binary" or "application/octet-stream" in expected:
            return []  # Emby's document says octet-stream where its own client sends image/jpeg
        if word is None:
            return [f"{name}: a body of {media or 'no type'}"]
        return self.faults(word, json.loads(body), name)

    def faults(self, word, value, place="path"):
        """Tell what is wrong with a value."""
        if value is None:
            return [] if word.endswith("?") else [f"{place}: null"]
        word = word.rstrip("?")
        if word[0] in "[{":
            check = self._faults_of_list if word[0] == "[" else self._faults_of_dictionary
            return check(word[1:-1], value, place)
        known = self._types.get(word)
        if isinstance(known, dict):
            return self._faults_of_object(word, known, value, place)
        is_right = _is_scalar(word, value) if known is None else value in known
        return [] if is_right else [f"{place}: {value!r} is no {word}"]

    def _faults_of_object(self, word, known, value, place):
        if not isinstance(value, dict):
            return [f"{place}: {value!r} is no {word}"]
        if not known:  # a type of which the document says nothing
            return []
        faults = [f"{place}.{name}: {word} has no such property" for name in value if name not in known]
        kept = {name: one for name, one in value.items() if name in known}
        return faults + [
            fault for name, one in kept.items() for fault in self.faults(known[name], one, f"{place}.{name}")
        ]

    def _faults_of_list(self, inner, value, place):
        if not isinstance(value, list):
            return [f"{place}: {value!r} is no list"]
        return [fault for one in value for fault in self.faults(inner, one, f"{place}[]")]

    def _faults_of_dictionary(self, inner, value, place):
        if not isinstance(value, dict):
            return [f"{place}: {value!r} is no dictionary"]
        return [fault for one in value.values() for fault in self.faults(inner, one, f"{place}{{}}")]


def _names(query):
    return {name.lower() for name, _ in parse_qsl(query, keep_blank_values=True)}


def _typed(word, text):
    word = word.rstrip("?")
    if word == "boolean":
        return {"true": True, "false": False}.get(text.lower(), text)
    if word in ("integer", "number") and re.fullmatch(r"-?\d+", text):
        return int(text)
    return text


def _fits_media(kind, content_type):
    return re.fullmatch(re.escape(kind).replace(r"\*", ".*"), content_type.partition(";")[0]) is not None


def _is_scalar(word, value):
    if word in ("integer", "number"):
        return isinstance(value, int if word == "integer" else int | float) and not isinstance(value, bool)
    if word == "boolean":
        return isinstance(value, bool)
    if word == "uuid":
        return isinstance(value, str) and _UUID.fullmatch(value) is not None
    if word == "date-time":
        return isinstance(value, str) and _DATE.fullmatch(value) is not None
    return word == "any" or isinstance(value, str)


@cache
def contracts(flavour):
    """The extract of a flavour, and the whole document where it is."""
    found = [extract()[flavour], *([whole_documents()[flavour]] if flavour in whole_documents() else [])]
    return [Contract(document) for document in found]


@contextmanager
def held_to_documents(server, *, requests=True):
    """Hold what a simulated server is asked and what it answers to its document; fail at the end if they differ."""
    faults = []
    contracts(server.flavour.name)  # read before anybody waits for an answer

    def observe(flavour, request, answer):
        for contract in contracts(flavour.name):
            place = request.whole_path.removeprefix(server.quirks.base_url)
            media = request.headers.get("content-type", "")
            if requests:
                query = request.target.partition("?")[2]
                faults.extend(contract.faults_of_request(request.method, place, query, media, request.body))
            content = answer.content if isinstance(answer.content, bytes) else b""
            method = "GET" if request.method == "HEAD" else request.method
            faults.extend(contract.faults_of_answer(method, place, answer.status, answer.content_type, content))

    server.observers.append(observe)
    yield faults
    server.observers.remove(observe)
    if faults:
        raise AssertionError("\n".join(faults))


def main(folder):
    wholes = {flavour: condensed(json.loads((folder / source).read_text())) for flavour, source in SOURCES.items()}
    kept = {flavour: restricted(whole, extract()[flavour]) for flavour, whole in wholes.items()}
    EXTRACT.write_text("{" + ",\n".join(_lines(flavour, one) for flavour, one in kept.items()) + "}\n")


def _lines(flavour, document):
    """Write an operation or a type a line."""
    parts = [
        f'"{part}": {{\n' + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in document[part].items()) + "}"
        for part in ("operations", "types")
    ]
    return f'"{flavour}": {{"version": "{document["version"]}",\n' + ",\n".join(parts) + "}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
