create table account (id int primary key, email text);
insert into account select i, 'a' || i from generate_series(1, 3) i;
grant select on account to anon;
