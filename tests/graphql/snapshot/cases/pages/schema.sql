create table n (a int, b int, primary key (a, b));
insert into n select i / 3, i % 3 from generate_series(0, 8) i;
grant select on n to anon;
