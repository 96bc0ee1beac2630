comment on schema public is '@graphql({"inflect_names": true})';
create table person (id int primary key, name text not null, boss_id int references person);
create table passport (person_id int primary key references person, number text);
create table message (
  id int primary key, sender_id int not null references person, reader_id int references person, words text
);
create table region (country text, code text, primary key (country, code));
create table town (id int primary key, country text, region_code text, foreign key (country, region_code) references region);
create view busy as select sender_id as id, count(*) as messages from message group by sender_id;
comment on view busy is '@graphql({"primary_key_columns": ["id"], "foreign_keys": [{"local_columns": ["id"], "foreign_schema": "public", "foreign_table": "person", "foreign_columns": ["id"], "foreign_name": "who", "local_name": "activity"}]})';
insert into person values (1, 'Ada', null), (2, 'Ben', 1), (3, 'Cid', 1);
insert into passport values (1, 'P1');
insert into message values (1, 1, 2, 'hi'), (2, 2, 1, 'hello'), (3, 1, null, 'anyone?');
insert into region values ('AT', 'W'); insert into town values (1, 'AT', 'W'), (2, null, null);
grant select on all tables in schema public to anon;
