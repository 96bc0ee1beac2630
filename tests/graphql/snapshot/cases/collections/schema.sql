comment on schema public is '@graphql({"inflect_names": true})';
create table account (id int primary key, email text not null);
create table blog_post (id int primary key, account_id int not null references account, title text);
comment on table account is '@graphql({"totalCount": {"enabled": true}})';
insert into account select i, 'user' || i || '@example.com' from generate_series(1, 5) i;
insert into blog_post select i, 1 + i % 3, 'Post ' || i from generate_series(1, 9) i;
grant select on all tables in schema public to anon;
