create table tenant (id int primary key, name text);
create table author (tenant_id int references tenant, id int, name text, primary key (tenant_id, id));
create table book (tenant_id int, id int, author_id int, title text, primary key (tenant_id, id),
  foreign key (tenant_id, author_id) references author);
create table genre (tenant_id int, id int, name text, primary key (tenant_id, id));
create table book_genre (tenant_id int, book_id int, genre_id int, primary key (tenant_id, book_id, genre_id),
  foreign key (tenant_id, book_id) references book, foreign key (tenant_id, genre_id) references genre);
comment on table tenant is '@graphql({"distribution_column": "id"})';
comment on table author is '@graphql({"distribution_column": "tenant_id"})';
comment on table book is '@graphql({"distribution_column": "tenant_id"})';
comment on table genre is '@graphql({"distribution_column": "tenant_id"})';
comment on table book_genre is '@graphql({"distribution_column": "tenant_id", "junction": true})';
comment on schema public is '@graphql({"inflect_names": true})';
insert into tenant values (1, 'one'), (2, 'two');
insert into author values (1, 1, 'Ann'), (1, 2, 'Ben'), (2, 1, 'Cleo');
insert into book values (1, 1, 1, 'A'), (1, 2, 1, 'B'), (1, 3, 2, 'C'), (2, 1, 1, 'D');
insert into genre values (1, 1, 'odd'), (2, 1, 'even');
insert into book_genre values (1, 1, 1), (1, 2, 1), (2, 1, 1);
grant select, insert, update, delete on all tables in schema public to anon, authenticated;
