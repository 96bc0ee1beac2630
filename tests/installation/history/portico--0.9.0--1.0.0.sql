-- Portico 0.9.0 -> 1.0.0. Run by ALTER EXTENSION portico UPDATE and by `portico upgrade`, in one transaction.
\echo Use "ALTER EXTENSION portico UPDATE" to load this file. \quit


-- Requests run meanwhile. They read the slots first and the storage tables after that; nobody shall wait long behind us,
-- and nobody shall get into a deadlock with us: so take all locks or none, and try again.
do $lock$
declare
  waits constant text := current_setting('lock_timeout');
begin
  for attempt in 1..100 loop
    begin
      set local lock_timeout = '100ms';
      lock table graphql.schema_change in access exclusive mode;
      lock table storage.objects, storage.buckets in access exclusive mode;
      perform set_config('lock_timeout', waits, true);
      exit;
    exception when lock_not_available then
      if attempt = 100 then
        raise;
      end if;
      perform pg_sleep(random() * 0.1);
    end;
  end loop;
end
$lock$;


-- --------------------------------------------------------------------------- schema graphql: the version of the schema

alter table graphql.schema_change add column holder text;
comment on column graphql.schema_change.holder is 'The transaction that last counted in this slot: it counts once';

-- Steps are random, so that two histories of one database (restored from a backup, for example) do not come to the same
-- version by counting alike. A transaction counts once, however many commands it has.
create or replace function graphql.count_change() returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = 0
as $$
declare
  -- with its time: after a dump and restore the same number is another transaction
  me constant text := pg_current_xact_id()::text || ' ' || extract(epoch from now())::text;
  step constant bigint := 1 + floor(random() * 1000000)::bigint;
  isolation constant text := current_setting('transaction_isolation');
  taken bigint;
begin
  -- Serializable transactions must not even read the slots: it would make them conflict with each other.
  if isolation <> 'serializable' and exists (select from graphql.schema_change where holder = me) then
    return;
  end if;
  -- Above read committed, a row changed since the snapshot is a serialization error: a new slot can have none.
  if isolation = 'read committed' then
    select slot into taken from graphql.schema_change order by slot limit 1 for update skip locked;
    if found then
      update graphql.schema_change set changes = changes + step, holder = me where slot = taken;
      if (select count(*) from graphql.schema_change) > 64 then
        -- left from a crowd or from serializable transactions: add the free ones up in this one
        with free as (
          select slot from graphql.schema_change where slot <> taken for update skip locked
        ), folded as (
          delete from graphql.schema_change c using free where c.slot = free.slot returning c.changes
        )
        update graphql.schema_change set changes = changes + coalesce((select sum(f.changes) from folded f), 0)
          where slot = taken;
      end if;
      return;
    end if;
  end if;
  insert into graphql.schema_change (changes, holder) values (step, me);
end
$$;

create or replace function graphql.count_ddl() returns event_trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_tag in ('REFRESH MATERIALIZED VIEW', 'REINDEX', 'SECURITY LABEL',
                'CREATE STATISTICS', 'ALTER STATISTICS') then
    return;
  end if;
  -- DROP OWNED revokes without reporting a command
  if tg_tag = 'DROP OWNED' or exists (
    select from pg_event_trigger_ddl_commands() c where c.schema_name is null or c.schema_name not like 'pg\_temp%'
  ) then
    perform graphql.count_change();
  end if;
exception when others then
  raise warning 'portico could not count this change of the schema: %', sqlerrm;
end
$$;

create or replace view graphql.missing as
  select format('the role %s does not exist', r.name) as what,
         format('a role that may create roles: create role %s nologin noinherit%s',
                r.name, case r.name when 'service_role' then ' bypassrls' else '' end) as fix
  from unnest(array['anon', 'authenticated', 'service_role']) as r (name)
  where not exists (select from pg_catalog.pg_roles p where p.rolname = r.name)
  union all
  select format('%s may not switch to the role %s', current_user, p.rolname),
         format('a superuser, or a role with admin option on it: grant %s to %s', p.rolname, quote_ident(current_user))
  from pg_catalog.pg_roles p
  where p.rolname in ('anon', 'authenticated', 'service_role')
    and not pg_has_role(current_user, p.oid,
      case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)
  union all
  select 'service_role does not bypass row level security: on tables with policies it is one role among others',
         'a superuser: alter role service_role bypassrls'
  from pg_catalog.pg_roles p
  where p.rolname = 'service_role' and not p.rolbypassrls and not p.rolsuper
  union all
  select 'changes of the schema are not counted (no event triggers): the service looks for them every second instead',
         'a superuser: run portico init, or create extension portico, once more'
  where graphql.schema_version() is null
  union all
  select format('the function auth.%s() does not exist', f.name),
         format('the owner of schema auth: grant create on schema auth to %s, then portico init once more',
                quote_ident(current_user))
  from unnest(array['jwt', 'uid', 'role', 'email']) as f (name)
  where not exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'auth' and p.proname = f.name and p.pronargs = 0)
  union all
  select format('the table storage.%s does not exist', t.name), 'run portico init once more'
  from unnest(array['buckets', 'objects', 'work']) as t (name)
  where not exists (
    select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'storage' and c.relname = t.name)
  union all
  select format('the role %s may not use the schema %s', p.rolname, n.nspname),
         format('the owner of the schema: grant usage on schema %I to %I', n.nspname, p.rolname)
  from pg_catalog.pg_roles p cross join pg_catalog.pg_namespace n
  where p.rolname in ('anon', 'authenticated', 'service_role')
    and n.nspname in ('auth', 'storage')
    and not has_schema_privilege(p.oid, n.oid, 'usage');
comment on view graphql.missing is 'What of Portico this database lacks for the role that asks, and who can mend it how';
grant select on graphql.missing to public;


-- -------------------------------------------------------------------------------- schema storage: buckets and objects

alter table storage.buckets
  add column versioning_status text not null default 'DISABLED'
    constraint buckets_versioning_status_check check (versioning_status = 'DISABLED');
alter table storage.objects
  add column archived_at timestamptz,
  add column is_delete_marker boolean not null default false,
  add column is_versioned boolean not null default false;

create trigger update_buckets_updated_at
  before update of name, owner, owner_id, public, file_size_limit, allowed_mime_types on storage.buckets for each row
  execute function storage.update_updated_at_column();

-- Who may write a row may not name the bytes of another one with it: to read them, or have them deleted with the row.
create or replace function storage.protect_version() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $function$
  begin
    if current_user <> 'service_role'
       and not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'MEMBER') then
      raise exception using
        errcode = 'insufficient_privilege',
        message = 'Only the storage API says which bytes an object has.',
        hint = 'Leave the column version as it is.';
    end if;
    return new;
  end
  $function$;
comment on function storage.protect_version() is 'Lets nobody but the storage API name the bytes of an object';

create trigger protect_version_on_insert before insert on storage.objects for each row
  when (new.version is not null)
  execute function storage.protect_version();
create trigger protect_version_on_update before update on storage.objects for each row
  when (old.version is distinct from new.version)
  execute function storage.protect_version();

-- In an extension's script CREATE OR REPLACE refuses objects that are not the extension's; $release$ takes it out again.
do $$
begin
  if exists (select from pg_catalog.pg_extension where extname = 'portico') then
    alter extension portico add function storage.list_replaced_blob();
  end if;
end
$$;
  -- Runs as the owner of the list, so that a caller needs no right on it, and could not forget it.
create or replace function storage.list_replaced_blob() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  as $function$
  begin
    -- On a table of somebody's own it would list the bytes of objects that are still there.
    if tg_relid <> 'storage.objects'::regclass then
      raise exception using
        errcode = 'insufficient_privilege',
        message = 'storage.list_replaced_blob() is for triggers of storage.objects alone.';
    end if;
    insert into storage.work (kind, bucket_id, name, version)
      values ('delete_blob', old.bucket_id, old.name, old.version);
    return null;
  end
  $function$;
revoke execute on function storage.list_replaced_blob() from public;
revoke execute on function graphql.count_ddl(), graphql.count_drop() from public;

-- --------------------------------------------------------------------------------------------------------- the version

create index idx_objects_version on storage.objects (version);

update storage.installation set version = '1.0.0' where component = 'storage';
update graphql.installation set version = '1.0.0', default_version = '1.0.0';
select graphql.count_change();


-- ----------------------------------------------------------------- what users build upon does not go with the extension

do $release$
declare
  member record;
begin
  loop
    -- one by one, tables first: since PostgreSQL 17 a table takes its types along
    select o.type, o.identity into member
    from pg_catalog.pg_depend d
    join pg_catalog.pg_extension x on x.oid = d.refobjid and x.extname = 'portico'
    cross join lateral pg_identify_object(d.classid, d.objid, 0) o
    where d.refclassid = 'pg_catalog.pg_extension'::regclass and d.deptype = 'e'
      and (o.schema in ('auth', 'storage') or (o.type = 'schema' and o.name in ('auth', 'storage')))
    order by o.type <> 'table', o.type, o.identity
    limit 1;
    exit when not found;
    execute format('alter extension portico drop %s %s', member.type, member.identity);
  end loop;
end
$release$;
