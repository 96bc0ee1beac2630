-- Portico 1.1.0: all that Portico keeps in a database.
--
-- Run by CREATE EXTENSION portico and, where the server cannot see this file, by `portico init`, always in one
-- transaction. It may be run again: what is there is kept or brought up to date, what is missing is added.
--
-- Two kinds of objects. Schema graphql holds working parts; they belong to the extension and go with it. Schemas auth and
-- storage hold what users build upon (policies call their functions, storage has their rows), so the last step takes them
-- out of the extension: DROP EXTENSION leaves them alone and the next CREATE EXTENSION finds them again.
--
-- It needs the right to create schemas in this database. Everything beyond that (roles, BYPASSRLS, event triggers) is done
-- where it is permitted, and told in a warning where it is not; the view graphql.missing tells the same at any time.
\echo Use "CREATE EXTENSION portico" to load this file. \quit


-- ------------------------------------------------------------------------------------------------ what is there already

do $prepare$
declare
  part text;
  kind text;
  identity text;
  present record;
  in_extension constant boolean := exists (select from pg_catalog.pg_extension where extname = 'portico');
begin
  -- A dump holds its extensions by name, and after them auth, storage and all grants as they were. So what is restored
  -- must not be made here first; pg_dump and pg_restore turn row_security off before anything else.
  perform set_config(
    'portico.restoring',
    (current_setting('row_security') = 'off'
      and in_extension
      and to_regclass('graphql.schema_change') is null)::text,
    true
  );

  -- Which grants were made once is written in storage.installation. If that is gone, make none again.
  perform set_config(
    'portico.grants_forgotten',
    (to_regclass('storage.installation') is null and to_regclass('graphql.installation') is not null)::text,
    true
  );

  -- A table that somebody dropped is made again, and has none of its grants.
  perform set_config(
    'portico.made',
    (select coalesce(string_agg(name, ' '), '')
     from unnest(array['buckets', 'objects', 'work', 'uploads', 'upload_parts', 'access_keys']) as t (name)
     where to_regclass('storage.' || name) is null),
    true
  );

  foreach part in array array[
    'schema graphql', 'table graphql.schema_change', 'table graphql.changed_object', 'table graphql.installation',
    'view graphql.available_extensions', 'view graphql.missing', 'view graphql.storage_damage',
    'view graphql.private_relations',
    'function graphql.count_change()', 'function graphql.count_ddl()', 'function graphql.count_drop()',
    'function graphql.schema_version()', 'function graphql.assert_schema_version(bigint)',
    'function graphql.set_local(text[],text[])',
    'event trigger portico_count_ddl', 'event trigger portico_count_drop',
    'schema auth', 'schema storage', 'table storage.installation', 'table storage.buckets', 'table storage.objects',
    'table storage.work', 'table storage.uploads', 'table storage.upload_parts', 'table storage.access_keys',
    'table storage.versions', 'table storage.lifecycle_clock',
    'function storage.foldername(text)', 'function storage.filename(text)', 'function storage.extension(text)',
    'function storage.operation()', 'function storage.allow_only_operation(text)',
    'function storage.allow_any_operation(text[])', 'function storage.get_size_by_bucket()',
    'function storage.can_insert_object(text,text,uuid,jsonb)', 'function storage.enforce_bucket_name_length()',
    'function storage.protect_delete()', 'function storage.protect_version()',
    'function storage.update_updated_at_column()', 'function storage.list_replaced_blob()',
    'function storage.list_dropped_part()', 'function storage.keep_versioning()', 'function storage.leave_versions()',
    'function storage.promote_version(text,text)', 'function storage.list_deleted_version()',
    'function storage.sees_object(text,text)', 'function storage.is_owner(text)'
  ] loop
    kind := substring(part from '^(event trigger|[a-z]+) ');
    identity := substr(part, length(kind) + 2);
    present := null;
    case kind
      when 'schema' then
        select 'pg_catalog.pg_namespace'::regclass as class, oid, nspowner as owner into present
        from pg_catalog.pg_namespace where oid = to_regnamespace(identity);
      when 'function' then
        select 'pg_catalog.pg_proc'::regclass as class, oid, proowner as owner into present
        from pg_catalog.pg_proc where oid = to_regprocedure(identity);
      when 'event trigger' then
        select 'pg_catalog.pg_event_trigger'::regclass as class, oid, evtowner as owner into present
        from pg_catalog.pg_event_trigger where evtname = identity;
      else
        select 'pg_catalog.pg_class'::regclass as class, oid, relowner as owner into present
        from pg_catalog.pg_class where oid = to_regclass(identity);
    end case;
    continue when not found;

    -- A stranger who made it beforehand could change it afterwards, and with it what runs with other roles' rights.
    if part <> 'schema auth' and not exists (
      select from pg_catalog.pg_roles r
      where r.oid = present.owner
        and (r.rolsuper or r.rolname = current_user
             or r.oid = (select datdba from pg_catalog.pg_database where datname = current_database()))
    ) then
      raise exception using
        errcode = 'insufficient_privilege',
        message = format('%s exists already and belongs to %s', part, pg_get_userbyid(present.owner)),
        hint = format('If you trust what is in it: alter %s owner to %s. Otherwise drop or rename it.',
                      part, quote_ident(current_user));
    end if;

    -- In an extension's script CREATE OR REPLACE refuses objects that are not the extension's, and GRANT marks the rights
    -- on them as the extension's, so that pg_dump leaves them out.
    if in_extension and not exists (
      select from pg_catalog.pg_depend d
      where d.deptype = 'e' and d.classid = present.class and d.objid = present.oid
    ) then
      execute format('alter extension portico add %s', part);
    end if;
  end loop;
end
$prepare$;


-- ------------------------------------------------------------------------------------------------------------ the roles

do $roles$
declare
  role_name text;
  settable text := case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end;
begin
  foreach role_name in array array['anon', 'authenticated', 'service_role'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin noinherit %s', role_name,
                       case role_name when 'service_role' then 'bypassrls' else '' end);
      exception
        when duplicate_object or unique_violation then
          null;  -- roles belong to the whole cluster: another database was just faster
        when insufficient_privilege then
          -- BYPASSRLS is a right of its own: a role without it is still better than none
          begin
            execute format('create role %I nologin noinherit', role_name);
          exception when duplicate_object or unique_violation or insufficient_privilege then
            null;
          end;
      end;
    end if;

    -- The role may be older than this installation, and who made it may not have been a superuser.
    if role_name = 'service_role' and exists (
      select from pg_catalog.pg_roles where rolname = role_name and not rolbypassrls and not rolsuper
    ) then
      begin
        alter role service_role bypassrls;
      exception when insufficient_privilege then
        null;
      end;
    end if;

    if exists (select from pg_catalog.pg_roles where rolname = role_name)
       and not pg_has_role(current_user, role_name, settable) then
      begin
        execute format('grant %I to %I %s', role_name, current_user,
                       case settable when 'SET' then 'with inherit false, set true' else '' end);
      exception when insufficient_privilege or internal_error or unique_violation or invalid_grant_operation then
        null;
      end;
    end if;

    -- A login with the role's rights connects by them, where the public may not.
    if exists (select from pg_catalog.pg_roles where rolname = role_name)
       and not has_database_privilege(role_name, current_database(), 'connect') then
      begin
        execute format('grant connect on database %I to %I', current_database(), role_name);
      exception when insufficient_privilege then
        null;
      end;
    end if;
  end loop;
end
$roles$;


-- --------------------------------------------------------------------------- schema graphql: the version of the schema

do $$
begin
  if to_regnamespace('graphql') is null then
    create schema graphql;
    -- Each right is granted, here and below: default privileges may have taken it, even from the owner.
    grant all on schema graphql to current_user;
  end if;
end
$$;
comment on schema graphql is 'Portico: knows when the schema of this database changes';
grant usage on schema graphql to public;

-- The version of the schema is the sum of all slots, so it becomes visible exactly when a change commits. Several slots,
-- because a single row would make each transaction with DDL wait for the one before it.
do $$
begin
  if to_regclass('graphql.schema_change') is null then
    create table graphql.schema_change (
      slot bigint generated always as identity primary key,
      changes bigint not null,
      holder text
    ) with (fillfactor = 50);
    grant all on graphql.schema_change to current_user;
  end if;
end
$$;
comment on table graphql.schema_change is 'The version of this database''s schema is the sum of changes';
comment on column graphql.schema_change.holder is 'The transaction that last counted in this slot: it counts once';
grant select on graphql.schema_change to public;

-- The objects that recent changes concern, so that a service reads only these again. One row of each transaction has the
-- step by which it changed the version: the list is complete if its steps lead from the known version to the new one.
do $$
begin
  if to_regclass('graphql.changed_object') is null then
    create table graphql.changed_object (
      transaction xid8 not null,
      changed_at timestamptz not null,
      step bigint not null,
      class oid not null,
      object oid not null
    );
    create index changed_object_changed_at on graphql.changed_object (changed_at);
    grant all on graphql.changed_object to current_user;
  end if;
end
$$;
comment on table graphql.changed_object is 'The objects that the changes of the last minutes concern';
comment on column graphql.changed_object.step is 'The change of the version; one row of each transaction has it, the others 0';
comment on column graphql.changed_object.class is 'As in pg_depend; 0 where PostgreSQL does not report the object';
grant select on graphql.changed_object to public;

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
  insert into graphql.changed_object values (pg_current_xact_id(), statement_timestamp(), step, 0, 0);
  -- Above read committed, a row changed since the snapshot is a serialization error: a new slot can have none.
  if isolation = 'read committed' then
    select slot into taken from graphql.schema_change order by slot limit 1 for update skip locked;
    if found then
      update graphql.schema_change set changes = changes + step, holder = me where slot = taken;
      delete from graphql.changed_object where ctid = any (array(
        select o.ctid from graphql.changed_object o where o.changed_at < clock_timestamp() - interval '10 minutes'
        for update skip locked));
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
comment on function graphql.count_change() is 'Counts one change of the schema, visible when the transaction commits';
revoke execute on function graphql.count_change() from public;

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
    insert into graphql.changed_object
    select distinct pg_current_xact_id(), statement_timestamp(), 0, coalesce(c.classid, 0), coalesce(c.objid, 0)
    from pg_event_trigger_ddl_commands() c where c.schema_name is null or c.schema_name not like 'pg\_temp%';
  end if;
exception when others then
  raise warning 'portico could not count this change of the schema: %', sqlerrm;
end
$$;
revoke execute on function graphql.count_ddl() from public;
comment on function graphql.count_ddl() is 'Counts commands that create, alter, comment, grant or revoke';

create or replace function graphql.count_drop() returns event_trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from pg_event_trigger_dropped_objects() o where not o.is_temporary) then
    perform graphql.count_change();
    -- What belongs to a relation names it: the relation may go on without it.
    insert into graphql.changed_object
    select distinct pg_current_xact_id(), statement_timestamp(), 0, d.class, d.object
    from (
      select o.classid, o.objid from pg_event_trigger_dropped_objects() o where not o.is_temporary
      union all
      select 'pg_catalog.pg_class'::regclass, c.oid
      from pg_event_trigger_dropped_objects() o
      join pg_catalog.pg_namespace n on n.nspname = o.address_names[1]
      join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = o.address_names[2]
      where not o.is_temporary
        and o.object_type in ('table constraint', 'trigger', 'rule', 'policy', 'default value')
    ) d (class, object);
  end if;
exception when others then
  raise warning 'portico could not count this change of the schema: %', sqlerrm;
end
$$;
revoke execute on function graphql.count_drop() from public;
comment on function graphql.count_drop() is 'Counts commands that drop something';

create or replace function graphql.schema_version() returns bigint
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select sum(c.changes)::bigint
  from graphql.schema_change c
  where 2 = (
    select count(*) from pg_event_trigger t
    where t.evtname in ('portico_count_ddl', 'portico_count_drop') and t.evtenabled in ('A', 'O')
  )
$$;
comment on function graphql.schema_version() is
  'The version of this database''s schema; null while changes are not counted (no event triggers)';

-- Runs in every request, so without a search_path of its own, which would cost as much again; everything is named with its
-- schema instead. In PL/pgSQL because it keeps the plan for the session: about 6 us per request (PostgreSQL 18).
create or replace function graphql.assert_schema_version(expected bigint) returns void
  language plpgsql stable
as $$
begin
  if (select pg_catalog.sum(c.changes)::pg_catalog.int8 operator(pg_catalog.=) expected from graphql.schema_change c) then
    return;
  end if;
  raise exception using errcode = 'PTSCH', message = 'the schema of the database has changed';
end
$$;
comment on function graphql.assert_schema_version(bigint) is
  'Fails with SQLSTATE PTSCH when the version of the schema is another one';

-- Sets settings until the end of the transaction, by commands: other than set_config, Citus passes these on to the servers that
-- hold the rows, whose policies ask for them. Those of PostgreSQL itself matter to this server alone. Everything is named with
-- its schema, since the caller's search_path is in force.
create or replace function graphql.set_local(names text[], vals text[]) returns void
  language plpgsql
as $$
begin
  set local citus.propagate_set_commands = 'local';
  for i in 1 .. pg_catalog.cardinality(names) loop
    if pg_catalog.strpos(names[i], '.') operator(pg_catalog.>) 0 then
      execute pg_catalog.format('set local %I = %L', names[i], vals[i]);
    else
      perform pg_catalog.set_config(names[i], vals[i], true);
    end if;
  end loop;
end
$$;
comment on function graphql.set_local(text[], text[]) is
  'Sets settings until the end of the transaction, also on the other servers of Citus';


-- ------------------------------------------------------------------- schema auth: who calls, for policies to ask

do $auth$
begin
  if current_setting('portico.restoring')::boolean then
    return;
  end if;
  if to_regnamespace('auth') is null then
    create schema auth;
    grant all on schema auth to current_user;
  end if;
  -- The claims come as one JSON value and, for older policies, one setting per claim. An existing function stays as it
  -- is. RETURN binds names when the function is made, so that no search_path can redirect them.
  if to_regprocedure('auth.jwt()') is null then
    create function auth.jwt() returns jsonb language sql stable
      return coalesce(
        nullif(current_setting('request.jwt.claims', true), ''),
        nullif(current_setting('request.jwt.claim', true), '')
      )::jsonb;
    comment on function auth.jwt() is 'All claims of the caller''s token; null without one';
  end if;
  if to_regprocedure('auth.uid()') is null then
    create function auth.uid() returns uuid language sql stable
      return coalesce(
        nullif(current_setting('request.jwt.claim.sub', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
      )::uuid;
    comment on function auth.uid() is 'The user who calls: the claim sub; null without one';
  end if;
  if to_regprocedure('auth.role()') is null then
    create function auth.role() returns text language sql stable
      return coalesce(
        nullif(current_setting('request.jwt.claim.role', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
      );
    comment on function auth.role() is 'The claim role of the caller''s token; null without one';
  end if;
  if to_regprocedure('auth.email()') is null then
    create function auth.email() returns text language sql stable
      return coalesce(
        nullif(current_setting('request.jwt.claim.email', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
      );
    comment on function auth.email() is 'The claim email of the caller''s token; null without one';
  end if;
exception when insufficient_privilege then
  null;  -- a schema auth of somebody else: graphql.missing tells which functions it lacks
end
$auth$;


-- -------------------------------------------------------------------------------- schema storage: buckets and objects

do $storage$
declare
  tables_were_there constant boolean := to_regclass('storage.objects') is not null;
  waits constant text := current_setting('lock_timeout');
  incomplete boolean;
begin
  if current_setting('portico.restoring')::boolean then
    return;
  end if;
  if to_regnamespace('storage') is null then
    create schema storage;
    grant all on schema storage to current_user;
    comment on schema storage is 'Portico: buckets and objects of the storage API; the bytes are elsewhere';
  end if;

  -- Outlives the extension: says which version made this schema, and that the grants on public were made once.
  if to_regclass('storage.installation') is null then
    create table storage.installation (
      component text primary key,
      version text not null,
      installed_at timestamptz not null default now()
    );
    comment on table storage.installation is 'What Portico made here and keeps when the extension is dropped';
    alter table storage.installation enable row level security;
    grant all on storage.installation to current_user;
  end if;

  if to_regtype('storage.buckettype') is null then
    create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
    grant usage on type storage.buckettype to public, current_user;
  end if;

  if to_regclass('storage.buckets') is null then
    create table storage.buckets (
      id text primary key,
      name text not null,
      owner uuid,
      created_at timestamptz default now(),
      updated_at timestamptz default now(),
      public boolean default false,
      avif_autodetection boolean default false,
      file_size_limit bigint,
      allowed_mime_types text[],
      owner_id text,
      type storage.buckettype not null default 'STANDARD',
      versioning_status text not null default 'DISABLED'
        constraint buckets_versioning_status_check check (versioning_status = 'DISABLED')
    );
    comment on table storage.buckets is 'Buckets of the storage API';
    comment on column storage.buckets.owner is 'Deprecated: owner_id also holds users whose id is not a uuid';
    alter table storage.buckets enable row level security;
    grant all on storage.buckets to current_user;
  end if;

  if to_regclass('storage.objects') is null then
    create table storage.objects (
      id uuid primary key default gen_random_uuid(),
      bucket_id text constraint "objects_bucketId_fkey" references storage.buckets,
      name text,
      owner uuid,
      created_at timestamptz default now(),
      updated_at timestamptz default now(),
      last_accessed_at timestamptz default now(),
      metadata jsonb,
      path_tokens text[] generated always as (string_to_array(name, '/')) stored,
      version text,
      owner_id text,
      user_metadata jsonb,
      archived_at timestamptz,
      is_delete_marker boolean not null default false,
      is_versioned boolean not null default false
    );
    comment on table storage.objects is 'Objects of the storage API: what is known of each but its bytes';
    comment on column storage.objects.version is 'Names the bytes: each write has a fresh version, the row tells the valid one';
    comment on column storage.objects.owner is 'Deprecated: owner_id also holds users whose id is not a uuid';
    alter table storage.objects enable row level security;
    grant all on storage.objects to current_user;
  end if;

  -- Written in the transaction that makes the work necessary, done after it, so no crash can lose it.
  if to_regclass('storage.work') is null then
    create table storage.work (
      id bigint generated always as identity primary key,
      kind text not null constraint work_kind_check check (kind in ('delete_blob', 'post_event')),
      bucket_id text not null,
      name text not null,
      version text,
      event jsonb,
      created_at timestamptz not null default clock_timestamp(),
      due_at timestamptz not null default clock_timestamp(),
      attempts integer not null default 0,
      last_error text,
      constraint work_complete_check check (
        case kind when 'delete_blob' then version is not null else event is not null end
      )
    );
    comment on table storage.work is 'What the storage API has still to do: blobs to delete, events to post';
    comment on column storage.work.due_at is 'Not before this time; moved into the future after a failed attempt';
    alter table storage.work enable row level security;
    grant all on storage.work to current_user;
  end if;

  -- An upload in pieces. Each part has bytes of its own, which nobody writes to once its row is there.
  if to_regclass('storage.uploads') is null then
    create table storage.uploads (
      id text primary key,
      form text not null constraint uploads_form_check check (form in ('appended', 'numbered')),
      bucket_id text not null constraint uploads_bucket_id_fkey references storage.buckets on delete cascade,
      name text not null,
      owner_id text,
      upsert boolean not null,
      length bigint,
      received bigint not null default 0,
      parts integer not null default 0,
      metadata jsonb not null,
      user_metadata jsonb,
      notes jsonb not null default '{}',
      finished jsonb,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      constraint uploads_received_check check (received >= 0 and received <= length)
    );
    comment on table storage.uploads is 'Uploads in pieces: unfinished ones, and finished ones until they expire';
    comment on column storage.uploads.form is
      'appended: each part begins where the one before ends; numbered: the client numbers them';
    comment on column storage.uploads.notes is 'What the protocol of the upload wants to know again';
    comment on column storage.uploads.finished is 'The object that it became; null for an unfinished upload';
    alter table storage.uploads enable row level security;
    grant all on storage.uploads to current_user;
  end if;

  if to_regclass('storage.upload_parts') is null then
    create table storage.upload_parts (
      upload_id text not null constraint upload_parts_upload_id_fkey references storage.uploads on delete cascade,
      number integer not null constraint upload_parts_number_check check (number > 0),
      version text not null,
      size bigint not null,
      md5 text not null,
      notes jsonb not null default '{}',
      created_at timestamptz not null default clock_timestamp(),
      primary key (upload_id, number)
    );
    comment on table storage.upload_parts is 'The pieces of unfinished uploads: what is known of each but its bytes';
    comment on column storage.upload_parts.version is 'Names the bytes, as in storage.objects';
    alter table storage.upload_parts enable row level security;
    grant all on storage.upload_parts to current_user;
  end if;

  -- Who may come in by the S3 protocol. The secrets are encrypted with a key that only the service has.
  if to_regclass('storage.access_keys') is null then
    create table storage.access_keys (
      id text primary key,
      secret text not null,
      description text not null,
      claims jsonb not null,
      buckets text[],
      expires_at timestamptz,
      created_at timestamptz not null default clock_timestamp()
    );
    comment on table storage.access_keys is 'Access keys of the S3 protocol';
    comment on column storage.access_keys.secret is 'Encrypted with a key derived from the secret of the service';
    comment on column storage.access_keys.claims is 'Whom requests with the key run as: the role, and what policies can read';
    comment on column storage.access_keys.buckets is 'The buckets that the key is confined to; null for all';
    alter table storage.access_keys enable row level security;
    grant all on storage.access_keys to current_user;
  end if;

  -- Tables of an earlier version, or of another maker: add what ours have. Nobody shall wait long behind us, and running
  -- requests hold these locks in another order: so take all or none, and try again.
  select count(*) <> 27 into incomplete
  from pg_catalog.pg_attribute
  where attnum > 0 and not attisdropped and (
    (attrelid = 'storage.buckets'::regclass and attname in (
      'id', 'name', 'owner', 'created_at', 'updated_at', 'public', 'avif_autodetection', 'file_size_limit',
      'allowed_mime_types', 'owner_id', 'type', 'versioning_status'))
    or (attrelid = 'storage.objects'::regclass and attname in (
      'id', 'bucket_id', 'name', 'owner', 'created_at', 'updated_at', 'last_accessed_at', 'metadata', 'path_tokens',
      'version', 'owner_id', 'user_metadata', 'archived_at', 'is_delete_marker', 'is_versioned')));
  if tables_were_there and (incomplete or (
    select count(*) <> 5 from pg_catalog.pg_class
    where relnamespace = 'storage'::regnamespace
      and relname in ('bname', 'bucketid_objname', 'idx_objects_bucket_id_name', 'idx_objects_bucket_id_name_lower',
                      'name_prefix_search')
  ) or (
    select count(*) <> 9 from pg_catalog.pg_trigger
    where tgrelid in ('storage.buckets'::regclass, 'storage.objects'::regclass)
      and tgname in ('enforce_bucket_name_length_trigger', 'update_buckets_updated_at', 'protect_buckets_delete',
                     'update_objects_updated_at', 'protect_objects_delete',
                     'protect_version_on_insert', 'protect_version_on_update',
                     'list_replaced_blob_on_update', 'list_replaced_blob_on_delete')
  )) then
    for attempt in 1..100 loop
      begin
        set local lock_timeout = '100ms';
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
  end if;
  if incomplete then
    alter table storage.buckets
      add column if not exists created_at timestamptz default now(),
      add column if not exists updated_at timestamptz default now(),
      add column if not exists public boolean default false,
      add column if not exists avif_autodetection boolean default false,
      add column if not exists file_size_limit bigint,
      add column if not exists allowed_mime_types text[],
      add column if not exists owner_id text,
      add column if not exists type storage.buckettype not null default 'STANDARD',
      add column if not exists versioning_status text not null default 'DISABLED'
        constraint buckets_versioning_status_check check (versioning_status = 'DISABLED');
    alter table storage.objects
      add column if not exists last_accessed_at timestamptz default now(),
      add column if not exists metadata jsonb,
      add column if not exists path_tokens text[] generated always as (string_to_array(name, '/')) stored,
      add column if not exists version text,
      add column if not exists owner_id text,
      add column if not exists user_metadata jsonb,
      add column if not exists archived_at timestamptz,
      add column if not exists is_delete_marker boolean not null default false,
      add column if not exists is_versioned boolean not null default false;
  end if;
  if to_regclass('storage.bname') is null then
    create unique index bname on storage.buckets (name);
  end if;
  if to_regclass('storage.bucketid_objname') is null then
    create unique index bucketid_objname on storage.objects (bucket_id, name);
  end if;
  if to_regclass('storage.idx_objects_bucket_id_name') is null then
    create index idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");
  end if;
  if to_regclass('storage.idx_objects_bucket_id_name_lower') is null then
    create index idx_objects_bucket_id_name_lower on storage.objects (bucket_id, (lower(name) collate "C"));
  end if;
  -- before bytes are deleted: does any row name them?
  if to_regclass('storage.idx_objects_version') is null then
    create index idx_objects_version on storage.objects (version);
  end if;
  if to_regclass('storage.work_due') is null then
    create index work_due on storage.work (kind, due_at);
  end if;
  if to_regclass('storage.uploads_name') is null then
    create index uploads_name on storage.uploads (bucket_id, name collate "C", created_at);
  end if;
  if to_regclass('storage.uploads_expiry') is null then
    create index uploads_expiry on storage.uploads (expires_at);
  end if;
  if to_regclass('storage.upload_parts_version') is null then
    create index upload_parts_version on storage.upload_parts (version);
  end if;
  if to_regclass('storage.name_prefix_search') is null then
    create index name_prefix_search on storage.objects (name text_pattern_ops);
  end if;
end
$storage$;

-- ------------------------------------------------------------------- schema storage: tags, and configurations of a bucket

do $configurations$
declare
  waits constant text := current_setting('lock_timeout');
begin
  if coalesce(nullif(current_setting('portico.restoring', true), ''), 'false')::boolean then
    return;
  end if;
  -- Nobody shall wait long behind us: take the locks at once or try again.
  if (select count(*) <> 4 from pg_catalog.pg_attribute
      where not attisdropped and (attrelid = 'storage.buckets'::regclass and attname in ('cors', 'tags', 'lifecycle')
                                  or attrelid = 'storage.objects'::regclass and attname in ('tags'))) then
    for attempt in 1..100 loop
      begin
        set local lock_timeout = '100ms';
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
    alter table storage.buckets
      add column if not exists cors jsonb
        constraint buckets_cors_check check (jsonb_typeof(cors) = 'array'),
      add column if not exists tags jsonb
        constraint buckets_tags_check check (jsonb_typeof(tags) = 'object'),
      add column if not exists lifecycle jsonb
        constraint buckets_lifecycle_check check (jsonb_typeof(lifecycle) = 'array');
    alter table storage.objects
      add column if not exists tags jsonb;
    comment on column storage.buckets.cors is
      'CORS rules in the words of S3, in place of CORS_ORIGINS: [{"AllowedOrigins": [], "AllowedMethods": [], ...}]';
    comment on column storage.buckets.lifecycle is
      'Rules in the words of S3 by which objects and versions are deleted: [{"Status": "Enabled", "Expiration": {"Days": 7}}]';
    comment on column storage.buckets.tags is 'Texts by name; null without any';
    comment on column storage.objects.tags is 'Texts by name, which policies can read: tags ->> ''public'' = ''yes''';
  end if;
end
$configurations$;

do $storage_functions$
begin
  if current_setting('portico.restoring')::boolean then
    return;
  end if;

  -- For policies: parts of an object's name.
  create or replace function storage.foldername(name text) returns text[]
    language sql immutable
    return (string_to_array(name, '/'))[1 : cardinality(string_to_array(name, '/')) - 1];
  comment on function storage.foldername(text) is 'All segments of an object''s name but the last';

  create or replace function storage.filename(name text) returns text
    language sql immutable
    return (string_to_array(name, '/'))[cardinality(string_to_array(name, '/'))];
  comment on function storage.filename(text) is 'The last segment of an object''s name';

  create or replace function storage.extension(name text) returns text
    language sql immutable
    return substring((string_to_array(name, '/'))[cardinality(string_to_array(name, '/'))] from '[^.]*$');
  comment on function storage.extension(text) is 'What follows the last dot of the last segment; all of it without a dot';

  -- For policies: what the caller is doing.
  create or replace function storage.operation() returns text
    language sql stable
    return current_setting('storage.operation', true);
  comment on function storage.operation() is 'The storage API''s operation that this statement is part of';

  create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
    language sql stable
    return coalesce(
      regexp_replace(nullif(current_setting('storage.operation', true), ''), '^storage\.', '')
        in (select regexp_replace(expected, '^storage\.', '') from unnest(expected_operations) as e (expected)),
      false
    );
  comment on function storage.allow_any_operation(text[]) is 'Whether the current operation is one of these';

  create or replace function storage.allow_only_operation(expected_operation text) returns boolean
    language sql stable
    return coalesce(
      regexp_replace(nullif(current_setting('storage.operation', true), ''), '^storage\.', '')
        = regexp_replace(expected_operation, '^storage\.', ''),
      false
    );
  comment on function storage.allow_only_operation(text) is 'Whether the current operation is this one';

  create or replace function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
    language plpgsql
  as $function$
  begin
    insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
    raise exception using errcode = 'PT200', message = 'ROLLBACK', detail = 'The insert is permitted and was undone.';
  end
  $function$;
  comment on function storage.can_insert_object(text, text, uuid, jsonb) is
    'Tries an insert and undoes it: always an error, with SQLSTATE PT200 when the caller may insert';

  create or replace function storage.enforce_bucket_name_length() returns trigger
    language plpgsql
  as $function$
  begin
    if length(new.name) > 100 then
      raise exception using
        errcode = 'string_data_right_truncation',
        message = format('bucket name is too long: %s characters, 100 are allowed', length(new.name));
    end if;
    return new;
  end
  $function$;

  create or replace function storage.update_updated_at_column() returns trigger
    language plpgsql
  as $function$
  begin
    new.updated_at := now();
    return new;
  end
  $function$;

  create or replace function storage.protect_delete() returns trigger
    language plpgsql
  as $function$
  begin
    if coalesce(current_setting('storage.allow_delete_query', true), '') <> 'true' then
      raise exception using
        errcode = 'insufficient_privilege',
        message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
        hint = 'The bytes of a deleted object are deleted after a while, too, and no event is sent. '
               'In maintenance: set local storage.allow_delete_query = ''true''.';
    end if;
    return null;
  end
  $function$;

  -- Runs as the owner of the list, as list_replaced_blob does. A part whose bucket was deleted goes without its upload's row.
  create or replace function storage.list_dropped_part() returns trigger
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
  as $function$
  begin
    if tg_relid <> 'storage.upload_parts'::regclass then
      raise exception using
        errcode = 'insufficient_privilege',
        message = 'storage.list_dropped_part() is for triggers of storage.upload_parts alone.';
    end if;
    insert into storage.work (kind, bucket_id, name, version)
      values ('delete_blob', '', old.upload_id, old.version);
    return null;
  end
  $function$;
  revoke execute on function storage.list_dropped_part() from public;
  comment on function storage.list_dropped_part() is 'Lists the bytes of parts that are no longer needed for deletion';
end
$storage_functions$;


-- ---------------------------------------------------------------------- schema storage: versions that are not current

do $versions$
begin
  if coalesce(nullif(current_setting('portico.restoring', true), ''), 'false')::boolean then
    return;
  end if;
  -- Older versions and delete markers. The current version of a key is its row in storage.objects; without one, the row here
  -- with the greatest number is a delete marker. Its columns have the names of those of storage.objects.
  perform set_config('portico.made_versions',
                     (to_regclass('storage.versions') is null or to_regclass('storage.lifecycle_clock') is null)::text, true);
  if to_regclass('storage.versions') is null then
    create table storage.versions (
      number bigint generated always as identity primary key,
      bucket_id text not null constraint versions_bucket_id_fkey references storage.buckets,
      name text not null,
      version_id text not null,
      is_delete_marker boolean not null default false,
      id uuid,
      version text,
      is_versioned boolean not null,
      owner uuid,
      owner_id text,
      metadata jsonb,
      user_metadata jsonb,
      tags jsonb,
      created_at timestamptz,
      updated_at timestamptz,
      archived_at timestamptz not null default clock_timestamp(),
      constraint versions_complete_check check (is_delete_marker = (version is null))
    );
    comment on table storage.versions is 'Versions of objects that are not current, and delete markers';
    comment on column storage.versions.number is 'Of two versions of a key, the one with the greater number is newer';
    comment on column storage.versions.version_id is 'Names the version for clients; null as a text if it was written without versioning';
    comment on column storage.versions.archived_at is 'Since when the version is not current; of a marker, when it was made';
    alter table storage.versions enable row level security;
    grant all on storage.versions to current_user;
  end if;
  if to_regclass('storage.versions_key') is null then
    create unique index versions_key on storage.versions (bucket_id, name collate "C", version_id);
  end if;
  if to_regclass('storage.versions_order') is null then
    create index versions_order on storage.versions (bucket_id, name collate "C", number desc);
  end if;
  if to_regclass('storage.versions_bytes') is null then
    create index versions_bytes on storage.versions (version);
  end if;

  -- The clock as the service saw it last. Its row is locked by the one service that deletes what rules name.
  if to_regclass('storage.lifecycle_clock') is null then
    create table storage.lifecycle_clock (
      one boolean primary key default true constraint lifecycle_clock_one_check check (one),
      seen_at timestamptz not null default clock_timestamp(),
      believed_at timestamptz not null default clock_timestamp()
    );
    comment on table storage.lifecycle_clock is 'When lifecycle rules were last looked at, by the clock of the database';
    comment on column storage.lifecycle_clock.believed_at is 'Before this time nothing is deleted: the clock has jumped';
    alter table storage.lifecycle_clock enable row level security;
    grant all on storage.lifecycle_clock to current_user;
    insert into storage.lifecycle_clock default values;
  end if;

  if exists (select from pg_catalog.pg_constraint
             where conrelid = 'storage.buckets'::regclass and conname = 'buckets_versioning_status_check'
               and pg_get_constraintdef(oid) not like '%SUSPENDED%') then
    alter table storage.buckets drop constraint buckets_versioning_status_check;
  end if;
  if not exists (select from pg_catalog.pg_constraint
                 where conrelid = 'storage.buckets'::regclass and conname = 'buckets_versioning_status_check') then
    alter table storage.buckets add constraint buckets_versioning_status_check
      check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED'));
  end if;

  create or replace function storage.keep_versioning() returns trigger
    language plpgsql
  as $function$
  begin
    raise exception using
      errcode = 'check_violation',
      message = format('The versioning of bucket %s can be suspended, not disabled.', old.id);
  end
  $function$;
  comment on function storage.keep_versioning() is 'Lets no bucket with versions be one without';

  -- Who may write a row may not name the bytes of another one with it: to read them, or have them deleted with the row. A row
  -- also knows whether its bucket kept versions when it was written. If it did for a while, the version without an id is replaced.
  create or replace function storage.protect_version() returns trigger
    language plpgsql
    set search_path = pg_catalog, pg_temp
  as $function$
  declare
    status text;
  begin
    if current_user <> 'service_role'
       and not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'MEMBER') then
      raise exception using
        errcode = 'insufficient_privilege',
        message = 'Only the storage API says which bytes an object has.',
        hint = 'Leave the column version as it is.';
    end if;
    if tg_op = 'INSERT' and new.is_versioned then
      return new;  -- an older version, which becomes current again
    end if;
    select b.versioning_status into status from storage.buckets b where b.id = new.bucket_id;
    new.is_versioned := coalesce(status = 'ENABLED', false);
    if status = 'SUSPENDED' then
      delete from storage.versions v
      where v.bucket_id = new.bucket_id and v.name collate "C" = new.name and v.version_id = 'null';
    end if;
    return new;
  end
  $function$;
  comment on function storage.protect_version() is 'Lets nobody but the storage API name the bytes of an object';

  -- Runs as the owner of the lists, so that a caller needs no right on them, and could not forget them.
  create or replace function storage.list_replaced_blob() returns trigger
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
  as $function$
  declare
    status text;
    marker text;
  begin
    -- On a table of somebody's own it would list the bytes of objects that are still there.
    if tg_relid <> 'storage.objects'::regclass then
      raise exception using
        errcode = 'insufficient_privilege',
        message = 'storage.list_replaced_blob() is for triggers of storage.objects alone.';
    end if;
    -- Without versions, before and now, no bucket need be read: protect_version() has just set new.is_versioned.
    if tg_op = 'DELETE' or old.is_versioned or new.is_versioned then
      select b.versioning_status into status from storage.buckets b where b.id = old.bucket_id;
    end if;
    if status = 'ENABLED' or (status = 'SUSPENDED' and old.is_versioned) then
      insert into storage.versions
        (bucket_id, name, version_id, id, version, is_versioned, owner, owner_id, metadata, user_metadata, tags, created_at,
         updated_at)
      values
        (old.bucket_id, old.name, case when old.is_versioned then old.version else 'null' end, old.id, old.version,
         old.is_versioned, old.owner, old.owner_id, old.metadata, old.user_metadata, old.tags, old.created_at, old.updated_at);
    else
      insert into storage.work (kind, bucket_id, name, version)
        values ('delete_blob', old.bucket_id, old.name, old.version);
    end if;
    if tg_op = 'DELETE' and status in ('ENABLED', 'SUSPENDED') then
      if status = 'SUSPENDED' then
        marker := 'null';
        delete from storage.versions v
        where v.bucket_id = old.bucket_id and v.name collate "C" = old.name and v.version_id = 'null';
      else
        -- one id for all markers of a transaction, which the storage API reads afterwards
        marker := coalesce(nullif(nullif(current_setting('storage.delete_marker', true), ''), 'null'), gen_random_uuid()::text);
      end if;
      perform set_config('storage.delete_marker', marker, true);
      insert into storage.versions (bucket_id, name, version_id, is_delete_marker, is_versioned, owner, owner_id, updated_at)
        values (old.bucket_id, old.name, marker, true, marker <> 'null', old.owner, old.owner_id, clock_timestamp());
    end if;
    return null;
  end
  $function$;
  revoke execute on function storage.list_replaced_blob() from public;
  comment on function storage.list_replaced_blob() is
    'Keeps the version that a row named, or lists its bytes for deletion';

  -- An object that is moved takes its version along. Its old name has a delete marker if it has older versions.
  create or replace function storage.leave_versions() returns trigger
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
  as $function$
  declare
    status text;
  begin
    if tg_relid <> 'storage.objects'::regclass then
      raise exception using
        errcode = 'insufficient_privilege',
        message = 'storage.leave_versions() is for triggers of storage.objects alone.';
    end if;
    if exists (select from storage.versions v where v.bucket_id = old.bucket_id and v.name collate "C" = old.name) then
      insert into storage.versions (bucket_id, name, version_id, is_delete_marker, is_versioned, owner, owner_id, updated_at)
        values (old.bucket_id, old.name, gen_random_uuid()::text, true, true, old.owner, old.owner_id, clock_timestamp());
    end if;
    select b.versioning_status into status from storage.buckets b where b.id = new.bucket_id;
    if new.is_versioned is distinct from (coalesce(status, 'DISABLED') = 'ENABLED') then
      update storage.objects o set is_versioned = not o.is_versioned where o.id = new.id;
    end if;
    if status = 'SUSPENDED' then
      delete from storage.versions v
      where v.bucket_id = new.bucket_id and v.name collate "C" = new.name and v.version_id = 'null';
    end if;
    return null;
  end
  $function$;
  revoke execute on function storage.leave_versions() from public;
  comment on function storage.leave_versions() is 'Leaves a delete marker where an object was, if that name has versions';

  -- After the newest delete marker is gone, the version before it is current again. The row is locked, so that of two deletions
  -- at a time one sees the other's.
  create or replace function storage.promote_version(bucket text, key text) returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
  as $function$
  declare
    newest storage.versions;
  begin
    loop
      if exists (select from storage.objects o where o.bucket_id = bucket and o.name = key)
         or not exists (select from storage.versions v where v.bucket_id = bucket and v.name collate "C" = key) then
        return;
      end if;
      select * into newest from storage.versions v
      where v.bucket_id = bucket and v.name collate "C" = key
      order by v.number desc limit 1 for update;
      continue when not found or exists (
        select from storage.versions v
        where v.bucket_id = bucket and v.name collate "C" = key and v.number > newest.number);
      exit;
    end loop;
    if newest.is_delete_marker then
      return;
    end if;
    insert into storage.objects
      (id, bucket_id, name, owner, owner_id, version, is_versioned, metadata, user_metadata, tags, created_at, updated_at)
    values
      (coalesce(newest.id, gen_random_uuid()), bucket, key, newest.owner, newest.owner_id, newest.version,
       newest.is_versioned, newest.metadata, newest.user_metadata, newest.tags, newest.created_at, newest.updated_at)
    on conflict (bucket_id, name) do nothing;
    if found then
      update storage.objects o set is_versioned = newest.is_versioned
      where o.bucket_id = bucket and o.name = key and o.is_versioned <> newest.is_versioned;
      -- without its bytes, which the object has now, so that they are not listed for deletion
      update storage.versions v set is_delete_marker = true, version = null where v.number = newest.number;
      delete from storage.versions v where v.number = newest.number;
    end if;
  end
  $function$;
  revoke execute on function storage.promote_version(text, text) from public;
  comment on function storage.promote_version(text, text) is 'Makes the newest version current, if the key has no object';

  create or replace function storage.list_deleted_version() returns trigger
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
  as $function$
  begin
    if tg_relid <> 'storage.versions'::regclass then
      raise exception using
        errcode = 'insufficient_privilege',
        message = 'storage.list_deleted_version() is for triggers of storage.versions alone.';
    end if;
    if old.version is not null then
      insert into storage.work (kind, bucket_id, name, version)
        values ('delete_blob', old.bucket_id, old.name, old.version);
    else
      perform storage.promote_version(old.bucket_id, old.name);
    end if;
    return null;
  end
  $function$;
  revoke execute on function storage.list_deleted_version() from public;
  comment on function storage.list_deleted_version() is
    'Lists the bytes of a deleted version for deletion; without its marker, an object is there again';

  -- For policies on versions.
  create or replace function storage.sees_object(bucket_id text, name text) returns boolean
    language sql stable
  as $function$
    select exists (
      select from storage.objects o where o.bucket_id = sees_object.bucket_id and o.name = sees_object.name)
  $function$;
  comment on function storage.sees_object(text, text) is 'Whether the caller may see the current object of this name';

  create or replace function storage.is_owner(owner_id text) returns boolean
    language sql stable
    return coalesce(
      owner_id = nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub', false);
  comment on function storage.is_owner(text) is 'Whether the caller''s claim sub is this owner';

  create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
    language plpgsql stable
  as $function$
  begin
    if not has_table_privilege('storage.versions', 'select') then
      return query
        select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id;
      return;
    end if;
    return query
      select sum(n.size)::bigint, n.bucket_id
      from (
        select (o.metadata ->> 'size')::bigint as size, o.bucket_id from storage.objects o
        union all
        select (v.metadata ->> 'size')::bigint, v.bucket_id from storage.versions v
      ) as n
      group by n.bucket_id;
  end
  $function$;
  comment on function storage.get_size_by_bucket() is 'Bytes per bucket, of the objects and versions that the caller may see';
end
$versions$;

do $rights$
declare
  item record;
begin
  if current_setting('portico.restoring')::boolean then
    return;
  end if;
  -- What requests cannot do without, and who makes a trigger with its function, where default privileges or somebody took
  -- it. In schema auth it may belong to another maker.
  for item in
    select 'schema' as kind, 'pg_catalog.pg_namespace'::regclass as class, n.oid, quote_ident(n.nspname) as identity,
           'usage' as rights, r.rolname as grantee
    from pg_catalog.pg_roles r cross join pg_catalog.pg_namespace n
    where r.rolname in ('anon', 'authenticated', 'service_role') and n.nspname in ('auth', 'storage')
      and not has_schema_privilege(r.oid, n.oid, 'usage')
    union all
    select 'function', 'pg_catalog.pg_proc'::regclass, p.oid, p.oid::regprocedure::text, 'execute', 'public'
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where case n.nspname
      when 'auth' then p.proname in ('jwt', 'uid', 'role', 'email') and p.pronargs = 0 and exists (
        select from pg_catalog.pg_roles r
        where r.rolname in ('anon', 'authenticated', 'service_role') and not has_function_privilege(r.oid, p.oid, 'execute'))
      when 'graphql' then p.proname in ('schema_version', 'assert_schema_version', 'set_local')
      when 'storage' then p.proname in ('foldername', 'filename', 'extension', 'operation', 'allow_any_operation',
                                        'allow_only_operation', 'get_size_by_bucket', 'can_insert_object',
                                        'sees_object', 'is_owner')
    end
      and not exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)
    union all
    select 'function', 'pg_catalog.pg_proc'::regclass, p.oid, p.oid::regprocedure::text, 'execute',
           pg_get_userbyid(p.proowner)
    from pg_catalog.pg_proc p
    where p.pronamespace in (to_regnamespace('graphql'), to_regnamespace('storage'))
      and not has_function_privilege(p.proowner, p.oid, 'execute')
    order by class, oid, grantee
  loop
    begin
      -- A member of the extension while its rights change, so that they are taken for the user's once it leaves.
      if exists (select from pg_catalog.pg_extension where extname = 'portico') and not exists (
        select from pg_catalog.pg_depend d where d.deptype = 'e' and d.classid = item.class and d.objid = item.oid
      ) then
        execute format('alter extension portico add %s %s', item.kind, item.identity);
      end if;
      execute format('grant %s on %s %s to %I', item.rights, item.kind, item.identity, item.grantee);
    exception when insufficient_privilege then
      null;  -- graphql.missing tells it
    end;
  end loop;
end
$rights$;

do $storage_triggers$
declare
  wanted record;
begin
  if current_setting('portico.restoring')::boolean then
    return;
  end if;
  for wanted in
    select * from (values
      ('buckets', 'enforce_bucket_name_length_trigger',
       'before insert or update of name on storage.buckets for each row
        execute function storage.enforce_bucket_name_length()'),
      ('buckets', 'update_buckets_updated_at',
       'before update of name, owner, owner_id, public, file_size_limit, allowed_mime_types on storage.buckets for each row
        execute function storage.update_updated_at_column()'),
      ('buckets', 'protect_buckets_delete',
       'before delete on storage.buckets for each statement execute function storage.protect_delete()'),
      -- not for last_accessed_at: reading must not make an object look modified
      ('objects', 'update_objects_updated_at',
       'before update of bucket_id, name, owner, owner_id, metadata, user_metadata, version on storage.objects for each row
        execute function storage.update_updated_at_column()'),
      ('objects', 'protect_objects_delete',
       'before delete on storage.objects for each statement execute function storage.protect_delete()'),
      ('objects', 'protect_version_on_insert',
       'before insert on storage.objects for each row
        when (new.version is not null)
        execute function storage.protect_version()'),
      ('objects', 'protect_version_on_update',
       'before update on storage.objects for each row
        when (old.version is distinct from new.version)
        execute function storage.protect_version()'),
      ('objects', 'list_replaced_blob_on_update',
       'after update on storage.objects for each row
        when (old.version is distinct from new.version and old.version is not null
              and old.bucket_id is not null and old.name is not null)
        execute function storage.list_replaced_blob()'),
      ('objects', 'list_replaced_blob_on_delete',
       'after delete on storage.objects for each row
        when (old.version is not null and old.bucket_id is not null and old.name is not null)
        execute function storage.list_replaced_blob()'),
      ('upload_parts', 'list_dropped_part_on_update',
       'after update on storage.upload_parts for each row
        when (old.version is distinct from new.version)
        execute function storage.list_dropped_part()'),
      ('upload_parts', 'list_dropped_part_on_delete',
       'after delete on storage.upload_parts for each row
        execute function storage.list_dropped_part()')
    ) as t (relation, name, definition)
  loop
    if not exists (
      select from pg_catalog.pg_trigger
      where tgrelid = ('storage.' || wanted.relation)::regclass and tgname = wanted.name
    ) then
      execute format('create trigger %I %s', wanted.name, wanted.definition);
    end if;
  end loop;

  insert into storage.installation (component, version) values ('storage', '1.1.0')
    on conflict (component) do update set version = excluded.version
    where storage.installation.version <> excluded.version;
end
$storage_triggers$;

do $version_triggers$
declare
  wanted record;
  role_name text;
begin
  if coalesce(nullif(current_setting('portico.restoring', true), ''), 'false')::boolean then
    return;
  end if;
  for wanted in
    select * from (values
      ('buckets', 'keep_versioning_on_update',
       'before update on storage.buckets for each row
        when (old.versioning_status <> ''DISABLED'' and new.versioning_status = ''DISABLED'')
        execute function storage.keep_versioning()'),
      ('objects', 'leave_versions_on_update',
       'after update on storage.objects for each row
        when ((old.bucket_id is distinct from new.bucket_id or old.name is distinct from new.name)
              and old.version is not null)
        execute function storage.leave_versions()'),
      ('versions', 'protect_versions_delete',
       'before delete on storage.versions for each statement when (pg_trigger_depth() = 0)
        execute function storage.protect_delete()'),
      ('versions', 'list_deleted_version_on_delete',
       'after delete on storage.versions for each row execute function storage.list_deleted_version()')
    ) as t (relation, name, definition)
  loop
    if not exists (
      select from pg_catalog.pg_trigger
      where tgrelid = ('storage.' || wanted.relation)::regclass and tgname = wanted.name
    ) then
      execute format('create trigger %I %s', wanted.name, wanted.definition);
    end if;
  end loop;

  -- Once per role: what its owner revoked later stays revoked.
  for role_name in
    select r.rolname from pg_catalog.pg_roles r
    where r.rolname in ('anon', 'authenticated', 'service_role')
      and (current_setting('portico.made_versions')::boolean
           or not exists (select from storage.installation i where i.component = 'grants on versions to ' || r.rolname))
    order by r.rolname
  loop
    insert into storage.installation (component, version) values ('grants on versions to ' || role_name, '1.1.0')
      on conflict (component) do nothing;
    if role_name = 'service_role' then
      grant select, insert, update, delete on storage.versions, storage.lifecycle_clock to service_role;
      if not (select rolbypassrls from pg_catalog.pg_roles where rolname = 'service_role') then
        drop policy if exists "service_role has all rows" on storage.lifecycle_clock;
        drop policy if exists "service_role has all rows" on storage.versions;
        create policy "service_role has all rows" on storage.lifecycle_clock to service_role using (true) with check (true);
        create policy "service_role has all rows" on storage.versions to service_role using (true) with check (true);
      end if;
    else
      execute format('grant select, delete, update (tags) on storage.versions to %I', role_name);
    end if;
  end loop;
end
$version_triggers$;


-- -------------------------------------------------------------------------------- what is not for the public to read

-- What the public should not read: tables of frameworks, and columns that look like credentials. `columns` are these, null
-- where the whole relation is meant. Names are compared as words in lower case: userPassword is user_password.
create or replace view graphql.private_relations as
  with framework (maker, pattern, columns, companion) as materialized (values
    ('a migration tool', '__drizzle_migrations|drizzle_migrations|__ef_?migrations_?history|_?prisma_migrations|_sqlx_migrations'
     '|__diesel_schema_migrations|seaql_migrations|_yoyo_.*|yoyo_lock|sequelize_?(meta|data)|alembic_version.*'
     '|atlas_schema_revisions|database_?change_?log(_?lock)?|flyway_schema_history|schema_(version|migrations.*)'
     '|schema_?versions|version_?info|goose_db_version|gorp_migrations|gopg_migrations|bun_migration(s|_locks)'
     '|knex_migrations(_lock)?|kysely_migration(_lock)?|mikro_orm_migrations|phinxlog|pg_?migrations'
     '|refinery_schema_history|typeorm_metadata|db_version|_?migrations|migration_(history|log|versions?)'
     '|doctrine_migration_versions|ar_internal_metadata', '{}'::text[], null::text),
    ('Django', 'django_.*|auth_(user|group|permission)(_.*)?|authtoken_.*|account_email(address|confirmation)'
     '|socialaccount_.*|social_auth_.*|oauth2_provider_.*|otp_.*|axes_.*|knox_.*|token_blacklist_.*|mfa_authenticator'
     '|two_factor_.*|guardian_.*|reversion_(revision|version)|silk_.*|celery_.*|kombu_(message|queue)|constance_config'
     '|easy_thumbnails_.*|wagtail(admin|users|search|forms)_.*'
     '|wagtailcore_(apitoken|comment.*|group.*|.*logentry|.*restriction.*|revision|task.*|workflow.*|uploadedfile|.*subscription)',
     '{}', null),
    ('Rails', 'active_storage_.*|action_(text|mailbox|cable)_.*|delayed_jobs|good_jobs?(_.*)?|solid_(queue|cache|cable)_.*'
     '|que_(jobs|lockers|values|scheduler_.*)|oauth_(access_tokens|access_grants|applications|openid_requests|device_grants)'
     '|flipper_.*|ahoy_.*|noticed_.*', '{}', null),
    ('Rails', 'versions', '{item_type, object}', null),
    ('Rails', 'audits', '{auditable_type}', null),
    ('Rails', 'sessions', '{session_id, data}', null),
    ('Laravel', 'failed_jobs|job_batches|cache_locks|password_resets|password_reset_tokens|personal_access_tokens'
     '|telescope_.*|pulse_.*|oauth_(auth_codes|clients|personal_access_clients|refresh_tokens|device_codes)'
     '|model_has_(roles|permissions)|role_has_permissions|activity_log', '{}', null),
    ('Laravel', 'jobs', '{queue, payload, attempts}', null),
    ('Laravel', 'cache', '{key, value, expiration}', null),
    ('Laravel', 'sessions', '{payload, last_activity}', null),
    ('Symfony', 'messenger_messages|rememberme_token|lock_keys|ext_log_entries|reset_password_request|cache_items', '{}', null),
    ('ASP.NET', 'asp_?net_?.*|open_?iddict_?.*|persisted_?grants|device_?codes|data_?protection_?keys|server_?side_?sessions'
     '|(inbox|outbox)_?(state|message)s?', '{}', null),
    ('Hangfire', 'hangfire.*', '{}', null),
    ('Hangfire', 'job|jobparameter|jobqueue|server|set|list|hash|counter|aggregatedcounter|state|schema|lock', '{}',
     'job_?parameter'),
    ('Quartz', 'qrtz_.*', '{}', null),
    ('Spring', 'spring_session.*|batch_(job|step)_.*|oauth_(client_details|access_token|refresh_token|client_token|code|approvals)'
     '|oauth2_(authorization.*|authorized_client|registered_client)|persistent_logins|shedlock|event_publication.*'
     '|acl_(sid|class|entry|object_identity)|int_(message.*|group_to_message|lock|metadata_store|channel_message)|revinfo'
     '|jhi_(user.*|authority|persistent_.*)|(domain|snapshot)_event_entry|token_entry|saga_entry|association_value_entry',
     '{}', null),
    ('Camunda', 'act_(ru|hi|ge|id|re|procdef|evt|dmn|fo|cmmn|app)_.*|flw_.*', '{}', null),
    ('Auth.js or Better Auth', 'verification_?(token|request)s?|jwks|passkeys?|two_?factors?', '{}', null),
    ('Auth.js or Better Auth', 'verifications?', '{identifier, value}', null),
    ('Auth.js or Better Auth', 'users?', '{email, email_verified}', null),
    ('connect-pg-simple', 'sessions?', '{sid, sess}', null),
    ('Keycloak', 'admin_event_entity|associated_policy|authentication_.*|authenticator_config.*|broker_link|client|client_.*'
     '|component|component_config|composite_role|credential|default_client_scope|event_entity|fed_user_.*|federated_.*'
     '|group_(attribute|role_mapping)|identity_provider.*|idp_mapper_config|keycloak_.*|migration_model|offline_.*|org|org_.*'
     '|policy_config|protocol_mapper.*|realm|realm_.*|redirect_uris|required_action_.*|resource_.*|revoked_token'
     '|role_attribute|scope_(mapping|policy)|server_config|user_(attribute|consent.*|entity|federation_.*|group_membership'
     '|required_action|role_mapping|session.*)|username_login_failure|web_origins|workflow_.*|jgroups_ping', '{}',
     'keycloak_role'),
    ('Ory', 'identit(y|ies)(_.*)?|selfservice_.*|sessions?|session_.*|courier_.*|continuity_containers|networks', '{}',
     'identity_credentials'),
    ('Ory', 'hydra_.*|keto_.*', '{}', null),
    ('Airflow or Superset', 'ab_(user|role|permission|view_menu|register_user|group).*', '{}', null),
    ('Airflow', 'dag|dag_.*|task_.*|xcom.*|slot_pool|variable|connection|log|job|trigger.*|serialized_dag|import_error'
     '|rendered_task_instance_fields|callback_request|asset.*|dataset.*|session', '{}', 'dag_run'),
    ('Odoo', 'ir_.*|res_.*|bus_.*|auth_.*', '{}', 'ir_module_module'),
    ('Strapi', 'strapi_.*|admin_(users|roles|permissions).*|up_(users|roles|permissions).*', '{}', null),
    ('Directus', 'directus_.*', '{}', null),
    ('Payload', 'payload_.*', '{}', null),
    ('WordPress', 'wp_(users|usermeta|options)', '{}', null),
    ('Casbin', 'casbin_.*', '{}', null),
    ('a job queue', 'oban_.*|procrastinate_.*|river_.*|pgboss_.*|graphile_worker_.*|apscheduler_jobs|dramatiq_.*', '{}', null)
  ), relation as materialized (
    select c.oid, n.nspname, c.relname, c.relnamespace, c.relkind, c.reloptions,
           lower(regexp_replace(c.relname, '([a-z0-9])([A-Z])', '\1_\2', 'g')) as word
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f')
      and n.nspname not in ('pg_catalog', 'pg_toast', 'information_schema')
  ), attribute as materialized (
    select r.oid, a.attname, a.attnum, t.typcategory as category,
           lower(regexp_replace(a.attname, '([a-z0-9])([A-Z])', '\1_\2', 'g')) as word
    from relation r
    join pg_catalog.pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    join pg_catalog.pg_type t on t.oid = a.atttypid and t.typname <> 'tsvector'
  ), credential as materialized (
    select a.oid, a.attname, a.attnum
    from attribute a
    where (
      a.category in ('S', 'U', 'A') and (
        a.word ~ 'pass_?(word|wd|phrase|code|hash|digest)|passwort|kennwort|wachtwoord|senha|contrasen(a|ia)|mot_de_passe'
        or a.word ~ '(^|_)(pwd|pswd|pw|secrets?|salt|credentials?|cookies?|csrf|jwt|sess|mnemonic|seed_phrase)(_|$)'
        or a.word ~ '^(user|login|db|admin|auth)?_?pass$|(client|app|shared|webhook|signing)secret$'
        or a.word ~ '(^|_)[a-z]*tokens?(_(hash|hashed|digest|value|secret|key|data|encrypted|ciphertext|plain|text))?$'
        or a.word ~ '(api|access|secret|private|signing|encryption|master|auth|recovery|hmac|session|consumer|activation'
                    '|confirmation|reset|shared)_?keys?(_(hash|hashed|digest|value|encrypted|pem|data))?$'
        or a.word ~ '(recovery|backup|verification|auth|authorization|reset|confirmation|activation|one_?time|otp|mfa'
                    '|two_?factor|login|card_security)_codes?(_(hash|hashed|digest))?$'
        or a.word ~ '(^|_)(user|login|auth|account|recovery|reset|backup|verification|session|refresh|remember|pin|key|code)_'
                    '(hash|digest)$'
        or a.word ~ '^(user|card|login|account)?_?pin(_(hash|digest))?$'
        or a.word ~ '(security|secret|recovery)_answers?(_(hash|digest))?$'
        or a.word in ('hash', 'hashed', 'digest') and exists (
          select from attribute o
          where o.oid = a.oid and o.word in ('email', 'login', 'user', 'username', 'user_name', 'user_id', 'userid', 'salt'))
        or a.word ~ '(^|_)(social_security(_(number|no))?|national_id(_number)?|passport_(number|no)|credit_?card(_(number|no))?'
                    '|card_number|bank_account(_(number|no))?|iban|routing_number)(_|$)'
      )
      or a.category in ('S', 'U', 'A', 'N') and a.word ~ '(^|_)(otp|totp|hotp|ssn|cvv|cvc|passcode)(_(code|hash|seed))?$'
    )
      -- what is said about a credential, and other kinds of tokens
      and a.word !~ ('_(counts?|limits?|types?|kind|names?|policy|status|state|algo(rithm)?|label|placeholder|expir(y|es|ation)'
                     '|at|on|date|time|ids?|length|size|version|scheme|usage|budget|price|symbol|address|decimals|supply|ur[il]'
                     '|required|enabled|format|method|provider|endpoint|title|description|issuer|scopes?|family|strength)$')
      and a.word !~ '^(has|is|can|needs|requires|allows?|max|min|num|total)_'
      and a.word !~ '(^|_)(page|next|prev|previous|continuation|cursor|sync|design|stop|lexical|search)_tokens?$'
  ), found as (
    select r.oid, true as is_whole, null::name as attname, f.maker || ' uses it' as reason
    from framework f cross join relation r
    where r.word ~ ('^(' || f.pattern || ')$')
      and f.columns <@ array(select a.word from attribute a where a.oid = r.oid)
      and (f.companion is null or exists (
        select from relation o where o.relnamespace = r.relnamespace and o.word ~ f.companion))
    union all
    select r.oid, true as is_whole, null::name as attname, 'its name looks like credentials' as reason
    from relation r
    where r.word ~ ('(^|_)(passwords?|secrets?|credentials?|(api|access|ssh|private|signing)_?keys?'
                    '|(api|access|refresh|auth|session|reset|invit(e|ation))_?tokens?)(_|$)')
    union all
    select c.oid, false as is_whole, c.attname, null::text as reason from credential c
    union all
    -- with the rights of its owner
    select r.oid, true as is_whole, null::name as attname, format('it reads %s.%s', c.oid::regclass, c.attname) as reason
    from relation r
    join pg_catalog.pg_rewrite w on w.ev_class = r.oid
    join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_catalog.pg_class'::regclass
    join credential c on c.oid = d.refobjid and c.attnum = d.refobjsubid and c.oid <> r.oid
    where not exists (select from unnest(r.reloptions) o where o ~* '^security_invoker=(true|on|yes|1)$')
  )
  select r.oid, r.nspname as schema, r.relname as name,
         case when not bool_or(f.is_whole) then array_agg(f.attname order by f.attname) end as columns,
         coalesce(min(f.reason) filter (where f.is_whole),
                  'columns that look like credentials: ' || string_agg(f.attname, ', ' order by f.attname)) as reason
  from found f join relation r on r.oid = f.oid
  group by r.oid, r.nspname, r.relname;
comment on view graphql.private_relations is
  'Tables of frameworks and relations with credentials, which portico init does not open to anon and authenticated';
grant select on graphql.private_relations to public;


-- ------------------------------------------------------------------------------------------- what the roles may see

do $grants$
declare
  role_name text;
  item record;
  data_rights text;
  sequence_rights text;
  in_extension boolean := exists (select from pg_catalog.pg_extension where extname = 'portico');
  -- off: no grants on public
  wanted constant text := coalesce(current_setting('portico.grant_public', true), '');
  private_ones oid[];
  versions_of_migrations oid[];
  opened boolean := false;
  closed boolean := false;
  open_tables bigint;
begin
  if current_setting('portico.restoring')::boolean then
    return;
  end if;

  -- A table that was made again gets the grants that were made on the one before it.
  for item in
    select t.name as identity, r.rolname
    from unnest(string_to_array(current_setting('portico.made'), ' ')) as t (name)
    join storage.installation i on true
    join pg_catalog.pg_roles r on i.component =
      case when t.name in ('buckets', 'objects', 'work') then 'grants to ' else 'grants on uploads to ' end || r.rolname
    where r.rolname in ('anon', 'authenticated', 'service_role')
      and (r.rolname = 'service_role' or t.name in ('buckets', 'objects'))
  loop
    execute format('grant select, insert, update, delete on storage.%I to %I', item.identity, item.rolname);
    if not (select rolbypassrls from pg_catalog.pg_roles where rolname = 'service_role')
       and item.rolname = 'service_role' then
      execute format('create policy "service_role has all rows" on storage.%I to service_role using (true) with check (true)',
                     item.identity);
    end if;
  end loop;

  -- Once per role in the life of a database: what its owner revoked later stays revoked.
  for role_name in
    select r.rolname
    from pg_catalog.pg_roles r
    where r.rolname in ('anon', 'authenticated', 'service_role')
      and not exists (select from storage.installation i where i.component = 'grants to ' || r.rolname)
    order by r.rolname
  loop
    insert into storage.installation (component, version) values ('grants to ' || role_name, '1.1.0');

    execute format('grant select, insert, update, delete on storage.buckets, storage.objects to %I', role_name);
    if role_name = 'service_role' then
      grant select, insert, update, delete on storage.work to service_role;
      grant select on storage.installation to service_role;
      -- where nobody could give it BYPASSRLS, policies stand in for it on these tables
      if not (select rolbypassrls from pg_catalog.pg_roles where rolname = 'service_role') then
        create policy "service_role has all rows" on storage.buckets to service_role using (true) with check (true);
        create policy "service_role has all rows" on storage.objects to service_role using (true) with check (true);
        create policy "service_role has all rows" on storage.work to service_role using (true) with check (true);
        create policy "service_role has all rows" on storage.installation for select to service_role using (true);
      end if;
    end if;

    if current_setting('portico.grants_forgotten')::boolean
       or wanted = 'off'
       or to_regnamespace('public') is null then
      continue;
    end if;

    begin
      execute format('grant usage on schema public to %I', role_name);
    exception when insufficient_privilege then
      null;
    end;
    if not has_schema_privilege(role_name, 'public', 'usage') then
      raise warning 'portico: % may not grant usage on schema public to %', current_user, role_name
        using hint = format('the owner of the schema: grant usage on schema public to %I', role_name);
    end if;

    data_rights := case role_name when 'service_role' then 'all' else 'select, insert, update, delete' end;
    opened := opened or role_name = 'anon';
    if private_ones is null then
      select coalesce(array_agg(oid), '{}'), array_agg(oid) filter (where reason = 'a migration tool uses it')
      into private_ones, versions_of_migrations
      from graphql.private_relations;
    end if;
    sequence_rights := case role_name when 'service_role' then 'all' else 'usage, select' end;
    -- What exists: all that the installer may grant, except what belongs to extensions, and except functions that were
    -- closed to the public. To anon and authenticated only what decides row by row who may see it, and nothing private.
    for item in
      with relation as (
        select c.oid, c.relowner, g.is_guarded,
               role_name = 'service_role' or g.is_guarded and c.oid <> all (private_ones) as is_exposed
        from pg_catalog.pg_class c
        cross join lateral (
          select c.relrowsecurity or c.relkind = 'v' and exists (
            select from unnest(c.reloptions) o (option) where option ~* '^security_invoker=(true|on|yes|1)$') as is_guarded
        ) g
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
      )
      select o.type, o.identity, i.objid, i.is_exposed, i.is_guarded,
             case when o.type = 'sequence' then sequence_rights || ' on sequence'
                  when i.classid = 'pg_catalog.pg_proc'::regclass then 'execute on routine'
                  else data_rights || ' on table' end as rights
      from (
        select 'pg_catalog.pg_class'::regclass::oid as classid, r.oid as objid, r.relowner as owner, r.is_exposed, r.is_guarded
        from relation r
        union all
        -- a sequence as the table that it belongs to
        select 'pg_catalog.pg_class'::regclass, c.oid, c.relowner, not exists (
          select from pg_catalog.pg_depend d join relation r on r.oid = d.refobjid
          where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
            and not r.is_exposed), true
        from pg_catalog.pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
        union all
        select 'pg_catalog.pg_proc'::regclass, p.oid, p.proowner, true, true
        from pg_catalog.pg_proc p
        where p.pronamespace = 'public'::regnamespace
          and (p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0))
      ) i
      cross join lateral pg_identify_object(i.classid, i.objid, 0) o
      where pg_has_role(current_user, i.owner, 'USAGE')
        and not exists (
          select from pg_catalog.pg_depend d
          where d.classid = i.classid and d.objid = i.objid and d.deptype = 'e'
        )
      order by o.identity
    loop
      if not item.is_exposed then
        closed := closed or not item.is_guarded and item.objid <> all (coalesce(versions_of_migrations, '{}'));
        continue;
      end if;
      -- in and out of the extension, so that the rights are not taken for the extension's
      if in_extension then
        execute format('alter extension portico add %s %s', item.type, item.identity);
      end if;
      execute format('grant %s %s to %I', item.rights, item.identity, role_name);
      if in_extension then
        execute format('alter extension portico drop %s %s', item.type, item.identity);
      end if;
    end loop;
    -- What the installer makes from now on. Where tables stay closed, those that follow are of the same kind.
    continue when closed and role_name <> 'service_role';
    execute format('alter default privileges in schema public grant %s on tables to %I', data_rights, role_name);
    execute format('alter default privileges in schema public grant %s on sequences to %I', sequence_rights, role_name);
    execute format('alter default privileges in schema public grant execute on routines to %I', role_name);
  end loop;

  -- The same for the tables that came with 1.1.0, also where the grants before them were made long ago.
  if exists (select from pg_catalog.pg_roles where rolname = 'service_role')
     and not exists (select from storage.installation where component = 'grants on uploads to service_role') then
    insert into storage.installation (component, version) values ('grants on uploads to service_role', '1.1.0');
    grant select, insert, update, delete on storage.uploads, storage.upload_parts, storage.access_keys to service_role;
    if not (select rolbypassrls from pg_catalog.pg_roles where rolname = 'service_role') then
      create policy "service_role has all rows" on storage.uploads to service_role using (true) with check (true);
      create policy "service_role has all rows" on storage.upload_parts to service_role using (true) with check (true);
      create policy "service_role has all rows" on storage.access_keys to service_role using (true) with check (true);
    end if;
  end if;

  -- The service's own tables are no use without these rights.
  for item in
    select c.relname as identity, 'pg_catalog.pg_class'::regclass as class, c.oid
    from pg_catalog.pg_class c cross join pg_catalog.pg_roles r
    where r.rolname = 'service_role' and c.relnamespace = 'storage'::regnamespace
      and c.relname in ('buckets', 'objects', 'work', 'uploads', 'upload_parts', 'access_keys')
      and not (has_table_privilege(r.oid, c.oid, 'select') and has_table_privilege(r.oid, c.oid, 'insert')
               and has_table_privilege(r.oid, c.oid, 'update') and has_table_privilege(r.oid, c.oid, 'delete'))
  loop
    if in_extension and not exists (
      select from pg_catalog.pg_depend d where d.deptype = 'e' and d.classid = item.class and d.objid = item.oid
    ) then
      execute format('alter extension portico add table storage.%I', item.identity);
    end if;
    execute format('grant select, insert, update, delete on storage.%I to service_role', item.identity);
  end loop;

  if closed then
    raise warning 'portico: anon and authenticated get no rights on what is in schema public without row level security, nor '
                  'on what the installer makes there from now on'
      using hint = 'Enable it and write policies, or let everybody read a table: grant select on <table> to anon, authenticated';
  end if;
  if opened then
    select count(*) into open_tables
    from pg_catalog.pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity
      and has_table_privilege('anon', c.oid, 'insert');
    if open_tables > 0 then
      raise warning 'portico: anon and authenticated may now read and write all rows of % table(s) in schema public '
                    'that have no row level security', open_tables
        using hint = 'Enable row level security on them, or revoke what is too much; docs/database.md shows how.';
    end if;
  end if;
end
$grants$;


-- ------------------------------------------------------------------------------------- what is installed, and what not

do $$
begin
  if to_regclass('graphql.installation') is null then
    create table graphql.installation (
      one boolean primary key default true constraint installation_one_check check (one),
      version text not null,
      default_version text not null,
      installed_at timestamptz not null default now()
    );
    grant all on graphql.installation to current_user;
  end if;
end
$$;
comment on table graphql.installation is 'The version of Portico that this database has';
comment on column graphql.installation.default_version is 'The version that the last run of Portico would install';
grant select on graphql.installation to public;
insert into graphql.installation (version, default_version) values ('1.1.0', '1.1.0')
  on conflict (one) do update set version = excluded.version, default_version = excluded.default_version;

create or replace view graphql.available_extensions as
  select 'portico'::name as name,
         coalesce(a.default_version, i.default_version) as default_version,
         coalesce(x.extversion, i.version) as installed_version,
         coalesce(a.comment, 'Portico: what its GraphQL and object storage APIs keep in the database') as comment
  from graphql.installation i
  left join pg_catalog.pg_available_extensions a on a.name = 'portico'
  left join pg_catalog.pg_extension x on x.extname = 'portico'
  union all
  select e.name, e.default_version, e.installed_version, e.comment
  from pg_catalog.pg_available_extensions e
  where e.name <> 'portico';
comment on view graphql.available_extensions is
  'pg_available_extensions, where portico is told as well when it was installed by its own command';
grant select on graphql.available_extensions to public;

-- What somebody took from schema storage, and the command that gives it back; null where the part of this script that made
-- it does so.
create or replace view graphql.storage_damage as
  with relation as (
    select t.name, c.oid, c.relrowsecurity
    from unnest(array['installation', 'buckets', 'objects', 'work', 'uploads', 'upload_parts', 'access_keys',
                      'versions', 'lifecycle_clock']) as t (name)
    left join pg_catalog.pg_class c on c.relname = t.name and c.relnamespace = (
      select oid from pg_catalog.pg_namespace where nspname = 'storage')
  )
  select format('the table storage.%s does not exist', name) as what, null as repair
  from relation where oid is null
  union all
  select format('the table storage.%s has row level security disabled, so its policies protect nothing', name),
         format('alter table storage.%I enable row level security', name)
  from relation where not relrowsecurity
  union all
  select format('the table storage.%s lacks the constraint %s', r.name, w.name),
         format('alter table storage.%I add constraint %I %s', r.name, w.name, w.definition)
  from (values
    ('installation', 'installation_pkey', 'primary key (component)'),
    ('buckets', 'buckets_pkey', 'primary key (id)'),
    ('buckets', 'buckets_versioning_status_check', 'check (versioning_status in (''DISABLED'', ''ENABLED'', ''SUSPENDED''))'),
    ('buckets', 'buckets_cors_check', 'check (jsonb_typeof(cors) = ''array'')'),
    ('buckets', 'buckets_tags_check', 'check (jsonb_typeof(tags) = ''object'')'),
    ('buckets', 'buckets_lifecycle_check', 'check (jsonb_typeof(lifecycle) = ''array'')'),
    ('objects', 'objects_pkey', 'primary key (id)'),
    ('objects', 'objects_bucketId_fkey', 'foreign key (bucket_id) references storage.buckets'),
    ('work', 'work_pkey', 'primary key (id)'),
    ('work', 'work_kind_check', 'check (kind in (''delete_blob'', ''post_event''))'),
    ('work', 'work_complete_check',
     'check (case kind when ''delete_blob'' then version is not null else event is not null end)'),
    ('uploads', 'uploads_pkey', 'primary key (id)'),
    ('uploads', 'uploads_form_check', 'check (form in (''appended'', ''numbered''))'),
    ('uploads', 'uploads_bucket_id_fkey', 'foreign key (bucket_id) references storage.buckets on delete cascade'),
    ('uploads', 'uploads_received_check', 'check (received >= 0 and received <= length)'),
    ('upload_parts', 'upload_parts_pkey', 'primary key (upload_id, number)'),
    ('upload_parts', 'upload_parts_upload_id_fkey', 'foreign key (upload_id) references storage.uploads on delete cascade'),
    ('upload_parts', 'upload_parts_number_check', 'check (number > 0)'),
    ('access_keys', 'access_keys_pkey', 'primary key (id)'),
    ('versions', 'versions_pkey', 'primary key (number)'),
    ('versions', 'versions_bucket_id_fkey', 'foreign key (bucket_id) references storage.buckets'),
    ('versions', 'versions_complete_check', 'check (is_delete_marker = (version is null))')
  ) as w (relation, name, definition)
  join relation r on r.name = w.relation
  where r.oid is not null and not exists (
    select from pg_catalog.pg_constraint p
    where p.conrelid = r.oid and (p.conname = w.name or (p.contype = 'p' and w.definition like 'primary key %')))
  union all
  select format('the index storage.%s does not exist', w.name), null
  from unnest(array['bname', 'bucketid_objname', 'idx_objects_bucket_id_name', 'idx_objects_bucket_id_name_lower',
                    'idx_objects_version', 'name_prefix_search', 'work_due', 'uploads_name', 'uploads_expiry',
                    'upload_parts_version', 'versions_key', 'versions_order', 'versions_bytes']) as w (name)
  where not exists (
    select from pg_catalog.pg_index i
    join relation r on r.oid = i.indrelid
    join pg_catalog.pg_class c on c.oid = i.indexrelid and c.relname = w.name)
  union all
  select format('the trigger %s of the table storage.%s %s', w.name, r.name,
                case when t.oid is null then 'does not exist' else 'is disabled' end),
         case when t.oid is not null then format('alter table storage.%I enable trigger %I', r.name, w.name) end
  from (values
    ('buckets', 'enforce_bucket_name_length_trigger'), ('buckets', 'update_buckets_updated_at'),
    ('buckets', 'protect_buckets_delete'), ('objects', 'update_objects_updated_at'),
    ('objects', 'protect_objects_delete'), ('objects', 'protect_version_on_insert'),
    ('objects', 'protect_version_on_update'), ('objects', 'list_replaced_blob_on_update'),
    ('objects', 'list_replaced_blob_on_delete'), ('upload_parts', 'list_dropped_part_on_update'),
    ('upload_parts', 'list_dropped_part_on_delete'), ('buckets', 'keep_versioning_on_update'),
    ('objects', 'leave_versions_on_update'), ('versions', 'protect_versions_delete'),
    ('versions', 'list_deleted_version_on_delete')
  ) as w (relation, name)
  join relation r on r.name = w.relation
  left join pg_catalog.pg_trigger t on t.tgrelid = r.oid and t.tgname = w.name
  where r.oid is not null and (t.oid is null or t.tgenabled not in ('O', 'A'));
comment on view graphql.storage_damage is 'What somebody took from schema storage, and the command that gives it back';
grant select on graphql.storage_damage to public;

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
  select what, coalesce('run portico init once more, or as the owner of the table: ' || repair, 'run portico init once more')
  from graphql.storage_damage
  union all
  select format('the role %s may not use the schema %s', p.rolname, n.nspname),
         format('the owner of the schema: grant usage on schema %I to %I', n.nspname, p.rolname)
  from pg_catalog.pg_roles p cross join pg_catalog.pg_namespace n
  where p.rolname in ('anon', 'authenticated', 'service_role')
    and n.nspname in ('auth', 'storage')
    and not has_schema_privilege(p.oid, n.oid, 'usage')
  union all
  select format('the role %s may not execute the function %I.%I(%s)', r.rolname, n.nspname, p.proname,
                pg_get_function_identity_arguments(p.oid)),
         format('portico init once more, or the owner of the function: grant execute on function %I.%I(%s) to %I',
                n.nspname, p.proname, pg_get_function_identity_arguments(p.oid), r.rolname)
  from pg_catalog.pg_roles r
  cross join pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where r.rolname in ('anon', 'authenticated', 'service_role')
    and not has_function_privilege(r.oid, p.oid, 'execute')
    and case n.nspname
      when 'graphql' then p.proname in ('schema_version', 'assert_schema_version', 'set_local')
      when 'auth' then p.proname in ('jwt', 'uid', 'role', 'email') and p.pronargs = 0
      when 'storage' then p.proname in ('foldername', 'filename', 'extension', 'operation', 'allow_any_operation',
                                        'allow_only_operation', 'get_size_by_bucket', 'can_insert_object',
                                        'sees_object', 'is_owner')
    end
  union all
  select format('service_role may not %s the rows of the table storage.%I', lower(w.privilege), c.relname),
         format('portico init once more, or the owner of the table: grant %s on storage.%I to service_role',
                lower(w.privilege), c.relname)
  from pg_catalog.pg_roles r
  cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as w (privilege)
  cross join pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = 'storage'
  where r.rolname = 'service_role'
    and c.relname in ('buckets', 'objects', 'work', 'uploads', 'upload_parts', 'access_keys', 'versions', 'lifecycle_clock')
    and not has_table_privilege(r.oid, c.oid, w.privilege);
comment on view graphql.missing is 'What of Portico this database lacks for the role that asks, and who can mend it how';
grant select on graphql.missing to public;


-- ------------------------------------------------------------------------------------------ what was taken is given back

do $repair$
declare
  damage record;
begin
  if current_setting('portico.restoring')::boolean then
    return;
  end if;
  -- foreign keys need the primary keys
  for damage in
    select repair from graphql.storage_damage where repair is not null order by repair not like '% primary key %', repair
  loop
    begin
      execute damage.repair;
    exception when others then
      raise warning 'portico: %', sqlerrm using hint = format('Mend that, then: %s', damage.repair);
    end;
  end loop;
end
$repair$;


-- ------------------------------------------------------------------------------------------------- counting starts

do $count$
declare
  disabled name;
begin
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'portico_count_ddl') then
    create event trigger portico_count_ddl on ddl_command_end execute function graphql.count_ddl();
    -- also where session_replication_role silences other triggers
    alter event trigger portico_count_ddl enable always;
    comment on event trigger portico_count_ddl is 'Portico: counts changes of the schema';
  end if;
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'portico_count_drop') then
    create event trigger portico_count_drop on sql_drop execute function graphql.count_drop();
    alter event trigger portico_count_drop enable always;
    comment on event trigger portico_count_drop is 'Portico: counts changes of the schema';
  end if;
  for disabled in
    select evtname from pg_catalog.pg_event_trigger
    where evtname in ('portico_count_ddl', 'portico_count_drop') and evtenabled not in ('A', 'O')
  loop
    execute format('alter event trigger %I enable always', disabled);
  end loop;
exception when insufficient_privilege then
  null;  -- graphql.schema_version() is null then, and the service looks for changes itself
end
$count$;

do $start$
begin
  if exists (select from graphql.schema_change) then
    perform graphql.count_change();
  else
    -- nanoseconds since 1970: beyond every version that an earlier installation in this database can have had
    insert into graphql.schema_change (changes)
      values ((extract(epoch from clock_timestamp()) * 1000000)::bigint * 1000);
  end if;
end
$start$;


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

do $warn$
declare
  lack record;
begin
  if current_setting('portico.restoring')::boolean then
    return;
  end if;
  for lack in select what, fix from graphql.missing loop
    raise warning 'portico: %', lack.what using hint = lack.fix;
  end loop;
end
$warn$;
