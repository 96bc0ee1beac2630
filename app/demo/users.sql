-- Where sign-in for development is installed: the members are users, without a password yet, and a new user is a member.
do $users$
begin
  if to_regclass('auth.users') is null
    or exists (select from pg_trigger where tgname = 'add_member' and tgrelid = to_regclass('auth.users'))
  then
    return;
  end if;

  insert into auth.users (id, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data)
    select id, email, now(), '{"provider": "email", "providers": ["email"]}', jsonb_build_object('name', name)
    from public.member on conflict do nothing;

  create function portico_demo.add_member() returns trigger language plpgsql security definer set search_path = '' as $add$
  begin
    insert into public.member (id, name, email)
      values (new.id, coalesce(new.raw_user_meta_data ->> 'name', split_part(new.email, '@', 1)), new.email)
      on conflict do nothing;
    return new;
  end $add$;
  create trigger add_member after insert on auth.users for each row execute function portico_demo.add_member();
end
$users$;
