"""Finds which relations have changed since a catalog was read, without reading them.

A request that these changes do not concern need not wait until they are read: its own flight lists the changed objects.
"""

from __future__ import annotations

import json

from schema_cache.difference import with_neighbours
from schema_cache.model import Catalog

CHANGED_OBJECTS = """
select pg_catalog.json_build_array(
  graphql.schema_version(), coalesce(pg_catalog.sum(o.step), 0),
  pg_catalog.json_agg(distinct pg_catalog.jsonb_build_array(c.relname, o.object::pg_catalog.int8))
    filter (where o.step operator(pg_catalog.=) 0),
  pg_catalog.json_agg(distinct k.confrelid::pg_catalog.int8) filter (where k.confrelid is not null))::pg_catalog.text
from graphql.changed_object o
left join pg_catalog.pg_class c on c.oid operator(pg_catalog.=) o.class
left join lateral (
  -- No row for the entry with the step, which would be counted twice.
  select k.confrelid from pg_catalog.pg_constraint k
  where k.conrelid operator(pg_catalog.=) o.object and k.contype operator(pg_catalog.=) 'f'
    and c.relname operator(pg_catalog.=) 'pg_class'
) k on true
where not pg_catalog.pg_visible_in_snapshot(o.transaction, $1::pg_catalog.pg_snapshot)
"""
"""The statement that lists the objects that have changed since a snapshot. Any role may run it, on any search path."""

_OF_RELATIONS = frozenset({"pg_class", "pg_attrdef", "pg_constraint", "pg_trigger", "pg_type"})


def changed_relations(listed: str | bytes, known: Catalog) -> frozenset[int] | None:
    """The oids of the relations that have changed since a catalog was read, and of those that foreign keys connect with
    them. None if something else than relations has changed, or may have. ``listed``: the result of ``CHANGED_OBJECTS``
    for the catalog's snapshot."""
    count, steps, entries, referenced = json.loads(listed)
    if count is None or count != known.change_count + steps:
        return None
    objects = [(name, oid) for name, oid in entries or ()]
    if any(name not in _OF_RELATIONS for name, _ in objects):
        return None
    if not all(_is_row_type(known, oid) for name, oid in objects if name == "pg_type"):
        return None
    changed = {oid for name, oid in objects if name == "pg_class"}
    if not changed.isdisjoint(_composite_types(known)):
        return None
    return with_neighbours(changed, known).union(referenced or ())


def _is_row_type(known: Catalog, oid: int) -> bool:
    """Whether a type is new, or the row type of a relation, or an array of these."""
    type_ = known.type_by_oid.get(oid)
    element = type_ and (known.type_by_oid.get(type_.element) or type_)
    return element is None or element.relation in known.relation_by_oid


def _composite_types(known: Catalog) -> set[int]:
    relations = known.relation_by_oid
    return {each.relation for each in known.types if each.relation and each.relation not in relations}
