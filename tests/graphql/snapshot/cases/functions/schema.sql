create table account (id serial primary key, email text not null, age int);
comment on table account is '@graphql({"totalCount": {"enabled": true}})';
insert into account (email, age) values ('a@x', 30), ('b@x', 40), ('c@x', null);
create function add_up(a int, b int default 5, c int default 100) returns int language sql immutable as 'select a + b + c';
create function doubled(numbers int[]) returns bigint[] language sql immutable as
  'select array_agg(2 * n) from unnest(numbers) n';
create function joined(variadic words text[]) returns text language sql immutable as $$ select array_to_string(words, '-') $$;
create function document() returns jsonb language sql stable as $$ select '{"a": 1}'::jsonb $$;
create function by_email(address text) returns account language sql stable as
  'select * from account where email = address';
create function oldest() returns setof account language sql stable rows 1 as
  'select * from account order by age desc nulls last';
create function older_than(years int) returns setof account language sql stable as
  'select * from account where age > years';
create function register(address text) returns account language sql volatile as
  'insert into account (email) values (address) returning *';
create function register_two(address text) returns setof account language sql volatile as
  $$ insert into account (email) values (address || '1'), (address || '2') returning * $$;
grant all on account to anon;
grant usage on sequence account_id_seq to anon;
create table log (id serial primary key, account_id int references account, what text);
create function register_two_with_logs(address text) returns setof account language sql volatile as $$
  insert into account (email) values (address || '1'), (address || '2');
  insert into log (account_id, what) select id, email from account where email like address || '%';
  select * from account where email like address || '%' $$;
grant all on log to anon;
grant usage on sequence log_id_seq to anon;
