create table item (id int primary key, rank int, name text not null);
comment on table item is '@graphql({"max_rows": 3, "totalCount": {"enabled": true}})';
insert into item values (1, 3, 'b'), (2, null, 'a'), (3, 1, 'b'), (4, 3, 'a'), (5, null, 'c'), (6, 2, 'c'), (7, 1, 'c');
create table pair (a int, b text, primary key (a, b));
insert into pair values (1, 'x'), (1, 'y'), (2, 'x'), (2, 'y');
grant select on item, pair to anon;
