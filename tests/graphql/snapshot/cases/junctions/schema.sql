create table account (id int primary key, name text);
create table team (id int primary key, name text);
create table membership (account_id int references account, team_id int references team, role text,
  primary key (account_id, team_id));
comment on schema public is '@graphql({"inflect_names": true})';
comment on table membership is '@graphql({"junction": true})';
insert into account values (1, 'Ann'), (2, 'Ben'), (3, null);
insert into team values (1, 'red'), (2, 'blue');
insert into membership values (1, 1, 'lead'), (1, 2, null), (2, 1, null);
grant select on all tables in schema public to anon;
