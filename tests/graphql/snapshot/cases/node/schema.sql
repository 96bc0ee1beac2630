create table "Odd Name" (id int primary key);
comment on table "Odd Name" is '@graphql({"name": "Odd"})';
create table pair (a text, b bigint, note text, primary key (a, b));
insert into "Odd Name" values (7);
insert into pair values ('x"y', 9007199254740993, 'found');
grant select on all tables in schema public to anon;
