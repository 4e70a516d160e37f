"""Answers a GraphQL document: graphql-core parses and validates, a projection of our own does the rest.

graphql-core's executor needs several seconds for a thousand full scenes. Only root fields can fail here and
everything below them is plain reading, so each selection set is compiled once per request into getters.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLIncludeDirective,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLSkipDirective,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    parse,
    validate,
)
from graphql.execution.values import get_argument_values, get_directive_values, get_variable_values

from sim.stash.errors import ResolverError

C = TypeVar("C")
Args = dict[str, Any]
RootResolver = Callable[[C, Args], Any]
FieldResolver = Callable[[C, Any, Args], Any]
Read = Callable[[Any], Any]

CACHED_DOCUMENTS = 500


class InvalidRequest(Exception):
    """The document or its variables are refused before anything runs."""

    def __init__(self, errors: Iterable[GraphQLError], code: str = "GRAPHQL_VALIDATION_FAILED") -> None:
        super().__init__(code)
        self.errors = [
            {
                "message": error.message.replace("'", '"'),
                "locations": [{"line": at.line, "column": at.column} for at in error.locations or ()],
                "extensions": {"code": code},
            }
            for error in errors
        ]


class Documents:
    """Parsed and validated documents by their text."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._known: dict[str, DocumentNode] = {}

    def get(self, text: str) -> DocumentNode:
        document = self._known.get(text)
        if document is None:
            document = self._check(text)
            if len(self._known) >= CACHED_DOCUMENTS:
                self._known.clear()
            self._known[text] = document
        return document

    def _check(self, text: str) -> DocumentNode:
        try:
            document = parse(text)
        except GraphQLError as error:
            raise InvalidRequest([error], "GRAPHQL_PARSE_FAILED") from error
        if errors := validate(self._schema, document):
            raise InvalidRequest(errors)
        return document


def pick_operation(document: DocumentNode, name: str | None) -> OperationDefinitionNode:
    operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    for operation in operations:
        if (not name and len(operations) == 1) or (operation.name and operation.name.value == name):
            return operation
    raise InvalidRequest([GraphQLError(f"operation {name or ''} not found")])


@dataclass(frozen=True)
class Executor(Generic[C]):
    """`reading` is held while an answer is read off the records: nothing changes under it, as in a transaction."""

    schema: GraphQLSchema
    roots: Mapping[str, RootResolver[C]]
    fields: Mapping[tuple[str, str], FieldResolver[C]]
    reading: Callable[[C], AbstractContextManager[object]]

    def execute(self, document: DocumentNode, operation: OperationDefinitionNode, inputs: Args, call: C) -> Args:
        """The response body. Root fields run one after another, which for mutations is also the law."""
        variables = get_variable_values(self.schema, operation.variable_definitions or (), inputs)
        if isinstance(variables, list):
            raise InvalidRequest(variables)
        projection = Projection(self, document, variables, call)
        root = self.schema.get_root_type(operation.operation)
        assert root is not None
        return self._run(root, projection, projection.collect(operation.selection_set.selections), call)

    def _run(
        self, root: GraphQLObjectType, projection: "Projection[C]", fields: dict[str, list[FieldNode]], call: C
    ) -> Args:
        data: Args | None = {}
        errors: list[Args] = []
        for key, nodes in fields.items():
            name = nodes[0].name.value
            try:
                value = root.name if name == "__typename" else self._resolve(root, projection, nodes, call)
            except ResolverError as error:
                errors.append({"message": str(error), "path": [key]})
                value = None
                if isinstance(root.fields[name].type, GraphQLNonNull):
                    data = None
            if data is not None:
                data[key] = value
        return {"errors": errors, "data": data} if errors else {"data": data}

    def _resolve(self, root: GraphQLObjectType, projection: "Projection[C]", nodes: list[FieldNode], call: C) -> Any:
        field = root.fields[nodes[0].name.value]
        value = self.roots[nodes[0].name.value](call, projection.arguments(field, nodes[0]))
        with self.reading(call):
            return projection.read(field.type, nodes)(value)


class Projection(Generic[C]):
    """Compiles selection sets of one request into getters."""

    def __init__(self, executor: Executor[C], document: DocumentNode, variables: Any, call: C) -> None:
        self._fields = executor.fields
        self._variables = variables
        self._call = call
        self._fragments = {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }

    def arguments(self, field: Any, node: FieldNode) -> Args:
        return get_argument_values(field, node, self._variables)

    def collect(self, selections: Iterable[SelectionNode]) -> dict[str, list[FieldNode]]:
        """Field nodes by response key. The schema has no abstract types, so every fragment fits."""
        found: dict[str, list[FieldNode]] = {}
        for node in self._flatten(selections):
            found.setdefault(node.alias.value if node.alias else node.name.value, []).append(node)
        return found

    def _flatten(self, selections: Iterable[SelectionNode]) -> Iterable[FieldNode]:
        for node in selections:
            if not self._wanted(node):
                continue
            if isinstance(node, FieldNode):
                yield node
            elif isinstance(node, InlineFragmentNode):
                yield from self._flatten(node.selection_set.selections)
            elif isinstance(node, FragmentSpreadNode):
                yield from self._flatten(self._fragments[node.name.value].selection_set.selections)

    def _wanted(self, node: SelectionNode) -> bool:
        skip = get_directive_values(GraphQLSkipDirective, node, self._variables)
        include = get_directive_values(GraphQLIncludeDirective, node, self._variables)
        return not (skip and skip["if"]) and not (include and not include["if"])

    def read(self, kind: Any, nodes: list[FieldNode]) -> Read:
        if isinstance(kind, GraphQLNonNull):
            return self.read(kind.of_type, nodes)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        if isinstance(kind, GraphQLList):
            return _each(self.read(kind.of_type, nodes))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        if isinstance(kind, GraphQLObjectType):
            return self._object(kind, nodes)
        return _text if isinstance(kind, GraphQLScalarType) and kind.name == "ID" else _same

    def _object(self, kind: GraphQLObjectType, nodes: list[FieldNode]) -> Read:
        selections = [node for parent in nodes if parent.selection_set for node in parent.selection_set.selections]
        plan = [(key, self._field(kind, found)) for key, found in self.collect(selections).items()]
        return lambda source: None if source is None else {key: read(source) for key, read in plan}

    def _field(self, kind: GraphQLObjectType, nodes: list[FieldNode]) -> Read:
        name = nodes[0].name.value
        if name == "__typename":
            return lambda _: kind.name
        field = kind.fields[name]
        finish = self.read(field.type, nodes)
        resolver = self._fields.get((kind.name, name))
        if resolver is None:
            fetch = attrgetter(name)
            return fetch if finish is _same else lambda source: finish(fetch(source))
        call, arguments = self._call, self.arguments(field, nodes[0])
        return lambda source: finish(resolver(call, source, arguments))


def _each(read: Read) -> Read:
    return lambda items: None if items is None else [read(item) for item in items]


def _text(value: Any) -> Any:
    return None if value is None else str(value)


def _same(value: Any) -> Any:
    return value
