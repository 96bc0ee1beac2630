"""The minimal support objects: a function that returns the number of schema changes, and triggers that count them."""

COUNTING = """
create schema graphql;
create table graphql.counted (changes bigint);
insert into graphql.counted values (1);
create function graphql.schema_version() returns bigint language sql stable as
  $$ select changes from graphql.counted $$;
create function graphql.count() returns event_trigger language plpgsql security definer as
  $$ begin update graphql.counted set changes = changes + 1; end $$;
grant usage on schema graphql to public;
grant select on graphql.counted to public;
create event trigger counts on ddl_command_end execute function graphql.count();
create event trigger counts_drops on sql_drop execute function graphql.count();
"""
