-- A database with Citus, imitated by its catalog: tenants by row, a reference table, another column, a local table.
create table country (id int primary key, name text);
create table tenant (id int primary key, name text);
create table author (tenant_id int references tenant, id int, name text, country_id int references country,
  primary key (tenant_id, id));
create table book (tenant_id int, id int, author_id int, title text, stock int default 0, primary key (tenant_id, id),
  foreign key (tenant_id, author_id) references author);
create table device (id int primary key, tenant_id int references tenant, label text);
create table visit (tenant_id int, id int, day date, tags text[], primary key (tenant_id, day, id)) partition by range (day);
create table some_visit partition of visit default;
create table label (tenant_id int, id int, code text, primary key (tenant_id, id), unique (tenant_id, code));
create table tag (tenant_id int, id int, code text, primary key (tenant_id, id),
  foreign key (tenant_id, code) references label (tenant_id, code));
create view short_book with (security_invoker = true) as select * from book where length(title) < 3;
create function books_of(tenant int) returns setof book language sql stable as
  'select * from book where tenant_id = tenant';
create function mark(book book, by int) returns book language sql as
  'update book b set stock = b.stock + by where b.tenant_id = $1.tenant_id and b.id = $1.id returning *';
comment on function mark is '@graphql({"expose": true})';
comment on table visit is '@graphql({"aggregate": {"enabled": true}})';
comment on view short_book is '@graphql({"distribution_column": "tenant_id", "primary_key_columns": ["tenant_id", "id"]})';
comment on schema public is '@graphql({"inflect_names": true})';
insert into country values (1, 'Norway');
insert into tenant values (1, 'one'), (2, 'two');
insert into author values (1, 1, 'Ann', 1), (1, 2, 'Ben', null), (2, 1, 'Cleo', 1);
insert into book values (1, 1, 1, 'A'), (1, 2, 1, 'B'), (1, 3, 2, 'C'), (2, 1, 1, 'D');
insert into device values (1, 1, 'lamp');
insert into visit values (1, 1, '2020-01-02', '{a}'), (1, 2, '2020-03-04', null), (2, 1, '2021-05-06', '{}');
grant select, insert, update, delete on all tables in schema public to anon, authenticated;
alter table book enable row level security;
create policy everything on book using (true);

create schema graphql;
grant usage on schema graphql to public;
create function graphql.set_local(names text[], vals text[]) returns void language plpgsql as $$
begin
  for n in 1 .. cardinality(names) loop execute format('set local %I = %L', names[n], vals[n]); end loop;
end $$;
set allow_system_table_mods = on;
create table pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid int,
  repmodel "char");
grant select on pg_catalog.pg_dist_partition to public;
create function pg_catalog.column_to_column_name(regclass, text) returns text language sql stable as
  'select attname::text from pg_catalog.pg_attribute where attrelid = $1 and attnum = $2::int';
insert into pg_catalog.pg_dist_partition values
  ('country', 'n', null, 1, 't'), ('tenant', 'h', '1', 2, 's'), ('author', 'h', '1', 2, 's'),
  ('book', 'h', '1', 2, 's'), ('device', 'h', '1', 3, 's'),
  ('label', 'h', '1', 2, 's'), ('tag', 'h', '1', 2, 's'),
  ('visit', 'h', '1', 2, 's'), ('some_visit', 'h', '1', 2, 's');
