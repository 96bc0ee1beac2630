-- What DROP EXTENSION portico does, where Portico was installed by `portico init`: the working parts go; roles, grants,
-- auth and storage stay, since policies and data depend on them.

drop event trigger if exists portico_count_ddl;
drop event trigger if exists portico_count_drop;
drop view if exists graphql.missing;
drop view if exists graphql.private_relations;
drop view if exists graphql.storage_damage;
drop view if exists graphql.available_extensions;
drop function if exists graphql.assert_schema_version(bigint);
drop function if exists graphql.set_local(text[], text[]);
drop function if exists graphql.schema_version();
drop function if exists graphql.count_drop();
drop function if exists graphql.count_ddl();
drop function if exists graphql.count_change();
drop table if exists graphql.installation;
drop table if exists graphql.changed_object;
drop table if exists graphql.schema_change;
do $$
begin
  drop schema if exists graphql;
exception when dependent_objects_still_exist then
  null;  -- something of somebody else is in it
end
$$;
