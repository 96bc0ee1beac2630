create table account (id int primary key, name text);
create table post (
  id int primary key, account_id int references account, title varchar(40), body text, score int,
  document tsvector generated always as (to_tsvector('english', coalesce(body, ''))) stored
);
create view page as select id, document from post;
comment on schema public is '@graphql({"inflect_names": true})';
comment on table post is '@graphql({"search": {"columns": ["title", "body"], "config": "english"}})';
comment on view page is '@graphql({"primary_key_columns": ["id"], "search": {"vector": "document", "config": "english"}})';
insert into account values (1, 'Ann'), (2, 'Ben');
insert into post (id, account_id, title, body, score) values
  (1, 1, 'Running home', 'The runners ran a long way', 1), (2, 1, 'Cats', null, 2), (3, 2, 'Dogs', 'Dogs and cats run', 3),
  (4, null, null, null, 4), (5, 2, 'A cat', 'Cats, cats, cats', 5);
grant select on all tables in schema public to anon;
