"""The SQL statement that reads a database's catalog, and a small one that looks for optional objects.

The result is a JSON object of flat lists of positional rows, which ``decode.py`` joins. So the server only scans and
prints: with 1,000 tables of 20 columns this takes 0.1 instead of 0.3 s.

One statement means one snapshot, so contents and version always belong together. PostgreSQL functions that read its
system caches may see a state that is newer (or, for an instant, older) than the snapshot. They are used only where that
does no harm:

* ``format_type`` for a modifier such as ``(10,2)``: fixed by its arguments. Types' names come from the snapshot's rows.
* ``pg_get_indexdef`` and ``pg_get_expr``, for unique indexes with expressions or a predicate: fixed once an index is
  made; for a dropped index they print nothing.
* ``pg_get_function_arg_default``: the snapshot has the number of defaults; only the text may be newer. (``pg_get_expr``
  would print the text of the snapshot, but fails if a function that is called there was dropped in the meantime.)
* ``pg_relation_is_updatable``, for views and foreign tables, and ``pg_column_is_updatable``, for the columns of views:
  they lock the view and the relations below it, and then see the newest state. If that is newer than the snapshot, the
  version is out of date too, and the next check reads the catalog again. If they would have to wait for an ALTER TABLE,
  the view is assumed to be updatable: nothing waits for a migration, and if PostgreSQL then refuses a change, this only
  gives an error message.
"""

from __future__ import annotations

import re

from schema_cache.catalog_roles import ROLES
from schema_cache.catalog_types import OPERATORS, TYPES
from schema_cache.effects_query import EFFECTS_QUERY
from schema_cache.fingerprint import CONTENTS_FINGERPRINT, PREAMBLE, shared_fingerprint

# Anyone with CREATE on the database may create a schema of this name and a function in it, which the service would run
# with its privileges. So the function is used only if its owner could do everything anyway. A volatile function would
# not see the statement's snapshot. The table is Citus's.
SUPPORT_QUERY = f"""{PREAMBLE}
select json_build_array(exists (
  select from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_roles owner on owner.oid = p.proowner
  where n.nspname = 'graphql' and p.proname = 'schema_version'
    and p.pronargs = 0 and p.prorettype = 'int8'::regtype and not p.proretset and p.provolatile <> 'v'
    and (owner.rolsuper or owner.rolname = session_user
         or owner.oid = (select d.datdba from pg_catalog.pg_database d where d.datname = current_database()))
    and has_schema_privilege(n.oid, 'USAGE') and has_function_privilege(p.oid, 'EXECUTE')
), to_regclass('pg_catalog.pg_dist_partition') is not null, exists (
  select from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_roles owner on owner.oid = c.relowner
  where n.nspname = 'graphql' and c.relname = 'changed_object' and c.relkind = 'r'
    and (owner.rolsuper or owner.rolname = session_user
         or owner.oid = (select d.datdba from pg_catalog.pg_database d where d.datname = current_database()))
    and has_table_privilege(c.oid, 'SELECT')
))::text
"""  # noqa: S608 (only constants)


def catalog_query(*, counted: bool, distributed: bool = False, listed: bool = False, with_queries: bool = False) -> str:
    """The statement that reads the catalog. ``counted``: the support objects count schema changes. ``distributed``: the
    database has Citus. ``listed``: the support objects list the changed objects. ``with_queries``: also read the
    queries of views, which may be long."""
    query = (
        CATALOG_TEMPLATE.replace(":whole", _WHOLE)
        .replace(":change_count", _count(counted))
        .replace(":distribution", _DISTRIBUTION if distributed else "null")
        .replace(":shared", shared_fingerprint(distributed=distributed))
        .replace(":snapshot", "pg_current_snapshot()" if counted and listed else "null")
        .replace(":view_queries", _VIEW_QUERIES if with_queries else "null")
    )
    return _LIMIT_TO_SCOPE.sub("", query)


def state_query(*, counted: bool, distributed: bool, thorough: bool) -> str:
    """The statement that shows whether the schema has changed: it reads the count, the shared fingerprint and, if
    ``thorough``, the other fingerprint."""
    contents = f"({CONTENTS_FINGERPRINT})" if thorough else "null"
    shared = shared_fingerprint(distributed=distributed)
    return f"{PREAMBLE}\nselect json_build_array({_count(counted)}, ({shared}), {contents})::text"


_LIMIT_TO_SCOPE = re.compile(r" *:(scope|of_[a-z]+)\b")
"""The places of ``CATALOG_TEMPLATE`` where ``changes_query.py`` limits a part to the changed objects."""


def _count(counted: bool) -> str:
    return "graphql.schema_version()" if counted else "null::bigint"


_VIEW_QUERIES = """(
    select json_agg(json_build_array(w.ev_class::bigint, w.ev_action::text))
    from pg_catalog.pg_rewrite w
    join relation_row r on r.oid = w.ev_class and r.relkind in ('v', 'm')
    where w.ev_type = '1')"""

_DISTRIBUTION = """(
    -- The tables that Citus has put on other servers, and all views of them.
    with recursive spread(oid) as (
      select p.logicalrelid::oid from pg_catalog.pg_dist_partition p where p.colocationid > 0
      union
      select w.ev_class
      from spread s
      join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = s.oid
        and d.classid = 'pg_catalog.pg_rewrite'::regclass
      join pg_catalog.pg_rewrite w on w.oid = d.objid)
    select coalesce(json_agg(json_build_array(
      s.oid::bigint, case when p.partmethod = 'h' then column_to_column_name(p.logicalrelid, p.partkey) end,
      p.colocationid, coalesce(p.repmodel = 't', false)::int)), '[]')
    from spread s left join pg_catalog.pg_dist_partition p on p.logicalrelid = s.oid)"""

_INSTEAD = """(
      -- An INSTEAD OF trigger, or a rule in its place, may do what it likes with a value.
      select coalesce(bit_or(changes), 0)
      from (
        select ((t.tgtype & 4) << 1) | ((t.tgtype & 16) >> 2)
        from pg_catalog.pg_trigger t where t.tgrelid = r.oid and t.tgtype & 64 <> 0
        union all
        select 1 << w.ev_type::text::int
        from pg_catalog.pg_rewrite w where w.ev_class = r.oid and w.is_instead and w.ev_qual = '<>'
      ) as instead (changes))"""

_WHOLE = f""",
  'contents', ({CONTENTS_FINGERPRINT}),
  'view_queries', :view_queries,
  'distribution', :distribution,
  {OPERATORS},
  {ROLES}"""
"""The parts that are only read together with all others."""

CATALOG_TEMPLATE = f"""{PREAMBLE}
with recursive :scope schema_row as materialized (
  select n.oid, n.nspname, coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl,
         n.nspname in ('pg_catalog', 'information_schema') as is_system
  from pg_catalog.pg_namespace n
  where left(n.nspname::text, 3) <> 'pg_' or n.nspname = 'pg_catalog'
), blocked (relation) as materialized (
  select l.relation from pg_catalog.pg_locks l
  where l.mode = 'AccessExclusiveLock' and l.granted and l.pid <> pg_backend_pid()
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
  union
  select r.ev_class
  from blocked b
  join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = b.relation
    and d.classid = 'pg_catalog.pg_rewrite'::regclass
  join pg_catalog.pg_rewrite r on r.oid = d.objid
), relation_row as materialized (
  select c.oid, c.relnamespace, c.relname, c.relkind, c.reltype, c.relrowsecurity,
         coalesce(c.relacl, acldefault('r', c.relowner)) as acl,
         case
           when c.relkind in ('r', 'p') then 28 & ~refused.changes
           when c.relkind = 'm' then 0
           when c.relkind = 'f' and (
             select w.fdwhandler = 0
             from pg_catalog.pg_foreign_table t
             join pg_catalog.pg_foreign_server s on s.oid = t.ftserver
             join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
             where t.ftrelid = c.oid) then 0
           when c.oid in (select b.relation from blocked b) then 28
           else pg_relation_is_updatable(c.oid, true) & ~refused.changes
         end as changes
  from pg_catalog.pg_class c
  join schema_row s on s.oid = c.relnamespace and not s.is_system
  cross join lateral (
    -- PostgreSQL refuses changes in a WITH query, or with RETURNING, where a rule does something else as well, or
    -- something else instead that returns no rows.
    select coalesce(bit_or(1 << w.ev_type::text::int), 0) as changes
    from pg_catalog.pg_rewrite w
    where c.relhasrules and w.ev_class = c.oid and w.ev_type <> '1' and w.ev_enabled in ('O', 'A')
      and not (w.is_instead and w.ev_qual = '<>' and strpos(w.ev_action::text, ':returningList (') > 0)
  ) as refused
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relpersistence <> 't' :of_relations
), column_row as materialized (
  select a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod, a.attnotnull, a.atthasdef, a.attgenerated,
         a.attidentity, a.attndims, a.attacl, a.attcollation
  from pg_catalog.pg_attribute a
  join relation_row r on r.oid = a.attrelid
  where a.attnum > 0 and not a.attisdropped
), made_by_database (relation) as materialized (
  -- Relations with columns that take no values, generated ones and identities, and the views of these relations.
  select c.attrelid from column_row c where c.attgenerated <> '' or c.attidentity = 'a'
  union
  select w.ev_class
  from made_by_database m
  join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = m.relation
    and d.classid = 'pg_catalog.pg_rewrite'::regclass
  join pg_catalog.pg_rewrite w on w.oid = d.objid and w.ev_type = '1'
), type_row as materialized (
  select t.oid, t.typnamespace, t.typname, t.typcategory, t.typtype, t.typrelid, t.typbasetype, t.typdelim,
         case when t.typlen = -1 then t.typelem else 0 end as element,
         coalesce(t.typacl, acldefault('T', t.typowner)) as acl, s.is_system
  from pg_catalog.pg_type t
  join schema_row s on s.oid = t.typnamespace
  where true :of_types
), function_row as materialized (
  select p.*, coalesce(p.proacl, acldefault('f', p.proowner)) as acl
  from pg_catalog.pg_proc p
  join schema_row s on s.oid = p.pronamespace and not s.is_system
  where p.prokind = 'f' :of_functions
), acl_row as materialized (
  select row_number() over () as id, acl
  from (
    select acl from schema_row union select acl from relation_row union select attacl from column_row
    where attacl is not null union select acl from type_row union select acl from function_row
  ) as distinct_acl
)
select json_build_object(
  'server_version', current_setting('server_version_num')::int,
  'database', (select json_build_array(d.datname, d.datdba::bigint)
               from pg_catalog.pg_database d where d.datname = current_database()),
  'login', (select r.oid::bigint from pg_catalog.pg_roles r where r.rolname = session_user),
  'change_count', :change_count,
  'shared', (:shared),
  'snapshot', :snapshot,
  'acls', (
    select json_agg(json_build_array(a.id, g.grantee::bigint, g.privileges) order by a.id, g.grantee)
    from acl_row a
    cross join lateral (
      select e.grantee, string_agg(distinct e.privilege_type, ' ') as privileges
      from aclexplode(a.acl) e group by e.grantee
    ) g),
  'schemas', (
    select json_agg(json_build_array(
      s.oid::bigint, s.nspname, quote_ident(s.nspname), a.id) order by s.oid)
    from schema_row s join acl_row a on a.acl = s.acl),
  'relations', (
    select json_agg(json_build_array(
      r.oid::bigint, r.relnamespace::bigint, r.relname, r.relkind, r.reltype::bigint, r.relrowsecurity::int,
      r.changes, a.id) order by r.oid)
    from relation_row r join acl_row a on a.acl = r.acl),
  'columns', (
    select json_agg(json_build_array(
      c.attrelid::bigint, c.attnum, c.attname, c.atttypid::bigint, c.atttypmod,
      case when c.atttypmod >= 0 then format_type(c.atttypid, c.atttypmod) end,
      c.attnotnull::int, c.atthasdef::int, c.attgenerated, c.attidentity, c.attndims) order by c.attrelid, c.attnum)
    from column_row c),
  'column_acls', (
    select json_agg(json_build_array(c.attrelid::bigint, c.attnum, a.id))
    from column_row c join acl_row a on a.acl = c.attacl),
  'serials', (
    select json_agg(json_build_array(d.refobjid::bigint, d.refobjsubid))
    from pg_catalog.pg_class s
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_class'::regclass and d.objid = s.oid and d.objsubid = 0
      and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjsubid > 0 and d.deptype in ('a', 'i')
    where s.relkind = 'S' :of_serials),
  'fixed_columns', (
    select json_agg(json_build_array(c.attrelid::bigint, c.attnum, 12 & ~{_INSTEAD}))
    from relation_row r
    join column_row c on c.attrelid = r.oid
    where case
      when r.relkind <> 'v' or r.changes & 12 = 0 or r.oid in (select b.relation from blocked b) then false
      else not pg_column_is_updatable(r.oid, c.attnum, true)
    end),
  'nondeterministic', (
    select json_agg(json_build_array(c.attrelid::bigint, c.attnum))
    from column_row c
    join pg_catalog.pg_collation k on k.oid = c.attcollation and not k.collisdeterministic),
  'views_of_made_columns', (
    select json_agg(json_build_array(r.oid::bigint, 12 & ~{_INSTEAD}, w.ev_action::text))
    from relation_row r
    join made_by_database m on m.relation = r.oid
    join pg_catalog.pg_rewrite w on w.ev_class = r.oid and w.ev_type = '1'
    where r.relkind = 'v' and r.changes & 12 <> 0),
  'filled_on_insert', (
    -- Where a trigger for each row, or a rule, may give a row values before PostgreSQL looks for missing ones. What a
    -- partition does is done to the rows of the whole.
    select json_agg(distinct coalesce(whole.relid, t.relation)::bigint)
    from (
      select t.tgrelid from pg_catalog.pg_trigger t
      where t.tgtype & 7 = 7 and not t.tgisinternal and t.tgenabled <> 'D'
      union
      select w.ev_class from pg_catalog.pg_rewrite w where w.ev_type = '3'
    ) as t (relation)
    left join lateral pg_partition_ancestors(t.relation) as whole (relid) on true),
  'unvalidated_not_nulls', (
    select json_agg(json_build_array(k.conrelid::bigint, k.conkey[1]))
    from pg_catalog.pg_constraint k where k.contype = 'n' and not k.convalidated :of_constraints),
  'unique_indexes', (
    select json_agg(json_build_array(
      i.indrelid::bigint, c.relname, i.indisprimary::int, (i.indpred is not null)::int,
      (select json_agg(k.attnum order by k.position)
       from unnest(i.indkey::int2[]) with ordinality as k (attnum, position) where k.position <= i.indnkeyatts),
      i.indexrelid::bigint, k.oid::bigint, (i.indimmediate and not i.indisexclusion)::int,
      -- indnullsnotdistinct exists from PostgreSQL 15 on.
      case when i.indisprimary then 1 else (to_jsonb(i) ->> 'indnullsnotdistinct' is distinct from 'true')::int end,
      case when i.indexprs is not null then (
        select json_agg(pg_get_indexdef(i.indexrelid, position, false) order by position)
        from generate_series(1, i.indnkeyatts::int) as position) end,
      -- Of an index that was dropped meanwhile, the predicate may call a function that was dropped too.
      case when i.indpred is not null and pg_get_indexdef(i.indexrelid, 1, false) is not null then
        pg_get_expr(i.indpred, i.indrelid) end,
      (select json_agg(distinct read.number[1]::int)
       from regexp_matches(concat(i.indexprs, i.indpred), ':varattno ([0-9]+)', 'g') as read (number)))
      order by i.indrelid, i.indexrelid)
    from pg_catalog.pg_index i
    join pg_catalog.pg_class c on c.oid = i.indexrelid
    join relation_row r on r.oid = i.indrelid
    left join pg_catalog.pg_constraint k
      on k.conrelid = i.indrelid and k.conindid = i.indexrelid and k.contype in ('p', 'u')
    where i.indisunique and i.indisvalid and i.indislive),
  'foreign_keys', (
    select json_agg(json_build_array(
      k.conrelid::bigint, k.oid::bigint, k.conname, k.confrelid::bigint, k.conkey, k.confkey)
      order by k.conrelid, k.oid)
    from pg_catalog.pg_constraint k
    join relation_row r on r.oid = k.conrelid
    left join pg_catalog.pg_constraint parent on parent.oid = k.conparentid
    left join pg_catalog.pg_index i on i.indexrelid = k.conindid
    where k.contype = 'f'
      -- One per partition of the referenced table: parts of the machinery of the key on the whole.
      and parent.conrelid is distinct from k.conrelid
      -- PERIOD keys (PostgreSQL 18) are not matched by equality.
      and i.indisexclusion is not true),
  'effects', {EFFECTS_QUERY},
  {TYPES},
  'functions', (
    select json_agg(json_build_array(
      p.oid::bigint, p.pronamespace::bigint, p.proname, a.id,
      coalesce(p.proallargtypes, p.proargtypes::oid[])::bigint[], p.proargmodes, p.proargnames,
      p.pronargdefaults,
      case when p.pronargdefaults > 0 then (
        select json_agg(pg_get_function_arg_default(p.oid, position::int) order by position)
        from generate_series(1, coalesce(cardinality(p.proallargtypes), p.pronargs)) as position
      ) end,
      p.prorettype::bigint, p.proretset::int, p.prorows, p.provolatile)
      order by p.oid)
    from function_row p join acl_row a on a.acl = p.acl),
  'comments', (
    select json_agg(json_build_array(c.relname, d.objoid::bigint, d.objsubid, d.description))
    from pg_catalog.pg_description d
    join pg_catalog.pg_class c on c.oid = d.classoid and c.relnamespace = 'pg_catalog'::regnamespace
    where c.relname in ('pg_class', 'pg_namespace', 'pg_type', 'pg_proc', 'pg_constraint')
      and (d.objoid >= '16384' or c.relname = 'pg_namespace') :of_comments),
  'extension_members', (
    select json_agg(d.objid::bigint)
    from pg_catalog.pg_depend d
    where d.deptype = 'e' and d.classid in ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_proc'::regclass)
      :of_members)
  :whole
)::text
"""  # noqa: S608 (only constants)
