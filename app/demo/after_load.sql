-- Steps that are faster, or only possible, after the rows are loaded.

create index on country (continent_code);
create index on country (currency_code);
create index on country_neighbour (neighbour_code);
create index on city (country_code, population desc);
create index on city (population desc);
create index on city (name);
create index on visit (member_id);
create index on visit (city_id);

create materialized view country_population as
  select country.code as country_code, count(city.id) as cities, coalesce(sum(city.population), 0) as in_cities,
         country.population as total
  from country left join city on city.country_code = country.code
  group by country.code;
create unique index on country_population (country_code);
comment on materialized view country_population is
  '@graphql({"description": "How many people of a country live in its cities", "primary_key_columns": ["country_code"], "foreign_keys": [{"local_columns": ["country_code"], "foreign_schema": "public", "foreign_table": "country", "foreign_columns": ["code"], "local_name": "cityPopulations", "foreign_name": "country"}]})';

insert into member (id, name, email) values
  ('aaaaaaaa-0000-4000-8000-000000000001', 'Ada', 'ada@example.com'),
  ('bbbbbbbb-0000-4000-8000-000000000002', 'Ben', 'ben@example.com');

insert into visit (member_id, city_id, visited_on, stars, note, is_public)
  select member.id, city.id, trip.visited_on, trip.stars, trip.note, trip.is_public
  from (values
    ('Ada', 'Paris', 'FR', date '2025-04-11', 5, 'Stayed a week longer than planned', true),
    ('Ada', 'Kyoto', 'JP', date '2025-11-02', 5, 'The surprise for Ben is booked', false),
    ('Ada', 'Nairobi', 'KE', date '2026-02-20', 4, 'Giraffes behind the airport', true),
    ('Ben', 'Lima', 'PE', date '2025-06-30', 4, 'Best lunch of the year', true),
    ('Ben', 'Oslo', 'NO', date '2026-01-15', 3, 'Looked for a flat, told nobody yet', false)
  ) as trip (member, city, country, visited_on, stars, note, is_public)
  join member on member.name = trip.member
  cross join lateral (
    select id from city where city.name = trip.city and country_code = trip.country order by population desc limit 1
  ) as city
  order by member.name, trip.visited_on;

alter table visit enable row level security;
create policy public_ones on visit for select to anon, authenticated using (is_public);
create policy own on visit to authenticated using (member_id = auth.uid()) with check (member_id = auth.uid());

alter table member enable row level security;
create policy members on member for select to authenticated using (true);

revoke all on all tables in schema public from anon, authenticated;
grant usage on schema public to anon, authenticated, service_role;
grant select on continent, currency, country, country_neighbour, city, big_city, country_population, visit
  to anon, authenticated;
grant select on member to authenticated;
grant insert, update, delete on visit to authenticated;
grant all on all tables in schema public to service_role;
grant usage on all sequences in schema public to authenticated, service_role;

create schema portico_demo;
create table portico_demo.loaded (at timestamptz not null default now());
insert into portico_demo.loaded default values;
