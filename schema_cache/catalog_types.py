"""The part of the catalog statement that reads types, their attributes, operators and casts."""

from __future__ import annotations

TYPES = """'types', (
    select json_agg(json_build_array(
      t.oid::bigint, t.typnamespace::bigint, t.typname, quote_ident(t.typname),
      t.typcategory, t.typtype, t.element::bigint, t.typrelid::bigint, t.typbasetype::bigint, t.typdelim,
      a.id) order by t.oid)
    from type_row t join acl_row a on a.acl = t.acl),
  'triggers', exists (
    select from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where not t.tgisinternal and n.nspname not in ('storage', 'graphql', 'pg_catalog')),
  'called_by_writes', (
    select json_agg(distinct d.refobjid::bigint) from pg_catalog.pg_depend d
    left join pg_catalog.pg_constraint o on d.classid = 'pg_catalog.pg_constraint'::regclass and o.oid = d.objid
    left join pg_catalog.pg_rewrite w on d.classid = 'pg_catalog.pg_rewrite'::regclass and w.oid = d.objid
    where not exists (
      -- Citus has tables and views of its own, which are not for clients.
      select from pg_catalog.pg_depend e join pg_catalog.pg_extension x on x.oid = e.refobjid and x.extname = 'citus'
      where e.refclassid = 'pg_catalog.pg_extension'::regclass and e.classid = 'pg_catalog.pg_class'::regclass
        and e.objid in (o.conrelid, w.ev_class))
      and d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid >= '16384'
      and d.classid in ('pg_catalog.pg_attrdef'::regclass, 'pg_catalog.pg_constraint'::regclass,
                        'pg_catalog.pg_policy'::regclass, 'pg_catalog.pg_rewrite'::regclass)),
  'attributes', (
    select json_agg(json_build_array(
      c.reltype::bigint, c.oid::bigint, a.attnum, a.attname, a.atttypid::bigint, a.attndims)
      order by c.reltype, a.attnum)
    from pg_catalog.pg_class c
    join schema_row s on s.oid = c.relnamespace and not s.is_system
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'c' :of_composites),
  'labels', (
    select json_agg(json_build_array(e.enumtypid::bigint, e.enumlabel) order by e.enumtypid, e.enumsortorder)
    from pg_catalog.pg_enum e :of_enums)"""

OPERATORS = """'operators', (
    select json_agg(json_build_array(
      c.opcintype::bigint, quote_ident(n.nspname),
      (select json_agg(o.oprname order by s.amopstrategy)
       from pg_catalog.pg_amop s
       join pg_catalog.pg_operator o on o.oid = s.amopopr
       where s.amopfamily = c.opcfamily and s.amoplefttype = c.opcintype and s.amoprighttype = c.opcintype),
      negator.oprname))
    from pg_catalog.pg_opclass c
    join pg_catalog.pg_am m on m.oid = c.opcmethod and m.amname = 'btree'
    join pg_catalog.pg_amop same on same.amopfamily = c.opcfamily and same.amopstrategy = 3
      and same.amoplefttype = c.opcintype and same.amoprighttype = c.opcintype
    join pg_catalog.pg_operator o on o.oid = same.amopopr
    join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
    left join pg_catalog.pg_operator negator on negator.oid = o.oprnegate
    where c.opcdefault),
  'equalities', (
    select json_agg(json_build_array(o.oprleft::bigint, quote_ident(n.nspname))
      order by n.nspname <> 'pg_catalog', n.oid)
    from pg_catalog.pg_operator o
    join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
    where o.oprname = '=' and o.oprleft = o.oprright and o.oprresult = 'bool'::regtype),
  'hash_classes', (
    select json_agg(c.opcintype::bigint)
    from pg_catalog.pg_opclass c
    join pg_catalog.pg_am m on m.oid = c.opcmethod and m.amname = 'hash'
    where c.opcdefault),
  'shadowed', exists (
    select from pg_catalog.pg_operator o
    where o.oid >= '16384' and o.oprnamespace <> 'pg_catalog'::regnamespace
      and exists (
        select from pg_catalog.pg_operator own
        where own.oprname = o.oprname and own.oprnamespace = 'pg_catalog'::regnamespace)
      and not exists (
        select from pg_catalog.pg_depend d
        where d.classid = 'pg_catalog.pg_operator'::regclass and d.objid = o.oid and d.deptype = 'e')),
  'coercions', (
    select json_agg(json_build_array(k.castsource::bigint, k.casttarget::bigint, (k.castmethod = 'b')::int))
    from pg_catalog.pg_cast k where k.castcontext = 'i' and k.castsource <> k.casttarget),
  'json_casts', (
    select json_agg(k.castsource::bigint)
    from pg_catalog.pg_cast k where k.casttarget = 'json'::regtype and k.castsource >= '16384'),
  'ranges', (
    -- rngmultitypid exists from PostgreSQL 14 on.
    select json_agg(json_build_array((to_jsonb(g) ->> 'rngmultitypid')::bigint, g.rngtypid::bigint))
    from pg_catalog.pg_range g)"""
"""Operators, operator classes, casts and ranges: no part of the catalog that is read again on its own."""
