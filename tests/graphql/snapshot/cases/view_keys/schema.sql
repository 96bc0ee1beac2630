create table account (id int primary key, email text not null unique);
create table post (id int primary key, account_id int not null references account, title text);
create view writer as select id, upper(email) as address from account;
create view headline as select id as number, account_id as writer_id, left(title, 2) as short from post;
comment on schema public is '@graphql({"inflect_names": true})';
insert into account values (1, 'a@x'), (2, 'b@x');
insert into post values (1, 1, 'one'), (2, 1, 'two'), (3, 2, 'three');
grant select on all tables in schema public to anon;
