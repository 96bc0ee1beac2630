"""One SQL statement under construction: its parameters, and the rows that its expressions stand on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ColumnElement, FromClause, TableClause, bindparam, column, table
from sqlalchemy.types import NullType

from app.errors import RequestError
from app.graphql.relations import ApiRelation
from app.graphql.sql import alias_stem, cast_to
from app.graphql.values import Leaf, Source, Variables

ToText = Callable[[Any], str | None]
"""A JSON value to PostgreSQL's text form of it, None for null; raises RequestError for what does not fit."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A bind parameter of a plan: where each request finds its value, and how that becomes text."""

    name: str
    source: Source
    to_text: ToText

    def value(self, variables: Mapping[str, Any]) -> bytes | None:
        """The value in PostgreSQL's text format. Raises RequestError if it does not fit."""
        text = self.to_text(self.source.read(variables))
        try:
            return None if text is None else text.encode()
        except UnicodeEncodeError:
            raise RequestError("A string of the request is not valid Unicode", code="BAD_USER_INPUT") from None


class Rows(Protocol):
    """A FROM element whose rows belong to one relation."""

    relation: ApiRelation
    element: FromClause

    def column(self, name: str) -> ColumnElement[Any]:
        """The column of that SQL name in the current row."""
        ...


class TableRows:
    """The rows of the relation itself, under an alias."""

    def __init__(self, relation: ApiRelation, element: FromClause) -> None:
        self.relation = relation
        self.element = element

    def column(self, name: str) -> ColumnElement[Any]:
        return self.element.c[name]


class NamedRows:
    """Rows that a common table expression will provide; the columns asked for are known when the walk is done."""

    def __init__(self, relation: ApiRelation, name: str) -> None:
        self.relation = relation
        self.element: TableClause = table(name)

    def column(self, name: str) -> ColumnElement[Any]:
        if name not in self.element.c:
            self.element.append_column(column(name))
        return self.element.c[name]

    @property
    def name(self) -> str:
        return self.element.name

    def added_column(self, name: str) -> ColumnElement[Any]:
        """A column that the expression adds to those of the relation."""
        return column(name, _selectable=self.element)

    @property
    def asked_for(self) -> tuple[str, ...]:
        return tuple(self.element.c.keys())


class Planning:
    """What the resolvers of one statement share."""

    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        self._parameters: dict[object, tuple[Parameter, Any]] = {}
        self._aliases = 0

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters bound so far, by name."""
        return {parameter.name: parameter for parameter, _ in self._parameters.values()}

    def bind(self, leaf: Leaf, to_text: ToText, type_text: str) -> ColumnElement[Any]:
        """``leaf`` as a parameter of the PostgreSQL type ``type_text``.

        The value of the request being planned is converted at once, so that one that does not fit is an error here.
        """
        return self._bind(leaf.source, to_text, type_text)

    def bind_constant(self, text: str, type_text: str) -> ColumnElement[Any]:
        """A value of the document as a parameter, already in PostgreSQL's text form."""
        return self._bind(Source(None, constant=text), str, type_text)

    def _bind(self, source: Source, to_text: ToText, type_text: str) -> ColumnElement[Any]:
        text = Parameter("", source, to_text).value(self.variables.values)
        from_variables = source.path is not None or source.parts is not None
        key = (source.path, source.parts and id(source), to_text if from_variables else text, type_text)
        if key not in self._parameters:
            parameter = Parameter(f"p{len(self._parameters) + 1}", source, to_text)
            self._parameters[key] = parameter, cast_to(bindparam(parameter.name, type_=NullType()), type_text)
        return self._parameters[key][1]

    def rows_of(self, relation: ApiRelation) -> TableRows:
        """The relation under an alias of its own."""
        return TableRows(relation, relation.table.alias(self.alias(relation.relation.name)))

    def named_rows(self, relation: ApiRelation, stem: str) -> NamedRows:
        return NamedRows(relation, self.alias(stem))

    def alias(self, stem: str) -> str:
        """A name that nothing else in the statement has."""
        self._aliases += 1
        return f"{alias_stem(stem)}_{self._aliases}"
