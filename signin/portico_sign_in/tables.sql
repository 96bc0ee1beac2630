-- The tables of sign-in in development, in the shape that policies, triggers and foreign keys of Supabase projects expect.
-- A table auth.users of another service is not touched.

do $sign_in$
begin
  if to_regnamespace('auth') is null or to_regrole('service_role') is null then
    raise exception 'the schema auth or the role service_role is missing' using hint = 'Run portico init.';
  end if;
  if to_regclass('auth.users') is not null then
    if obj_description('auth.users'::regclass, 'pg_class') is distinct from 'Users of the sign-in of Portico in development'
    then
      raise exception 'the table auth.users belongs to another service'
        using hint = 'Use that service, and set JWT_JWKS or JWT_SECRET to its key.';
    end if;
    return;
  end if;

  create table auth.users (
    instance_id uuid,
    id uuid primary key default gen_random_uuid(),
    aud varchar(255) default 'authenticated',
    role varchar(255) default 'authenticated',
    email varchar(255),
    encrypted_password varchar(255),
    email_confirmed_at timestamptz,
    invited_at timestamptz,
    confirmation_token varchar(255),
    confirmation_sent_at timestamptz,
    recovery_token varchar(255),
    recovery_sent_at timestamptz,
    email_change_token_new varchar(255),
    email_change varchar(255),
    email_change_sent_at timestamptz,
    email_change_token_current varchar(255) default '',
    email_change_confirm_status smallint default 0,
    last_sign_in_at timestamptz,
    raw_app_meta_data jsonb,
    raw_user_meta_data jsonb,
    is_super_admin boolean,
    created_at timestamptz default now(),
    updated_at timestamptz default now(),
    phone text unique,
    phone_confirmed_at timestamptz,
    phone_change text default '',
    phone_change_token varchar(255) default '',
    phone_change_sent_at timestamptz,
    confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
    banned_until timestamptz,
    reauthentication_token varchar(255) default '',
    reauthentication_sent_at timestamptz,
    is_sso_user boolean not null default false,
    deleted_at timestamptz,
    is_anonymous boolean not null default false
  );
  comment on table auth.users is 'Users of the sign-in of Portico in development';
  create unique index users_email_key on auth.users (lower(email));

  create table auth.sessions (
    id uuid primary key,
    user_id uuid not null references auth.users on delete cascade,
    refreshes integer not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  comment on table auth.sessions is 'Sessions: the claim session_id of tokens, and the number of the valid refresh token';
  create index sessions_user_id_idx on auth.sessions (user_id);

  revoke all on auth.users, auth.sessions from public, anon, authenticated;
  grant usage on schema auth to service_role;
  grant select, insert, update, delete on auth.users, auth.sessions to service_role;
end
$sign_in$;
