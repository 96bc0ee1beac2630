"""The types Query and Mutation. Their fields are made one by one, each on first use."""

from __future__ import annotations

from functools import cached_property
from typing import cast

from graphql import GraphQLField, GraphQLObjectType

from app.graphql.schema.fields import Deferred


class RootType(GraphQLObjectType):
    """An object type whose fields are deferred."""

    def __init__(self, name: str, fields: Deferred) -> None:
        extensions = {"unknown_field": lambda field: f'Unknown field "{field}" on type {name}'}
        super().__init__(name, cast(dict[str, GraphQLField], fields), extensions=extensions)

    @cached_property
    def fields(self) -> dict[str, GraphQLField]:
        return cast(dict[str, GraphQLField], self._fields)

    @property
    def is_empty(self) -> bool:
        """Whether the type has no field. Fields are made until one exists."""
        return not any(True for _ in self.fields)
