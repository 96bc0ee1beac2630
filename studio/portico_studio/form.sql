-- The columns of one relation and its constraints as a JSON document; :oid is the relation's.
select json_build_object(
  'columns', (
    select json_object_agg(t.attname, json_build_object(
      'required', t.attnotnull and not t.atthasdef and t.attidentity = '', 'nullable', not t.attnotnull,
      'default', case when t.attidentity <> '' then 'the next number' when t.attgenerated <> '' then 'generated'
                 else pg_catalog.pg_get_expr(d.adbin, d.adrelid) end))
    from pg_catalog.pg_attribute t left join pg_catalog.pg_attrdef d on d.adrelid = t.attrelid and d.adnum = t.attnum
    where t.attrelid = :oid and t.attnum > 0 and not t.attisdropped),
  'constraints', (
    select coalesce(json_agg(json_build_object(
      'name', k.conname, 'to', nullif(k.confrelid, 0)::bigint,
      'columns', (select json_agg(a.attname order by u.n) from unnest(k.conkey) with ordinality u (number, n)
                  join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number),
      'toColumns', (select json_agg(a.attname order by u.n) from unnest(k.confkey) with ordinality u (number, n)
                    join pg_catalog.pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.number)
    )), '[]') from pg_catalog.pg_constraint k where k.conrelid = :oid)
)::text
