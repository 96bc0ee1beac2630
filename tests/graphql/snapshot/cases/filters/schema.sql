comment on schema public is '@graphql({"inflect_names": true})';
create type mood as enum ('happy', 'so so', 'sad');
comment on type mood is '@graphql({"mappings": {"so so": "so_so"}})';
create table thing (
  id int primary key, name varchar(10), score numeric(6, 2), big bigint, seen timestamptz, token uuid, good boolean,
  mood mood, tags text[], sizes int[], span int4range, doc jsonb
);
insert into thing values
  (1, 'Anna', 1.50, 9007199254740993, '2026-01-02 03:04:05+00', '00000000-0000-0000-0000-000000000001', true, 'happy',
   '{red,blue}', '{1,2}', '[1,5)', '{"a": 1}'),
  (2, 'Bob', -2.25, 2, '2026-06-01 00:00:00+00', '00000000-0000-0000-0000-000000000002', false, 'so so', '{red}', '{}',
   '[5,9)', null),
  (3, null, null, null, null, null, null, null, null, null, null, null);
grant select on thing to anon;
