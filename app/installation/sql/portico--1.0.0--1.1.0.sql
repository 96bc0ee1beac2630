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
      to_regclass('storage.uploads'), to_regclass('storage.upload_parts'), to_regclass('storage.access_keys'))
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
    from unnest(array['installation', 'buckets', 'objects', 'work', 'uploads', 'upload_parts', 'access_keys']) as t (name)
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
    ('buckets', 'buckets_versioning_status_check', 'check (versioning_status = ''DISABLED'')'),
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
    ('access_keys', 'access_keys_pkey', 'primary key (id)')
  ) as w (relation, name, definition)
  join relation r on r.name = w.relation
  where r.oid is not null and not exists (
    select from pg_catalog.pg_constraint p
    where p.conrelid = r.oid and (p.conname = w.name or (p.contype = 'p' and w.definition like 'primary key %')))
  union all
  select format('the index storage.%s does not exist', w.name), null
  from unnest(array['bname', 'bucketid_objname', 'idx_objects_bucket_id_name', 'idx_objects_bucket_id_name_lower',
                    'idx_objects_version', 'name_prefix_search', 'work_due', 'uploads_name', 'uploads_expiry',
                    'upload_parts_version']) as w (name)
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
    ('upload_parts', 'list_dropped_part_on_delete')
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
                                        'allow_only_operation', 'get_size_by_bucket', 'can_insert_object')
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
    and c.relname in ('buckets', 'objects', 'work', 'uploads', 'upload_parts', 'access_keys')
    and not has_table_privilege(r.oid, c.oid, w.privilege);
comment on view graphql.missing is 'What of Portico this database lacks for the role that asks, and who can mend it how';
grant select on graphql.missing to public;


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
                                        'allow_only_operation', 'get_size_by_bucket', 'can_insert_object')
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
