create extension postgis;
create table region (id int primary key, name text, area geometry(polygon, 4326));
create table place (id int primary key, region_id int references region, name text, spot geography(point));
comment on schema public is '@graphql({"inflect_names": true})';
insert into region values (1, 'east', 'srid=4326;polygon((16 48, 17 48, 17 49, 16 49, 16 48))'), (2, 'none', null);
insert into place values (1, 1, 'Vienna', 'point(16.37 48.21)'), (2, 1, 'Schwechat', 'point(16.48 48.14)'), (3, 1, 'Atlantis', null);
grant select on region, place to anon;
