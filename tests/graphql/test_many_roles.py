"""The schemas of many roles with different rights are kept at the same time."""

from __future__ import annotations

from app.graphql.schema.role_schemas import KEPT
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

NAMES = [f"one_of_many_{number}" for number in range(KEPT + 10)]


def test_more_schemas_of_small_databases_are_kept(start_api: StartApi, postgres: PostgresServer) -> None:
    comments = (
        f"""comment on role {each} is '@graphql({{"max_rows": {number + 1}}})'""" for number, each in enumerate(NAMES)
    )
    postgres.execute("; ".join([*(f"create role {each}" for each in NAMES), *comments]))
    try:
        api = start_api("create table item (id int primary key); grant select on item to public", api_roles=NAMES)
        schemas = api.application.services.engine.role_schemas
        built = [schemas.of_role(each).serial for each in NAMES]
        assert len(set(built)) == len(NAMES)
        assert [schemas.of_role(each).serial for each in NAMES] == built
    finally:
        postgres.execute("; ".join(f"drop role {each}" for each in NAMES))
