create extension vector;
create table maker (id int primary key, name text);
create table item (id int primary key, maker_id int references maker, name text, embedding vector(3));
comment on schema public is '@graphql({"inflect_names": true})';
insert into maker values (1, 'one'), (2, 'two');
insert into item values (1, 1, 'x', '[1,0,0]'), (2, 1, 'y', '[0,1,0]'), (3, 2, 'z', '[0,0,1]'), (4, 2, 'none', null);
grant select on all tables in schema public to anon;
