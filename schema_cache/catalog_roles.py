"""The part of the catalog statement that reads roles, their memberships and settings."""

from __future__ import annotations

from schema_cache.fingerprint import COMMENTS_ON_ROLES

ROLES = f"""'roles', (
    select json_agg(json_build_array(r.oid::bigint, r.rolname, r.rolsuper::int, r.rolbypassrls::int) order by r.oid)
    from pg_catalog.pg_roles r),
  'role_comments', (
    select json_agg(json_build_array(objoid::bigint, description)) from {COMMENTS_ON_ROLES}),
  'memberships', (
    -- inherit_option and set_option exist from PostgreSQL 16 on; before, the member's INHERIT decided.
    select json_agg(json_build_array(
      m.member::bigint, m.roleid::bigint,
      coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, r.rolinherit)::int,
      coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)::int) order by m.member, m.roleid)
    from pg_catalog.pg_auth_members m join pg_catalog.pg_roles r on r.oid = m.member),
  'role_settings', (
    select json_agg(json_build_array(s.setrole::bigint, setting.name, setting.value) order by s.setrole, s.setdatabase)
    from pg_catalog.pg_db_role_setting s
    cross join lateral (
      select split_part(c.config, '=', 1) as name, substr(c.config, strpos(c.config, '=') + 1) as value
      from unnest(s.setconfig) as c (config)
    ) setting
    left join pg_catalog.pg_settings known on lower(known.name) = lower(setting.name)
    where s.setrole <> 0
      and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database d where d.datname = current_database()))
      and case
        when known.name is not null then known.context = 'user'
        -- A setting of the user's own making, unless an extension owns its prefix and would refuse it.
        else setting.name ~ '[.]' and not exists (
          select from pg_catalog.pg_settings p
          where starts_with(lower(p.name), lower(split_part(setting.name, '.', 1)) || '.'))
      end)"""  # noqa: S608 (only constants)
