comment on schema public is '@graphql({"introspection": true})';
create table account (id int primary key, email text not null);
grant select on account to anon;
