create table account (id int primary key, data jsonb, log json);
insert into account values
  (1, '{"name": "Ann", "tags": ["a", "b"], "age": 30, "on": true}', '{"last": ["in", "out"]}'),
  (2, '{"name": "Ben", "tags": [], "age": "30"}', null),
  (3, null, '[]');
comment on schema public is '@graphql({"inflect_names": true})';
grant select on account to anon;
