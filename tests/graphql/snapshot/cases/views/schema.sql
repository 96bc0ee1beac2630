create table account (id int primary key, email text);
create view person as select id as person_id, email from account;
comment on view person is '@graphql({"primary_key_columns": ["person_id"]})';
create materialized view greeting as select id, 'Hello ' || email as text from account;
comment on materialized view greeting is '@graphql({"primary_key_columns": ["id"], "foreign_keys": [{"local_name": "greetings",
  "local_columns": ["id"], "foreign_name": "to", "foreign_schema": "public", "foreign_table": "person", "foreign_columns": ["person_id"]}]})';
create table event (id int, day date, primary key (id, day)) partition by range (day);
create table event_2020 partition of event for values from ('2020-01-01') to ('2021-01-01');
insert into account values (1, 'a@x'), (2, 'b@x');
insert into event values (1, '2020-05-05');
refresh materialized view greeting;
grant select on all tables in schema public to anon;
