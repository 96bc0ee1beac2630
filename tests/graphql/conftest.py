"""GraphQL APIs on databases that a test creates, each with a test client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.postgres_server import PostgresServer

ROLES = """
do $$ declare role text; begin
  foreach role in array array['anon', 'authenticated', 'service_role bypassrls'] loop
    begin
      execute 'create role ' || role || ' nologin noinherit';
    exception when duplicate_object or unique_violation then null;
    end;
  end loop;
end $$;
"""
"""The roles that the service takes on, as the installation makes them, and nothing else of what it brings."""

StartApi = Callable[..., Api]


@pytest.fixture
def start_api(postgres: PostgresServer) -> Iterator[StartApi]:
    """``start_api(sql, **settings)``: the API of a new database created by ``sql``; its URL is ``api.database_url``."""
    opened: list[Api] = []

    def make(sql: str = "", **settings: Any) -> Api:
        url = postgres.create_database(sql=ROLES + sql)
        opened.append(Api(url, **settings))
        return opened[-1]

    yield make
    for api in opened:
        api.close()
        postgres.drop_database(api.database_url)


@pytest.fixture(scope="module")
def reading_api(postgres: PostgresServer) -> Iterator[StartApi]:
    """Like ``start_api``, for tests that change nothing: a file's tests share one API for the same SQL and settings.

    Not more than a file's, since each API keeps connections, and a server has a limited number.
    """
    opened: dict[object, Api] = {}
    urls: dict[str, str] = {}

    def get(sql: str = "", **settings: Any) -> Api:
        key = sql, *sorted(settings.items())
        if key not in opened:
            if sql not in urls:
                # Used once, so a template would only be a second database to create.
                urls[sql] = postgres.create_database()
                postgres.execute(ROLES + sql, urls[sql])
            opened[key] = Api(urls[sql], **settings)
            # Nothing changes, and many APIs that poll for changes would keep the server busy.
            opened[key].application.services.poller.close()
        return opened[key]

    yield get
    for api in opened.values():
        api.close()
    for url in urls.values():
        postgres.drop_database(url)


@pytest.fixture
def writing_api(reading_api: StartApi, postgres: PostgresServer) -> StartApi:
    """``writing_api(sql, rows, **settings)``: a shared API, for tests that change nothing but rows.

    ``rows`` is SQL that puts them back as they were; it runs here.
    """

    def get(sql: str, rows: str, **settings: Any) -> Api:
        api = reading_api(sql, **settings)
        postgres.execute(rows, api.database_url)
        return api

    return get
