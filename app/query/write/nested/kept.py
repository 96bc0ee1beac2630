"""The keys of rows that one statement of a nested insert passes on to later ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from sqlalchemy import ColumnElement, FromClause, case, literal_column

from app.query.sql.constructs import as_text, cast_to, fail_with, unless
from app.query.write.nested.values import Batch


@dataclass(frozen=True)
class Kept:
    """The keys of the rows of ``batches``, passed on by a statement as JSON text in the order of the objects; ``read``
    is the expression of that text."""

    read: ColumnElement[Any]
    batches: tuple[Batch, ...]


@dataclass(frozen=True)
class KeptKey:
    """The key of a row that was passed on, for a statement whose values Citus computes before it runs. ``names``: the
    columns of the key."""

    key: ColumnElement[Any]
    names: tuple[str, ...]

    def value(self, name: str, type_text: str) -> ColumnElement[Any]:
        """A column of the key."""
        return cast_to(self.key.op("->>")(literal_column(str(self.names.index(name)))), type_text)

    def value_unless(
        self,
        wrong: ColumnElement[Any],
        message: str,
        value: ColumnElement[Any],
        type_text: str,
        because: ColumnElement[Any] | None = None,
    ) -> ColumnElement[Any]:
        """``value``, which has the type ``type_text``, or an error if the condition ``wrong`` is true. ``because``: a
        value that is known only when the statement runs."""
        return unless(wrong, message, value)


@dataclass(frozen=True)
class KeysOfPlace(KeptKey):
    """The keys of all rows of one place, for a statement that reads them. ``elements``: the FROM elements, with the
    join condition ``joined``. ``position``: the number of a row's object."""

    elements: tuple[FromClause, ...]
    joined: ColumnElement[bool]
    position: ColumnElement[Any]

    def value_unless(
        self,
        wrong: ColumnElement[Any],
        message: str,
        value: ColumnElement[Any],
        type_text: str,
        because: ColumnElement[Any] | None = None,
    ) -> ColumnElement[Any]:
        failure = fail_with(message, as_text(self.position if because is None else because))
        return case((wrong, cast_to(failure, type_text)), else_=value)


def all_of(kept: Sequence[Kept]) -> ColumnElement[Any]:
    """The keys as one JSON array."""
    return reduce(lambda one, other: one.concat(other), [cast_to(each.read, "jsonb") for each in kept])
