create table account (id int primary key, email text not null unique, name text);
create table post (id int primary key, account_id int not null references account, title text not null, score numeric,
  created_at timestamptz not null);
comment on schema public is '@graphql({"inflect_names": true})';
comment on table post is '@graphql({"aggregate": {"enabled": true}})';
insert into account (id, email, name) values (1, 'a@x', 'Ann'), (2, 'b@x', 'Ben'), (3, 'c@x', null);
insert into post values (1, 1, 'one', 5, '2026-01-10Z'), (2, 1, 'two', null, '2026-01-20Z'), (3, 2, 'three', 7, '2026-02-01Z');
grant select on all tables in schema public to anon;
