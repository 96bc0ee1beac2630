"""Advice of ``portico doctor`` on missing indexes for text search."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from app.database.identifiers import as_constant, quoted
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.notices import Notice, relation_subject
from app.hooks import hookimpl
from app.query.filter.text_search import DIRECTIVE, Searched, searched_of
from schema_cache.model import Relation

INDEXES = """
select coalesce(pg_catalog.json_agg(pg_catalog.pg_get_indexdef(i.indexrelid, k, false)), '[]')::text
from pg_catalog.pg_index i
join pg_catalog.pg_class c on c.oid = i.indexrelid
join pg_catalog.pg_am a on a.oid = c.relam and a.amname in ('gin', 'gist')
cross join generate_series(1, i.indnkeyatts) k
where i.indrelid = {oid} and i.indisvalid and i.indpred is null
"""
INDEXABLE = frozenset("rpm")


@hookimpl
def features() -> Sequence[str]:
    return ("search",)


@hookimpl
def advice(api: ApiSchema, read: Callable[[str], bytes | None]) -> Sequence[Notice]:
    """A notice with the index to create, for each searched relation that has none."""
    found = ((each.relation, searched_of(api, each)) for each in api.relations if each.relation.kind in INDEXABLE)
    return [
        _advice(relation, searched)
        for relation, searched in found
        if searched is not None and not _is_indexed(relation, searched, read)
    ]


def _is_indexed(relation: Relation, searched: Searched, read: Callable[[str], bytes | None]) -> bool:
    keys = json.loads(read(INDEXES.format(oid=relation.oid)) or b"[]")
    return _plain(_key(relation, searched)) in map(_plain, keys)


def _plain(sql: str) -> str:
    """SQL without the types of constants, parentheses and quotes that PostgreSQL adds when it prints an index."""
    return re.sub(r"""'::(character varying|[\w."]+)|[\s()"']""", "", sql.lower())


def _key(relation: Relation, searched: Searched) -> str:
    """The SQL expression to index."""
    if searched.vector is not None:
        return quoted(searched.vector)
    columns = ((each, quoted(each.name)) for name in searched.columns if (each := relation.column(name)) is not None)
    texts = (name if column.type_text == "text" else f"{name}::text" for column, name in columns)
    text = " || ' ' || ".join(f"coalesce({each}, '')" for each in texts)
    return f"to_tsvector({as_constant(searched.config or '')}, {text})"


def _advice(relation: Relation, searched: Searched) -> Notice:
    if searched.vector is None and searched.config is None:
        fix = f'name a text search configuration in the directive {DIRECTIVE}, such as {{"config": "english"}}'
    else:
        fix = (
            f"create index on {quoted(relation.schema)}.{quoted(relation.name)} using gin ({_key(relation, searched)})"
        )
    return Notice(relation_subject(relation), f"no index serves its {DIRECTIVE}", fix=fix)
