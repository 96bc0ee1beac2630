create table account (id int primary key, email text not null unique, name text, hits int not null default 0);
create unique index account_lower on account (lower(email)) where hits > 0;
insert into account values (1, 'a@x', 'Ann', 5), (2, 'b@x', 'Ben', 0);
create table part (id int, region text, n int, primary key (id, region)) partition by list (region);
create table part_a partition of part for values in ('a');
insert into part values (1, 'a', 1);
grant all on all tables in schema public to anon;
