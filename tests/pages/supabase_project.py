"""A database in the shape that Supabase's migrations give it: what a project's dump has of auth, storage and public."""

from __future__ import annotations

ADA, BEN = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
ROLES = ("supabase_admin", "supabase_auth_admin", "supabase_storage_admin", "dashboard_user")
API_ROLES = ("anon", "authenticated", "service_role")

SCHEMA = f"""
create schema auth;
grant usage on schema auth to anon, authenticated, service_role, supabase_auth_admin;
create table auth.users (
  id uuid primary key, aud varchar(255), role varchar(255), email varchar(255), encrypted_password varchar(255),
  raw_user_meta_data jsonb, created_at timestamptz, updated_at timestamptz
);
grant all on auth.users to supabase_auth_admin, dashboard_user;
create function auth.uid() returns uuid language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')
  )::uuid
$$;
create function auth.role() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role')
  )::text
$$;

create schema storage;
grant usage on schema storage to anon, authenticated, service_role;
grant all on schema storage to supabase_storage_admin;
create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
create table storage.migrations (
  id integer primary key, name varchar(100) unique not null, hash varchar(40) not null,
  executed_at timestamp default current_timestamp
);
create table storage.buckets (
  id text primary key, name text not null, owner uuid, created_at timestamptz default now(),
  updated_at timestamptz default now(), public boolean default false, avif_autodetection boolean default false,
  file_size_limit bigint, allowed_mime_types text[], owner_id text,
  type storage.buckettype not null default 'STANDARD'
);
comment on column storage.buckets.owner is 'Field is deprecated, use owner_id instead';
create unique index bname on storage.buckets (name);
create table storage.objects (
  id uuid primary key default gen_random_uuid(), bucket_id text, name text, owner uuid,
  created_at timestamptz default now(), updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb, path_tokens text[] generated always as (string_to_array(name, '/')) stored, version text,
  owner_id text, user_metadata jsonb,
  constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id)
);
create unique index bucketid_objname on storage.objects (bucket_id, name);
create index name_prefix_search on storage.objects (name text_pattern_ops);
create table storage.s3_multipart_uploads (
  id text primary key, in_progress_size bigint not null default 0, upload_signature text not null,
  bucket_id text not null references storage.buckets (id), key text collate "C" not null, version text not null,
  owner_id text, created_at timestamptz not null default now(), user_metadata jsonb
);
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.migrations enable row level security;
grant all on all tables in schema storage to supabase_storage_admin, anon, authenticated, service_role;

create function storage.foldername(name text) returns text[] language plpgsql as $$
declare _parts text[];
begin
  select string_to_array(name, '/') into _parts;
  return _parts[1 : array_length(_parts, 1) - 1];
end $$;
create function storage.filename(name text) returns text language plpgsql as $$
declare _parts text[];
begin
  select string_to_array(name, '/') into _parts;
  return _parts[array_length(_parts, 1)];
end $$;
create function storage.update_updated_at_column() returns trigger language plpgsql as $$
begin
  new.updated_at = now();
  return new;
end $$;
create trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

create table public.profile (id uuid primary key references auth.users, name text);
alter table public.profile enable row level security;
grant all on public.profile to anon, authenticated, service_role;
create policy "own profile" on public.profile to authenticated using (id = auth.uid());
create policy "own folder" on storage.objects to authenticated
  using (bucket_id = 'avatars' and (storage.foldername(name))[1] = auth.uid()::text)
  with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = auth.uid()::text);
create policy "hers alone" on storage.objects for select to authenticated
  using (bucket_id = 'documents' and owner_id = auth.uid()::text);

insert into auth.users (id, email) values ('{ADA}', 'ada@example.com'), ('{BEN}', 'ben@example.com');
insert into public.profile values ('{ADA}', 'Ada'), ('{BEN}', 'Ben');
insert into storage.buckets (id, name, allowed_mime_types) values
  ('avatars', 'avatars', '{{image/*}}'), ('documents', 'documents', null);
insert into storage.migrations (id, name, hash) values (0, 'create-migrations-table', md5(''));
"""


def row(bucket: str, key: str, owner: str, mime_type: str, size: int, etag: str) -> str:
    """The statement for the row of an object."""
    return f"""
        insert into storage.objects (bucket_id, name, owner, owner_id, version, created_at, metadata) values (
          '{bucket}', '{key}', '{owner}', '{owner}', gen_random_uuid()::text, '2023-05-06 07:08:09Z',
          jsonb_build_object('eTag', '"{etag}"', 'size', {size}, 'mimetype', '{mime_type}', 'cacheControl',
            'max-age=3600', 'lastModified', '2023-05-06T07:08:09.000Z', 'contentLength', {size}, 'httpStatusCode', 200))
    """
