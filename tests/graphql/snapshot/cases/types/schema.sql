create schema other; create type other.hidden as enum ('x');
create domain positive as int check (value > 0);
create table every (
  id int primary key, i2 int2, i8 int8, f4 float4, f8 float8, num numeric(8, 3), flag bool, t text, c char(3), v varchar(5),
  u uuid, d date, tm time, ts timestamp, tstz timestamptz, j json, jb jsonb, e other.hidden, dom positive, iv interval,
  b bytea, net inet, nums numeric[], bigs int8[], docs jsonb[], words text[], grid int[]
);
insert into every values (1, 2, 9007199254740993, 1.5, 'NaN', 12.340, true, 'é', 'ab', 'v', '00000000-0000-0000-0000-00000000000a',
  '2026-11-21', '12:34:56.7', '2026-11-21 12:34:56', '2026-11-21 12:34:56+02', '{"a": [1]}', '"text"', 'x', 3, '1 day 02:00',
  '\xdead', '10.0.0.1/8', '{1.10,null}', '{9007199254740993}', array['{"a": 1}'::jsonb], '{a,"b c"}', '{{1,2},{3,4}}');
grant select on every to anon; set timezone to 'UTC';
