"""The rows of many keys in one query: the keys are arrays in a few parameters, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, select

from app.graphql.schema.relations import ApiRelation
from app.query.filter.conditions import narrowed
from app.query.plan.walk import Field
from app.query.read.keys import RowKey, only
from app.query.sql.constructs import cast_to, computed_first, unmodified, unnest

NUMBER = "number"
ROW = "row"


def rows_by_keys(
    field: Field,
    relation: ApiRelation,
    key: RowKey,
    values: Sequence[ColumnElement[Any]],
    numbers: ColumnElement[Any],
) -> Select[Any]:
    """A query for the rows of many keys, each as the JSON of what ``field`` selects of it (``ROW``) with the number of
    its key (``NUMBER``).

    ``values`` has an array of text for each part of ``key``, ``numbers`` is an array of integers. A key without a row,
    or whose row a policy hides, has no result."""
    names = [f"key_{position}" for position in range(len(key))]
    arrays = unnest(*values, numbers).table_valued(*names, NUMBER)
    arrays = arrays.render_derived(name=field.planning.alias("keys"))
    casts = (
        cast_to(arrays.c[name], unmodified(part.comparison.type_text)).label(name)
        for name, part in zip(names, key, strict=True)
    )
    keys = computed_first(select(*casts, arrays.c[NUMBER]), field.planning.alias("keys"))
    rows = field.planning.rows_of(relation)
    same = and_(
        *(part.comparison.equal(rows.column(part.column), keys.c[name]) for name, part in zip(names, key, strict=True))
    )
    number = keys.c[NUMBER]
    row = only(rows, [part.column for part in key], field.json(rows, field.api.object_type(relation)), number)
    query = select(number.label(NUMBER), row.label(ROW)).select_from(keys.join(rows.element, same))
    return query.where(*narrowed(rows, []))
