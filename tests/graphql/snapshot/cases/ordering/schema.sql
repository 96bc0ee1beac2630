create table item (id int primary key, rank int, label text);
insert into item values (1, 2, 'b'), (2, null, 'a'), (3, 1, 'b'), (4, 2, null), (5, null, 'b');
grant select on item to anon;
