create type mood as enum ('so so', 'fine');
comment on type mood is '@graphql({"mappings": {"so so": "so_so"}})';
create table item (id int primary key, n int, name varchar(8), mood mood, tags text[], flag bool, uid uuid);
insert into item values
  (1, 10, 'apple', 'fine', '{a,b}', true, '00000000-0000-0000-0000-000000000001'), (2, 20, 'Apricot', 'so so', '{b}', false, null),
  (3, null, null, null, null, null, null);
grant select on item to anon;
