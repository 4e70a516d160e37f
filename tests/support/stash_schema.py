"""Stash's GraphQL schema: the extract that tests hold our queries and the simulated Stash to.

    python -m tests.support.stash_schema schema.introspection.json

writes the extract anew from the introspection of a running Stash: the types that the simulated Stash has, with the
fields and arguments that it has, as the real one declares them. No prose of Stash's is in it.
"""

import json
import sys
from pathlib import Path

import graphql

from sim.stash.graphql.schema import load_schema

EXTRACT = Path(__file__).parents[1] / "data" / "stash" / "schema.graphql"
RECORDED = Path(__file__).parents[3] / "shared" / "samples" / "stash" / "schema.introspection.json"


def extract():
    return graphql.build_schema(EXTRACT.read_text())


def schemas():
    """The extract, and the whole schema where it was recorded."""
    return [extract(), *([recorded(RECORDED)] if RECORDED.exists() else [])]


def recorded(path):
    answer = json.loads(path.read_text())
    return graphql.build_client_schema(answer.get("data", answer))


def make_extract(real, wanted):
    """Print what the real schema says of the wanted types and fields."""
    return "\n\n".join(
        _printed(real.type_map[name], wanted.type_map[name])
        for name in sorted(wanted.type_map)
        if name in real.type_map and not name.startswith("__") and name not in graphql.specified_scalar_types
    )


def _printed(real, wanted):
    if isinstance(real, graphql.GraphQLScalarType):
        return f"scalar {real.name}"
    if isinstance(real, graphql.GraphQLEnumType):
        return _block(f"enum {real.name}", real.values)
    if isinstance(real, graphql.GraphQLUnionType):
        return f"union {real.name} = " + " | ".join(one.name for one in wanted.types)
    kind = {graphql.GraphQLInputObjectType: "input", graphql.GraphQLInterfaceType: "interface"}.get(type(real), "type")
    known = [interface.name for interface in getattr(wanted, "interfaces", ())]
    implements = f" implements {' & '.join(known)}" if known else ""
    fields = {name: field for name, field in real.fields.items() if name in wanted.fields}
    return _block(
        f"{kind} {real.name}{implements}", [_field(name, field, wanted.fields[name]) for name, field in fields.items()]
    )


def _field(name, field, wanted):
    known = getattr(wanted, "args", {})
    arguments = [f"{one}: {value.type}" for one, value in getattr(field, "args", {}).items() if one in known]
    return f"{name}{'(' + ', '.join(arguments) + ')' if arguments else ''}: {field.type}"


def _block(head, lines):
    return f"{head} {{\n" + "".join(f"  {line}\n" for line in lines) + "}"


if __name__ == "__main__":
    EXTRACT.write_text(make_extract(recorded(Path(sys.argv[1])), load_schema()) + "\n")
