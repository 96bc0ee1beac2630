create table author (id int primary key, name text);
create table book (id int primary key, author_id int references author, pages int, price numeric, title text, published date);
comment on table book is '@graphql({"aggregate": {"enabled": true}, "totalCount": {"enabled": true}})';
insert into author values (1, 'Ann'), (2, 'Bob');
insert into book values (1, 1, 100, 9.50, 'A', '2020-01-01'), (2, 1, 300, null, 'B', '2021-01-01'), (3, null, 50, 1, 'C', null);
grant select on author, book to anon;
