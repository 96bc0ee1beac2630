"""Text search: the columns of a relation that are searched, from the directive in its comment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, func

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.notices import relation_subject
from app.graphql.schema.relations import ApiRelation
from app.query.plan.rows import Rows
from app.query.sql.constructs import as_text, call, cast_to, constant
from schema_cache.model import Column

DIRECTIVE = "search"


@dataclass(frozen=True)
class Searched:
    """The searched columns of a relation: the texts ``columns``, or the tsvector ``vector``. ``config``: the text
    search configuration, None for the database's default."""

    columns: tuple[str, ...]
    vector: str | None
    config: str | None

    def document(self, rows: Rows) -> ColumnElement[Any]:
        """The tsvector of a row."""
        if self.vector is not None:
            return rows.column(self.vector)
        # Not concat_ws, which is not immutable and so cannot be in an index.
        first, *others = (func.coalesce(as_text(rows.column(name)), constant("")) for name in self.columns)
        text: ColumnElement[Any] = first
        for each in others:
            text = text.concat(constant(" ")).concat(each)
        return self.call("to_tsvector", text)

    def call(self, function: str, text: ColumnElement[Any]) -> ColumnElement[Any]:
        """A call of a text search function on ``text``, with the configuration."""
        config = () if self.config is None else (cast_to(constant(self.config), "regconfig"),)
        return call(function, *config, text)


def searched_of(api: ApiSchema, relation: ApiRelation) -> Searched | None:
    """The searched columns from the comment on a relation; None without the directive, with a wrong one, which a notice
    reports, and if the role may not read all of the columns."""
    directive: Mapping[str, Any] | None = relation.directives.get(DIRECTIVE)
    if directive is None:
        return None
    searched = Searched(directive.get("columns", ()), directive.get("vector"), directive.get("config"))
    names = (searched.vector,) if searched.vector is not None else searched.columns
    problem = _problem(api, relation, searched)
    if problem is not None:
        api.notices.add(relation_subject(relation.relation), f"its directive {DIRECTIVE} is left out: {problem}")
        return None
    return searched if relation.visible.select.issuperset(names) else None


def _problem(api: ApiSchema, relation: ApiRelation, searched: Searched) -> str | None:
    if bool(searched.columns) == (searched.vector is not None):
        return "it must name either columns or a vector"
    names = searched.columns or (searched.vector or "",)
    columns = {name: relation.relation.column(name) for name in names}
    absent = [name for name, column in columns.items() if column is None]
    if absent:
        return f"there is no column {absent[0]}"
    expected = "text" if searched.columns else "tsvector"
    other = [name for name, column in columns.items() if column and _kind(api, column) != expected]
    return f"the column {other[0]} is not of the type {expected}" if other else None


def _kind(api: ApiSchema, column: Column) -> str:
    """``text`` for any string type, else the name of a column's type."""
    type_ = api.catalog.type_by_oid[column.type]
    while type_.kind == "d":
        type_ = api.catalog.type_by_oid[type_.base]
    return "text" if type_.category == "S" else type_.name
