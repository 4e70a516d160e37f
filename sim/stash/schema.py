"""The schema that the server validates against."""

from pathlib import Path

from graphql import GraphQLSchema, build_schema


def load_schema() -> GraphQLSchema:
    return build_schema((Path(__file__).parent / "schema.graphql").read_text("utf-8"))
