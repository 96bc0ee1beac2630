-- The demonstration database: the world's cities from GeoNames, and two users who travel.

create type city_size as enum ('town', 'city', 'large_city', 'metropolis');

create table continent (
  code text primary key check (code ~ '^[A-Z]{2}$'),
  name text not null unique
);

create table currency (
  code text primary key check (code ~ '^[A-Z]{3}$'),
  name text not null
);

create table country (
  code text primary key check (code ~ '^[A-Z]{2}$'),
  iso3 text not null unique,
  name text not null unique,
  continent_code text not null references continent,
  currency_code text references currency,
  capital text,
  area_km2 double precision not null,
  population bigint not null,
  languages text[] not null,
  phone_prefix text,
  top_level_domain text
);

create table country_neighbour (
  country_code text references country,
  neighbour_code text references country,
  primary key (country_code, neighbour_code)
);

create table city (
  id integer primary key,
  name text not null,
  country_code text not null references country,
  size city_size not null,
  population integer not null,
  latitude double precision not null,
  longitude double precision not null,
  timezone text not null,
  alternate_names text[] not null
);

create table member (
  id uuid primary key,
  name text not null,
  email text not null unique
);

create table visit (
  id bigint generated always as identity primary key,
  member_id uuid not null default auth.uid() references member,
  city_id integer not null references city,
  visited_on date not null default current_date,
  stars smallint not null check (stars between 1 and 5),
  note text,
  is_public boolean not null default false,
  created_at timestamptz not null default now()
);

create view big_city with (security_invoker = true) as
  select id, name, country_code, population from city where population >= 1000000;

comment on schema public is '@graphql({"inflect_names": true, "introspection": true})';
comment on table continent is '@graphql({"description": "A continent", "totalCount": {"enabled": true}})';
comment on table country is
  '@graphql({"description": "A country or territory", "totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
comment on table city is
  '@graphql({"description": "A city of more than 15,000 people, or a capital", "totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
comment on table visit is
  '@graphql({"description": "A visit of a member to a city: everybody reads public ones, a member all of their own", "totalCount": {"enabled": true}})';
comment on column city.alternate_names is '@graphql({"description": "What the city is called elsewhere"})';
comment on column country.languages is '@graphql({"description": "Codes of the languages spoken, the most spoken one first"})';
comment on constraint country_neighbour_country_code_fkey on country_neighbour is
  '@graphql({"local_name": "neighbours", "foreign_name": "country"})';
comment on constraint country_neighbour_neighbour_code_fkey on country_neighbour is
  '@graphql({"local_name": "neighbourOf", "foreign_name": "neighbour"})';
comment on view big_city is
  '@graphql({"description": "Cities of a million people or more", "primary_key_columns": ["id"], "totalCount": {"enabled": true}, "foreign_keys": [{"local_columns": ["country_code"], "foreign_schema": "public", "foreign_table": "country", "foreign_columns": ["code"], "local_name": "bigCities", "foreign_name": "country"}]})';
