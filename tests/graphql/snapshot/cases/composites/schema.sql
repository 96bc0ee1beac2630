create type spot as (lat float8, lon float8);
create type address as (street text, zip varchar(5), spot spot, tags text[]);
create table place (id int primary key, address address, others address[]);
comment on schema public is '@graphql({"inflect_names": true})';
insert into place values
  (1, row('High "Street", 1', '12345', row(1.5, 2), '{a,b}')::address, array[row('x', null, null, null), null]::address[]),
  (2, row(null, null, null, null)::address, '{}'),
  (3, null, null);
grant all on place to anon;
