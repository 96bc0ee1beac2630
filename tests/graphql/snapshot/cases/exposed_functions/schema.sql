create type mood as enum ('sad', 'happy');
create table account (id int primary key, name text, mood mood);
insert into account values (1, 'Ann', 'sad'), (2, 'Ben', 'happy');
create function statistics(one mood default null) returns table (mood mood, number bigint) language sql stable
  as 'select mood, count(*) from account where mood = coalesce(one, mood) group by mood order by mood';
create function pick(a int) returns int language sql stable as 'select a';
create function pick(b text default 'x', c int default 3) returns setof int language sql stable
  as 'select n from generate_series(1, c) n';
create function greeting(account, word text default 'Hello') returns text language sql stable
  as $$ select word || ' ' || $1.name $$;
comment on function statistics is '@graphql({"expose": true})';
comment on function pick(text, int) is '@graphql({"expose": true})';
comment on function greeting is '@graphql({"expose": true})';
grant select on account to anon;
