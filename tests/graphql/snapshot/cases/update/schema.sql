create table account (id int primary key, email text unique, age int, note text);
create table post (id int primary key, account_id int references account, title text);
insert into account values (1, 'a@x', 30, 'n'), (2, 'b@x', 40, 'n'), (3, 'c@x', 50, null);
insert into post values (1, 1, 'p1'), (2, 1, 'p2');
grant all on account, post to anon;
