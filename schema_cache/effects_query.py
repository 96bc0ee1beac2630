"""The part of the catalog statement that reads the calls of functions, views and policies, for ``effects.py``.

``pg_depend`` has the users' functions that these call, also through an operator. It does not have PostgreSQL's own
functions, which are found in the node trees.
"""

from __future__ import annotations

_HARMLESS = (
    "random", "random_normal", "gen_random_uuid", "uuidv4", "uuidv7", "clock_timestamp", "timeofday", "timezone",
    "array_sample", "array_shuffle", "current_query", "currval", "lastval", "pg_sequence_last_value", "currtid",
    "currtid2", "pg_sleep", "pg_sleep_for", "pg_sleep_until", "txid_status", "pg_xact_status",
    "pg_xact_commit_timestamp", "pg_is_in_recovery", "pg_relation_size", "pg_table_size", "pg_indexes_size",
    "pg_total_relation_size", "pg_database_size", "pg_tablespace_size", "pg_jit_available", "pg_partition_tree",
    "pg_partition_ancestors", "pg_blocking_pids", "pg_lock_status", "lo_get",
)  # fmt: skip
"""PostgreSQL's volatile functions that change neither the database nor the session."""

_RUN_TEXT = (
    "crosstab", "crosstab_hash", "connectby_text", "connectby_text_serial", "xpath_table", "dblink_record",
    "dblink_exec", "RASTER_mapAlgebraExpr", "RASTER_mapAlgebra2", "RASTER_nMapAlgebraExpr",
)  # fmt: skip
"""The C functions of tablefunc, xml2, dblink and postgis_raster that run SQL that they are given as text. Most of them
are declared stable or immutable."""

_BELONGS_TO_TYPES = ("pg_operator", "pg_cast", "pg_type", "pg_amproc", "pg_amop", "pg_opclass", "pg_constraint")
"""The catalogs of objects whose functions compare, convert and check values."""

_PLANNED = ("pg_class", "pg_constraint", "pg_statistic_ext")

_OLDEST_OF_USERS = 16384


def _catalogs(names: tuple[str, ...]) -> str:
    return ", ".join(f"'pg_catalog.{name}'::regclass" for name in names)


EFFECTS_QUERY = f"""(
    with acting as materialized (
      -- The functions of PostgreSQL that do something, or run a query that they are given as text.
      select p.oid, p.proname, p.prosrc from pg_catalog.pg_proc p
      where p.oid < {_OLDEST_OF_USERS} and 'internal'::regtype <> all (p.proargtypes)
        and (p.provolatile = 'v' and p.proname <> all ('{{{",".join(_HARMLESS)}}}'::name[])
             or p.proname like '%\\_to\\_xml%')
    ), pattern (calls) as (
      -- Capturing nothing, which takes longer.
      select ':(?:funcid|aggfnoid|winfnoid) (?:' || string_agg(a.oid::text, '|') || ') ' from acting a
    ), caller (kind, oid, class, object, call) as materialized (
      select c.kind, c.oid, c.class, c.object, substring(c.tree from p.calls)
      from pattern p cross join lateral (
        select 'r', w.ev_class, 'pg_catalog.pg_rewrite'::regclass, w.oid, w.ev_action::text
        from pg_catalog.pg_rewrite w where w.ev_type = '1' and w.ev_class >= {_OLDEST_OF_USERS}
        union all
        select 'r', y.polrelid, 'pg_catalog.pg_policy'::regclass, y.oid, y.polqual::text
        from pg_catalog.pg_policy y where y.polcmd in ('r', '*')
        union all
        select 'f', p.oid, 'pg_catalog.pg_proc'::regclass, p.oid,
               concat(p.proargdefaults, case when p.prosrc = '' then to_jsonb(p) ->> 'prosqlbody' end)
        from pg_catalog.pg_proc p where p.oid >= {_OLDEST_OF_USERS}
        union all
        select 't', 0, 'pg_catalog.pg_constraint'::regclass, k.oid, k.conbin::text
        from pg_catalog.pg_constraint k where k.contypid > 0 and k.oid >= {_OLDEST_OF_USERS}
      ) as c (kind, oid, class, object, tree)
    ), implied (kind, oid, called) as (
      -- The functions of PostgreSQL that no node tree names where they are used.
      select 't', 0, o.oprcode::oid from pg_catalog.pg_operator o where o.oid >= {_OLDEST_OF_USERS}
      union all
      select 't', 0, k.castfunc from pg_catalog.pg_cast k where k.oid >= {_OLDEST_OF_USERS}
      union all
      select 'f', g.aggfnoid, f.called from pg_catalog.pg_aggregate g
      cross join lateral (values (g.aggtransfn::oid), (g.aggfinalfn), (g.aggmtransfn), (g.aggmfinalfn)) f (called)
      where g.aggfnoid >= {_OLDEST_OF_USERS}
      union all
      select 'f', p.oid, a.oid from acting a
      join pg_catalog.pg_proc p on p.prosrc = a.prosrc and p.oid >= {_OLDEST_OF_USERS}
      join pg_catalog.pg_language l on l.oid = p.prolang and l.lanname = 'internal'
    ), planned (relation, function) as (
      -- The planner evaluates immutable functions in the constraints, indexes, keys and statistics of a relation.
      select coalesce(i.indrelid, k.conrelid, s.stxrelid, d.objid), d.refobjid
      from pg_catalog.pg_depend d
      join pg_catalog.pg_proc p on p.oid = d.refobjid and p.provolatile = 'i'
      left join pg_catalog.pg_index i on d.classid = 'pg_catalog.pg_class'::regclass and i.indexrelid = d.objid
      left join pg_catalog.pg_constraint k on d.classid = 'pg_catalog.pg_constraint'::regclass and k.oid = d.objid
      left join pg_catalog.pg_statistic_ext s on d.classid = 'pg_catalog.pg_statistic_ext'::regclass and s.oid = d.objid
      where d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid >= {_OLDEST_OF_USERS}
        and d.classid in ({_catalogs(_PLANNED)})
        and coalesce(k.conrelid, 1) <> 0
    )
    select json_build_object(
      'acting', (select json_agg(distinct a.proname) from acting a),
      'functions', (
        select json_agg(json_build_array(
          p.oid::bigint, n.nspname, p.proname, p.provolatile, p.prokind, l.lanname,
          case when l.lanname = 'c' and p.prosrc = any ('{{{",".join(_RUN_TEXT)}}}')
                 or p.provolatile <> 'v' and p.prokind = 'f' and l.lanname in ('sql', 'plpgsql')
               then p.prosrc end))
        from pg_catalog.pg_proc p
        join pg_catalog.pg_language l on l.oid = p.prolang
        join pg_catalog.pg_namespace n on n.oid = p.pronamespace
        where p.oid >= {_OLDEST_OF_USERS} and left(n.nspname::text, 8) <> 'pg_temp_'),
      'calls', (
        select json_agg(distinct jsonb_build_array(k.kind, k.oid::bigint, k.called_kind, k.called::bigint))
        from (
          select c.kind, c.oid, case d.refclassid when 'pg_catalog.pg_proc'::regclass then 'f' else 'r' end, d.refobjid
          from caller c
          -- With a join, the planner compares all callers with all dependencies: 0.25 s with 3,000 tables.
          cross join lateral (
            select d.refclassid, d.refobjid from pg_catalog.pg_depend d
            where d.classid = c.class and d.objid = c.object and d.deptype in ('n', 'a', 'i')
            offset 0) d
          where d.refclassid in ('pg_catalog.pg_proc'::regclass, 'pg_catalog.pg_class'::regclass)
            and d.refobjid >= {_OLDEST_OF_USERS}
          union all
          select 'r', p.relation, 'f', p.function from planned p
          union all
          select 'r', h.inhparent, 'r', h.inhrelid from pg_catalog.pg_inherits h
          join pg_catalog.pg_class c on c.oid = h.inhrelid and c.relkind in ('r', 'p', 'f')
        ) k (kind, oid, called_kind, called)),
      'acts', (
        select json_agg(json_build_array(k.kind, k.oid::bigint, a.proname))
        from (
          select c.kind, c.oid, ((regexp_match(c.call, '([0-9]+) $'))[1])::oid from caller c where c.call is not null
          union all
          select i.kind, i.oid, i.called from implied i
        ) k (kind, oid, called) join acting a on a.oid = k.called),
      'of_types', (
        select json_agg(distinct d.refobjid::bigint) from pg_catalog.pg_depend d
        where d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid >= {_OLDEST_OF_USERS}
          and d.classid in ({_catalogs(_BELONGS_TO_TYPES)})
          and (d.classid <> 'pg_catalog.pg_constraint'::regclass or exists (
            select from pg_catalog.pg_constraint k where k.oid = d.objid and k.contypid <> 0))
          -- Those of extensions compute values, even where their authors did not say so (postgis_topology).
          and not exists (
            select from pg_catalog.pg_depend e
            where e.classid = d.refclassid and e.objid = d.refobjid and e.deptype = 'e'))
    ))"""  # noqa: S608 (only constants of this file)
