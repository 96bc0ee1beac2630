"""Marks columns of views that are not writable because the table's column is not: generated columns, and identities
that are always generated. ``pg_column_is_updatable`` does not consider these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from schema_cache.model import Column, Relation
from schema_cache.view_keys import columns_of_tables

_UPDATE, _INSERT = 1 << 2, 1 << 3  # 1 << CmdType, as in the result of pg_relation_is_updatable


def with_fixed_columns(relations: Sequence[Relation], views: Mapping[int, tuple[int, str]]) -> list[Relation]:
    """The relations with these columns marked. ``views`` has, by the oid of a view, the kinds of changes that reach its
    tables, and its query."""
    by_oid = {each.oid: each for each in relations}
    fixed: dict[int, set[int]] = defaultdict(set)
    for view, number, table, name in columns_of_tables(relations, {oid: query for oid, (_, query) in views.items()}):
        column = by_oid[table].column(name)
        if column is not None and (column.generated or column.identity == "a"):
            fixed[view].add(number)
    return [
        replace(each, columns=tuple(_fixed(column, fixed[each.oid], views[each.oid][0]) for column in each.columns))
        if each.oid in fixed
        else each
        for each in relations
    ]


def _fixed(column: Column, numbers: set[int], changes: int) -> Column:
    if column.number not in numbers:
        return column
    return column._replace(
        insertable=column.insertable and not changes & _INSERT, updatable=column.updatable and not changes & _UPDATE
    )
