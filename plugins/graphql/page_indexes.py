"""Advice of ``portico doctor`` on large tables whose collections have no index in the order of their keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from app.database.identifiers import quoted
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.notices import Notice, relation_subject
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.read.relationships import Relationship, relationships_of

LARGE = 10_000
"""The estimated number of rows from which a table is examined: a smaller one is read in a few milliseconds."""

_INDEXES = """
select coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(i.indrelid::bigint, (
  select pg_catalog.json_agg(pg_catalog.json_build_array(a.attname, i.indoption[k - 1] & 1) order by k)
  from generate_series(1, i.indnkeyatts) k
  left join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[k - 1]
))), '[]')::text
from pg_catalog.pg_index i
join pg_catalog.pg_class t on t.oid = i.indrelid and t.reltuples >= {large}
join pg_catalog.pg_class c on c.oid = i.indexrelid
join pg_catalog.pg_am m on m.oid = c.relam and m.amname = 'btree'
where i.indisvalid and i.indpred is null
"""
_LARGE_TABLES = """
select coalesce(pg_catalog.json_agg(c.oid::bigint), '[]')::text
from pg_catalog.pg_class c where c.relkind in ('r', 'p', 'm') and c.reltuples >= {large}
"""


class _Element(NamedTuple):
    """A column of an index, None for an expression, and whether it is descending."""

    column: str | None
    descending: int


_Index = Sequence[_Element]
_Indexes = Mapping[int, Sequence[_Index]]
"""The indexes of tables, by the oid of the table."""


@hookimpl
def advice(api: ApiSchema, read: Callable[[str], bytes | None]) -> Sequence[Notice]:
    """A notice with the index to create for each order by a key that no index has: of a large table, and of its rows
    that are related to one row."""
    indexes: dict[int, list[_Index]] = {oid: [] for oid in json.loads(read(_LARGE_TABLES.format(large=LARGE)) or b"[]")}
    for oid, elements in json.loads(read(_INDEXES.format(large=LARGE)) or b"[]"):
        indexes.setdefault(oid, []).append([_Element(*each) for each in elements])
    found = (each for relation in api.relations for each in _of_relation(api, relation, indexes))
    return list(dict.fromkeys(found))


def _of_relation(api: ApiSchema, relation: ApiRelation, indexes: _Indexes) -> Iterator[Notice]:
    """The notices about the collection of a relation's rows, and about the collections in its type."""
    if not _is_served(relation, (), indexes):
        key = ", ".join(relation.key)
        yield _notice(relation, relation.key, f"no index has the order of its key ({key})")
    for each in relationships_of(api, relation):
        columns = _columns(each)
        if each.to_many and not _is_served(each.target, columns, indexes):
            ordered = [name for name in each.target.key if name not in columns]
            reason = (
                f"no index finds the rows of {each.name} in their order: rows with one value of"
                f" ({', '.join(columns)}), by ({', '.join(ordered)})"
            )
            yield _notice(each.target, (*columns, *ordered), reason)


def _columns(relationship: Relationship) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target for _, target in relationship.pairs))


def _is_served(relation: ApiRelation, equal: Sequence[str], indexes: _Indexes) -> bool:
    """Whether an index has the rows with one value in each of the columns ``equal`` in the order of the key. Tables
    that are not large, and relations without a key, need none."""
    of_table = indexes.get(relation.relation.oid)
    if of_table is None or not relation.has_readable_key:
        return True
    return any(_has_order(each, equal, [name for name in relation.key if name not in equal]) for each in of_table)


def _has_order(index: _Index, equal: Sequence[str], ordered: Sequence[str]) -> bool:
    first, following = index[: len(equal)], index[len(equal) : len(equal) + len(ordered)]
    is_one_direction = len({each.descending for each in following}) <= 1
    return (
        {each.column for each in first} == set(equal)
        and [each.column for each in following] == list(ordered)
        and is_one_direction
    )


def _notice(relation: ApiRelation, columns: Sequence[str], reason: str) -> Notice:
    name = f"{quoted(relation.relation.schema)}.{quoted(relation.relation.name)}"
    fix = f"create index on {name} ({', '.join(map(quoted, columns))})"
    return Notice(relation_subject(relation.relation), reason, fix=fix)
