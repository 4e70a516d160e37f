"""POST /graphql: from the request's bytes to the answer's document."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from graphql import DocumentNode, FieldNode, OperationDefinitionNode, execute_sync  # pyright: ignore[reportUnknownVariableType]

from sim.stash.graphql.call import Call
from sim.stash.graphql.execution import Documents, Executor, InvalidRequest, pick_operation
from sim.stash.graphql.fields import FIELDS
from sim.stash.graphql.queries import QUERIES
from sim.stash.graphql.schema import load_schema
from sim.stash.mutations.plugins import PLUGIN_MUTATIONS
from sim.stash.mutations.related import RELATED_MUTATIONS
from sim.stash.mutations.scans import SCAN_MUTATIONS
from sim.stash.mutations.scenes import SCENE_MUTATIONS

ROOTS = {**QUERIES, **SCENE_MUTATIONS, **RELATED_MUTATIONS, **SCAN_MUTATIONS, **PLUGIN_MUTATIONS}


@dataclass(frozen=True)
class Reply:
    status: int
    body: dict[str, Any]


class GraphqlEndpoint:
    def __init__(self) -> None:
        schema = load_schema()
        self._documents = Documents(schema)
        self._executor = Executor[Call](schema, ROOTS, FIELDS, lambda call: call.library.lock)

    def answer(self, body: bytes, call: Call, count: Callable[[str], None], *, is_locked: bool) -> Reply:
        try:
            document, operation, variables = self._read(body)
        except InvalidRequest as refusal:
            count("invalid")
            return _refused(refusal, call)
        except ValueError as error:
            count("invalid")
            return Reply(
                400, {"errors": [{"message": f"json request body could not be decoded: {error}"}], "data": None}
            )
        count(operation_name(operation))
        if is_locked:
            return _locked(operation)
        try:
            return Reply(200, self._execute(document, operation, variables, call))
        except InvalidRequest as refusal:
            return _refused(refusal, call)

    def _read(self, body: bytes) -> tuple[DocumentNode, OperationDefinitionNode, dict[str, Any]]:
        request = json.loads(body)
        if not isinstance(request, dict):
            raise ValueError("an object was expected")  # noqa: TRY004 - one kind of error for all bad bodies
        fields = cast("dict[str, Any]", request)
        document = self._documents.get(fields.get("query") or "")
        operation = pick_operation(document, fields.get("operationName"))
        return document, operation, fields.get("variables") or {}

    def _execute(
        self, document: DocumentNode, operation: OperationDefinitionNode, variables: dict[str, Any], call: Call
    ) -> dict[str, Any]:
        if root_fields(operation)[0] in ("__schema", "__type"):
            result = execute_sync(self._executor.schema, document, variable_values=variables)
            return {"data": result.data}
        return self._executor.execute(document, operation, variables, call)


def _refused(refusal: InvalidRequest, call: Call) -> Reply:
    return Reply(call.backend.settings.validation_status, {"errors": refusal.errors, "data": None})


def _locked(operation: OperationDefinitionNode) -> Reply:
    error = {"message": "database is locked", "path": [root_fields(operation)[0]]}
    return Reply(200, {"errors": [error], "data": None})


def operation_name(operation: OperationDefinitionNode) -> str:
    """How a request is counted: by its name, else by its root fields."""
    return operation.name.value if operation.name else ",".join(dict.fromkeys(root_fields(operation)))


def root_fields(operation: OperationDefinitionNode) -> list[str]:
    selections = operation.selection_set.selections
    return [node.name.value for node in selections if isinstance(node, FieldNode)] or [""]
