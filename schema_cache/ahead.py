"""Finds which relations have changed since a catalog was read, without reading them.

That takes a millisecond, so a request that the change does not concern need not wait until the change is read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from schema_cache.changes_query import checked_snapshot
from schema_cache.difference import with_neighbours
from schema_cache.fingerprint import PREAMBLE
from schema_cache.loader import Run, read_value
from schema_cache.model import Catalog

_OF_RELATIONS = frozenset({"pg_class", "pg_attrdef", "pg_constraint", "pg_trigger", "pg_type"})


@dataclass(frozen=True, slots=True)
class Ahead:
    """The database's schema has the version ``change_count``. ``relations``: the oids of those that have changed since
    ``catalog`` was read, and of those that foreign keys connect with them."""

    catalog: Catalog
    change_count: int
    relations: frozenset[int]


def look_ahead(run: Run, known: Catalog) -> Ahead | None:
    """The changes since a catalog was read; None if something else than relations has changed, or may have. Errors of
    ``run`` are passed on."""
    query = f"""{PREAMBLE}
        select json_build_array(
          graphql.schema_version(), coalesce(sum(o.step), 0),
          json_agg(distinct jsonb_build_array(c.relname, o.object::bigint)) filter (where o.step = 0))::text
        from graphql.changed_object o left join pg_catalog.pg_class c on c.oid = o.class
        where not pg_visible_in_snapshot(o.transaction, '{checked_snapshot(known.snapshot)}'::pg_snapshot)
    """  # noqa: S608 (a snapshot has only digits)
    count, steps, listed = json.loads(read_value(run, query))
    if count is None or count != known.change_count + steps:
        return None
    objects = [(name, oid) for name, oid in listed or ()]
    if any(name not in _OF_RELATIONS for name, _ in objects):
        return None
    if not all(_is_row_type(known, oid) for name, oid in objects if name == "pg_type"):
        return None
    changed = {oid for name, oid in objects if name == "pg_class"}
    if not changed.isdisjoint(_composite_types(known)):
        return None
    return Ahead(known, count, with_neighbours(changed, known))


def _is_row_type(known: Catalog, oid: int) -> bool:
    """Whether a type is new, or the row type of a relation, or an array of these."""
    type_ = known.type_by_oid.get(oid)
    element = type_ and (known.type_by_oid.get(type_.element) or type_)
    return element is None or element.relation in known.relation_by_oid


def _composite_types(known: Catalog) -> set[int]:
    relations = known.relation_by_oid
    return {each.relation for each in known.types if each.relation and each.relation not in relations}
