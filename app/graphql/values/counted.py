"""Input objects whose number in a request is limited, because each becomes a part of its SQL."""

from __future__ import annotations

from dataclasses import dataclass

from graphql import GraphQLInputObjectType

from app.errors import OverLimit

COUNTED = "counted"
"""The extension of an input object type whose values are counted: a Most."""


@dataclass(frozen=True, slots=True)
class Most:
    """``in_list``: how many values a list may have, ``in_all`` the variables of a request. ``message`` refuses more."""

    in_list: int
    in_all: int
    message: str

    def check_all(self, number: int) -> None:
        """Raises OverLimit for variables with more values."""
        if number > self.in_all:
            raise OverLimit(self.message)


def check_list(type_: GraphQLInputObjectType, length: int) -> None:
    """Raises OverLimit for a list of too many values of the type."""
    most: Most | None = type_.extensions.get(COUNTED)
    if most is not None and length > most.in_list:
        raise OverLimit(most.message)
