create table account (id int primary key, email text);
create table "Mixed Key" ("A b" int, c text, "Value" text, primary key ("A b", c));
comment on table "Mixed Key" is '@graphql({"name": "Mixed"})';
comment on column "Mixed Key"."A b" is '@graphql({"name": "ab"})';
insert into account values (1, 'a@x');
insert into "Mixed Key" values (1, 'x', 'v');
grant select on account, "Mixed Key" to anon;
