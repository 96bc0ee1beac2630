comment on schema public is '@graphql({"inflect_names": true})';
create type mood as enum ('sad', 'happy');
comment on type mood is '@graphql({"mappings": {"sad": "BLUE"}})';
create table author (id int primary key, name text not null);
create table book (
  id serial primary key, author_id int references author, title varchar(20) not null default 'untitled', pages int default 100,
  price numeric(5, 2), mood mood, tags text[], extra jsonb);
create function _label(book book) returns text language sql stable as
  $$ select book.title || ' of ' || (select count(*) from book) $$;
insert into author values (1, 'Ann');
insert into book (author_id, title) values (1, 'First');
grant all on author, book to anon;
grant usage on sequence book_id_seq to anon;
