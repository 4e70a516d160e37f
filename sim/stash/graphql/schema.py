"""The schema that the server validates against."""

from functools import cache
from pathlib import Path

from graphql import GraphQLSchema, build_schema


@cache
def load_schema() -> GraphQLSchema:
    return build_schema((Path(__file__).parent / "schema.graphql").read_text("utf-8"))
