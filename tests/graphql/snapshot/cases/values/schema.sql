create type mood as enum ('so so', 'fine');
comment on type mood is '@graphql({"mappings": {"so so": "so_so"}})';
create table everything (id int primary key, big bigint, amount numeric(10,2), f float8, j jsonb, at timestamptz, mood mood, moods mood[],
  bigs bigint[], words text[], r int4range, i interval);
insert into everything values (1, 9007199254740993, 1.5, 0.1, '{"a": [1.0, null]}', '2020-01-01T00:00:00Z', 'so so', '{"so so",fine}',
  '{9007199254740993,null}', '{"a,b",null}', '[1,5)', '1 day');
grant select on everything to anon;
