-- Portico 1.0.0 -> 1.1.0. Run by ALTER EXTENSION portico UPDATE and by `portico upgrade`, in one transaction.
\echo Use "ALTER EXTENSION portico UPDATE" to load this file. \quit


-- ---------------------------------------------------------------------------------- schema storage: uploads in pieces

do $uploads$
declare
  stranger record;
begin
  -- A stranger who made one of these beforehand could change it afterwards, and with it what the service does.
  select c.relname as name, pg_get_userbyid(c.relowner) as owner into stranger
  from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
  where c.oid in (
      to_regclass('storage.uploads'), to_regclass('storage.upload_parts'), to_regclass('storage.access_keys'),
      to_regclass('storage.versions'), to_regclass('storage.lifecycle_clock'))
    and not (r.rolsuper or r.rolname = current_user
             or r.oid = (select datdba from pg_catalog.pg_database where datname = current_database()));
  if found then
    raise exception using
      errcode = 'insufficient_privilege',
      message = format('table storage.%s exists already and belongs to %s', stranger.name, stranger.owner),
      hint = format('Drop or rename it, or: alter table storage.%s owner to %s.', stranger.name, quote_ident(current_user));
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
    create index uploads_name on storage.uploads (bucket_id, name collate "C", created_at);
    create index uploads_expiry on storage.uploads (expires_at);
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
    create index upload_parts_version on storage.upload_parts (version);
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

  -- In an extension's script CREATE OR REPLACE refuses objects that are not the extension's; $release$ takes it out again.
  if exists (select from pg_catalog.pg_extension where extname = 'portico') then
    if to_regprocedure('storage.protect_delete()') is not null then
      alter extension portico add function storage.protect_delete();
    end if;
    if to_regprocedure('storage.list_dropped_part()') is not null then
      alter extension portico add function storage.list_dropped_part();
    end if;
  end if;

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

  if not exists (select from pg_catalog.pg_trigger
                 where tgrelid = 'storage.upload_parts'::regclass and tgname = 'list_dropped_part_on_update') then
    create trigger list_dropped_part_on_update after update on storage.upload_parts for each row
      when (old.version is distinct from new.version)
      execute function storage.list_dropped_part();
    create trigger list_dropped_part_on_delete after delete on storage.upload_parts for each row
      execute function storage.list_dropped_part();
  end if;

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
end
$uploads$;

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


-- ---------------------------------------------------------------------- schema storage: versions that are not current

do $versions$
declare
  replaced regprocedure;
begin
  -- In an extension's script CREATE OR REPLACE refuses functions that are not the extension's.
  if exists (select from pg_catalog.pg_extension where extname = 'portico') then
    for replaced in
      select p.oid::regprocedure from pg_catalog.pg_proc p
      where p.pronamespace = 'storage'::regnamespace
        and p.proname in ('protect_version', 'list_replaced_blob', 'get_size_by_bucket', 'keep_versioning', 'leave_versions',
                          'promote_version', 'list_deleted_version', 'sees_object', 'is_owner')
        and not exists (
          select from pg_catalog.pg_depend d
          where d.deptype = 'e' and d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid)
    loop
      execute format('alter extension portico add function %s', replaced);
    end loop;
  end if;
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


-- ------------------------------------------------------------------------------------------- what changes of the schema were

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

-- ------------------------------------------------------------------------------------------ settings of a transaction

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


-- ------------------------------------------------------------------------------------- what is installed, and what not

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


-- --------------------------------------------------------------------------------------------- what the roles may use

do $rights$
declare
  item record;
begin
  -- The role may be older than the installation, and who made it may not have been a superuser.
  if exists (
    select from pg_catalog.pg_roles where rolname = 'service_role' and not rolbypassrls and not rolsuper
  ) then
    begin
      alter role service_role bypassrls;
    exception when insufficient_privilege then
      null;
    end;
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

update storage.installation set version = '1.1.0' where component = 'storage';
update graphql.installation set version = '1.1.0', default_version = '1.1.0';
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
