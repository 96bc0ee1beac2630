create table account (id int primary key, email text not null);
create table entry (account_id int references account, what text, at int);
create view summary as select count(*)::int as accounts, max(email) as last from account;
insert into account values (1, 'a@x'), (2, 'b@x');
insert into entry values (1, 'first', 1), (2, 'second', 2);
create function shout(entry) returns text language sql stable as 'select upper($1.what)';
create function last_entry() returns entry language sql stable as 'select * from entry order by at desc limit 1';
create function no_entry() returns entry language sql stable as 'select null::entry';
create function one_entry() returns setof entry language sql stable rows 1 as 'select * from entry order by at';
create function all_entries() returns setof entry language sql stable as 'select * from entry';
create function write_entry(what text) returns entry language sql volatile as
  'insert into entry values (1, what, 9) returning *';
create function summed_up() returns summary language sql stable as 'select * from summary';
comment on schema public is '@graphql({"introspection": true})';
grant select on account to anon;
grant select, insert on entry to anon;
grant select (accounts) on summary to anon;
