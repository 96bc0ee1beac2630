-- The relations of the API's schemas as one JSON document: columns, keys, policies and grants. :schemas and :roles are
-- JSON arrays of names.
with recursive
named as (
  select r.oid, r.rolname, r.rolbypassrls, r.rolsuper
  from pg_catalog.pg_roles r, json_array_elements_text(:roles::json) as given (name)
  where r.rolname = given.name
),
-- The roles of the API, and the roles granted to them, which tokens may also name.
api_role as (
  select oid from named
  union
  select r.oid from api_role a join pg_catalog.pg_auth_members m on m.member = a.oid
  join pg_catalog.pg_roles r on r.oid = m.roleid and not r.rolsuper and not starts_with(r.rolname, 'pg_')
),
-- Each role with all roles whose privileges it has.
held (member, role) as (
  select oid, oid from api_role
  union
  select h.member, m.roleid from held h join pg_catalog.pg_auth_members m on m.member = h.role
  join pg_catalog.pg_roles r on r.oid = h.role and r.rolinherit
),
relation as (
  select c.*, n.nspname, n.nspacl, n.nspowner
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in (select json_array_elements_text(:schemas::json)) and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not exists (select from pg_catalog.pg_depend d where d.deptype = 'e' and d.objid = c.oid)
),
grants as (
  select c.oid, json_agg(json_build_object(
    'to', coalesce(g.rolname, 'public'), 'privilege', lower(a.privilege_type), 'column', null)) as list
  from relation c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
  left join pg_catalog.pg_roles g on g.oid = a.grantee
  where a.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    and (a.grantee = 0 or a.grantee in (select role from held))
  group by c.oid
),
column_grants as (
  select c.oid, json_agg(json_build_object(
    'to', coalesce(g.rolname, 'public'), 'privilege', lower(a.privilege_type), 'column', t.attname)) as list
  from relation c join pg_catalog.pg_attribute t on t.attrelid = c.oid and t.attnum > 0 and t.attacl is not null,
  aclexplode(t.attacl) a left join pg_catalog.pg_roles g on g.oid = a.grantee
  where a.privilege_type in ('SELECT', 'INSERT', 'UPDATE') and (a.grantee = 0 or a.grantee in (select role from held))
  group by c.oid
),
columns as (
  select t.attrelid as oid, json_agg(json_build_object(
    'name', t.attname, 'type', pg_catalog.format_type(t.atttypid, t.atttypmod), 'notNull', t.attnotnull,
    'default', pg_catalog.pg_get_expr(d.adbin, d.adrelid), 'identity', t.attidentity <> '',
    'generated', t.attgenerated <> '', 'comment', pg_catalog.col_description(t.attrelid, t.attnum)
  ) order by t.attnum) as list
  from relation c join pg_catalog.pg_attribute t on t.attrelid = c.oid and t.attnum > 0 and not t.attisdropped
  left join pg_catalog.pg_attrdef d on d.adrelid = t.attrelid and d.adnum = t.attnum
  group by t.attrelid
),
keys as (
  select k.conrelid as oid, json_agg(json_build_object(
    'name', k.conname, 'type', k.contype, 'to', nullif(k.confrelid, 0)::bigint, 'definition', pg_get_constraintdef(k.oid),
    'columns', (select json_agg(a.attname order by u.n) from unnest(k.conkey) with ordinality u (number, n)
                join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number),
    'comment', obj_description(k.oid, 'pg_constraint')
  ) order by k.contype desc, k.conname) as list
  from pg_catalog.pg_constraint k where k.conrelid in (select oid from relation) and k.contype in ('p', 'u', 'f', 'c')
  group by k.conrelid
),
policies as (
  select p.polrelid as oid, json_agg(json_build_object(
    'name', p.polname, 'permissive', p.polpermissive,
    'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
               when 'd' then 'delete' else 'all' end,
    'roles', (select json_agg(coalesce(r.rolname, 'public') order by r.rolname)
              from unnest(p.polroles) as given (oid) left join pg_catalog.pg_roles r on r.oid = given.oid),
    'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)
  ) order by p.polname) as list
  from pg_catalog.pg_policy p where p.polrelid in (select oid from relation) group by p.polrelid
)
select json_build_object(
  'roles', (
    select json_agg(json_build_object(
      'name', r.rolname, 'bypasses', r.rolbypassrls or r.rolsuper,
      'has', (select json_agg(o.rolname order by o.rolname) from held h join pg_catalog.pg_roles o on o.oid = h.role
              where h.member = r.oid),
      'schemas', (select coalesce(json_agg(n.nspname), '[]') from pg_catalog.pg_namespace n
                  where n.nspname in (select json_array_elements_text(:schemas::json))
                    and has_schema_privilege(r.oid, n.oid, 'usage'))
    ) order by array_position(array(select json_array_elements_text(:roles::json)), r.rolname::text), r.rolname)
    from pg_catalog.pg_roles r where r.oid in (select oid from api_role)),
  'relations', (
    select coalesce(json_agg(json_build_object(
      'oid', c.oid::bigint, 'schema', c.nspname, 'name', c.relname, 'kind', c.relkind,
      'comment', obj_description(c.oid, 'pg_class'), 'rows', greatest(c.reltuples, -1)::bigint,
      'rowSecurity', c.relrowsecurity, 'forced', c.relforcerowsecurity,
      'owner', pg_get_userbyid(c.relowner),
      'invoker', exists (select from unnest(c.reloptions) o where o ~* '^security_invoker=(true|on|yes|1)$'),
      'definition', case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid, true) end,
      'columns', coalesce(columns.list, '[]'), 'keys', coalesce(keys.list, '[]'),
      'policies', coalesce(policies.list, '[]'), 'grants', coalesce(grants.list, '[]'),
      'columnGrants', coalesce(column_grants.list, '[]')
    ) order by c.nspname, c.relname), '[]')
    from relation c left join columns using (oid) left join keys using (oid) left join policies using (oid)
    left join grants using (oid) left join column_grants using (oid))
)::text
