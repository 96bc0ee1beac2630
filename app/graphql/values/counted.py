"""Limits for input objects that each become a part of the SQL."""

from __future__ import annotations

from dataclasses import dataclass

from graphql import GraphQLInputObjectType

from app.errors import OverLimit

COUNTED = "counted"
"""The extension of an input object type whose values are counted: a ValueLimit."""


@dataclass(frozen=True, slots=True)
class ValueLimit:
    """``in_list``: the largest number of values in a list. ``in_all``: the largest number in all variables of a
    request. ``message``: the error message for more."""

    in_list: int
    in_all: int
    message: str

    def check_all(self, number: int) -> None:
        """Raises OverLimit for variables with more values."""
        if number > self.in_all:
            raise OverLimit(self.message)


def check_list(type_: GraphQLInputObjectType, length: int) -> None:
    """Raises OverLimit for a list of too many values of the type."""
    most: ValueLimit | None = type_.extensions.get(COUNTED)
    if most is not None and length > most.in_list:
        raise OverLimit(most.message)
