"""Finds relations of schema public without row level security, and opens those that the operator names."""

from __future__ import annotations

import json
from dataclasses import dataclass

from app.database.identifiers import as_constant
from app.installation.scripts import private_relations
from app.installation.state import QueryValue
from schema_cache.fingerprint import PREAMBLE

_CLOSED = """
select coalesce(
  json_agg(json_build_array(format('%I.%I', 'public', c.relname), p.reason) order by c.relname), '[]')::text
from pg_catalog.pg_class c left join ({private}) as p on p.oid = c.oid
where c.relnamespace = to_regnamespace('public') and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relrowsecurity
  and not exists (select from unnest(c.reloptions) o (option) where option ~* '^security_invoker=(true|on|yes|1)$')
  and pg_has_role(current_user, c.relowner, 'usage')
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_class'::regclass
                  and d.objid = c.oid and d.deptype = 'e')
  and not exists (select from pg_catalog.pg_roles r
                  where r.rolname in ('anon', 'authenticated') and has_table_privilege(r.oid, c.oid, 'select'))
"""

# Tables with row level security, or with rights on other columns only, were opened deliberately.
_READABLE = """
select coalesce(json_agg(json_build_array(p.name, p.reason) order by p.name), '[]')::text
from ({private}) as p
join pg_catalog.pg_class c on c.oid = p.oid and not c.relrowsecurity
join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = {schema}
join pg_catalog.pg_roles r on r.rolname = {role}
where has_schema_privilege(r.oid, n.oid, 'usage')
  and not exists (select from unnest(c.reloptions) o (option) where option ~* '^security_invoker=(true|on|yes|1)$')
  and case when p.columns is null then has_table_privilege(r.oid, c.oid, 'select')
      else exists (
        select from unnest(p.columns) k (name) where has_column_privilege(r.oid, c.oid, k.name, 'select'))
      end
"""

# Inserting into serial columns needs rights on their sequences.
_OPEN = """
grant select on {name} to anon;
grant select, insert, update, delete on {name} to authenticated;
do $open$
declare
  own text;
begin
  for own in
    select d.objid::regclass::text
    from pg_catalog.pg_depend d join pg_catalog.pg_class c on c.oid = d.objid and c.relkind = 'S'
    where d.classid = 'pg_catalog.pg_class'::regclass and d.refobjid = {constant}::regclass and d.deptype in ('a', 'i')
  loop
    execute 'grant usage, select on sequence ' || own || ' to authenticated';
  end loop;
end
$open$;
"""


@dataclass(frozen=True, slots=True)
class ClosedRelation:
    """A relation of schema public without row level security that anon and authenticated may not read. ``name`` is an
    SQL identifier. ``reason`` is why it must stay closed; None if its owner may open it."""

    name: str
    reason: str | None


def closed_relations_of(read: QueryValue) -> list[ClosedRelation]:
    """The relations of schema public that stay closed with the value "protected" of ``Grants``. The search path must
    begin with pg_catalog."""
    found = json.loads(read(_CLOSED.format(private=private_relations())) or b"[]")
    return [ClosedRelation(name, reason) for name, reason in found]


def readable_private_relations(read: QueryValue, schema: str, role: str) -> list[tuple[str, str]]:
    """The private relations of a schema that a role may read without row level security, each with the reason why it is
    private. ``schema`` and ``role`` are SQL constants."""
    query = _READABLE.format(private=private_relations(), schema=schema, role=role)
    return [(name, reason) for name, reason in json.loads(read(PREAMBLE + query) or b"[]")]


def opening_sql(name: str) -> str:
    """SQL that lets anon read a relation, and authenticated read and write it. ``name`` is an SQL identifier."""
    return _OPEN.format(name=name, constant=as_constant(name))
