create table account (id int primary key, email text not null unique, name text, hits int, tags text[], data jsonb);
insert into account values (1, 'a@x', 'Ann', 5, '{a}', '{"a": 1}'), (2, 'b@x', 'Ben', 0, null, null);
create table membership (account_id int, team_id int, role text, primary key (account_id, team_id));
insert into membership values (1, 2, 'lead');
grant all on all tables in schema public to anon;
