create table account (id int primary key, email text);
create table post (id int primary key, account_id int references account on delete cascade, title text);
create function _post_count(a account) returns bigint language sql stable as
  'select count(*) from post where account_id = a.id';
insert into account values (1, 'a@x'), (2, 'b@x');
insert into post values (1, 1, 'p1'), (2, 1, 'p2'), (3, 2, 'p3');
grant all on account, post to anon;
