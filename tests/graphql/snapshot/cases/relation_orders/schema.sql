create table account (id int primary key, email text not null unique, name text);
create table profile (account_id int primary key references account, bio text);
create table post (id int primary key, account_id int not null references account, title text not null, score numeric);
create table comment (id int primary key, post_id int not null references post, account_id int references account, body text);
create view latest as select id, account_id, title from post;
comment on schema public is '@graphql({"inflect_names": true})';
comment on table account is '@graphql({"aggregate": {"enabled": true}})';
comment on table post is '@graphql({"aggregate": {"enabled": true}, "totalCount": {"enabled": true}})';
comment on view latest is '@graphql({"primary_key_columns": ["id"], "foreign_keys": [{"local_columns": ["title"],
  "foreign_schema": "public", "foreign_table": "comment", "foreign_columns": ["body"], "foreign_name": "echo"}]})';
create function full_name(account) returns text stable language sql as 'select upper($1.name)';
comment on function full_name is '@graphql({"orderBy": true})';
create function anyone() returns setof post stable language sql as 'select * from post';
insert into account (id, email, name) values (1, 'a@x', 'Ann'), (2, 'b@x', 'Ben'), (3, 'c@x', null);
insert into profile values (1, 'hello'), (3, null);
insert into post values (1, 1, 'one', 5), (2, 1, 'two', null), (3, 2, 'three', 7), (4, 3, 'four', 1);
insert into comment values (1, 1, 2, 'one'), (2, 1, null, 'four'), (3, 3, 1, 'one');
grant select on all tables in schema public to anon;
