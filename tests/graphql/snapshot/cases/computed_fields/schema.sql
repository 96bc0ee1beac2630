create table account (id int primary key, email text, balance bigint);
create table post (id int primary key, account_id int references account, title text);
comment on table post is '@graphql({"totalCount": {"enabled": true}})';
insert into account values (1, 'a@x', 10), (2, null, null);
insert into post values (1, 1, 'p1'), (2, 1, 'p2'), (3, 1, 'p3');
create function _shout(a account) returns text language sql immutable as $$ select upper(a.email) $$;
create function amounts(a account) returns bigint[] language sql immutable as 'select array[a.balance, 0]';
create function posts(a account) returns setof post language sql stable as 'select * from post where account_id = a.id';
create function newest(a account) returns setof post language sql stable rows 1 as
  'select * from post where account_id = a.id order by id desc';
create function oldest(a account) returns post language sql stable as
  'select * from post where account_id = a.id order by id limit 1';
grant all on account, post to anon;
