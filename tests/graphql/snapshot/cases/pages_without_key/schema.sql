create table visit (id int primary key, kind int not null, note text);
insert into visit select k, k % 2, nullif('n' || k % 3, 'n2') from generate_series(1, 8) k;
grant select (kind, note) on visit to anon;
