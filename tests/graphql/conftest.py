"""Doors: services on databases that a test creates, with a test client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.graphql.door import Door
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

OpenDoor = Callable[..., Door]


@pytest.fixture
def open_door(postgres: PostgresServer) -> Iterator[OpenDoor]:
    """``open_door(sql, **settings)``: a door to a new database created by ``sql``; its URL is ``door.database_url``."""
    opened: list[Door] = []

    def make(sql: str = "", **settings: Any) -> Door:
        url = postgres.create_database(sql=ROLES + sql)
        opened.append(Door(url, **settings))
        return opened[-1]

    yield make
    for door in opened:
        door.close()
        postgres.drop_database(door.database_url)


@pytest.fixture(scope="module")
def reading_door(postgres: PostgresServer) -> Iterator[OpenDoor]:
    """Like ``open_door``, for tests that change nothing: a file's tests share one door for the same SQL and settings.

    Not more than a file's, since each door keeps connections, and a server has a limited number.
    """
    opened: dict[object, Door] = {}
    urls: dict[str, str] = {}

    def get(sql: str = "", **settings: Any) -> Door:
        key = sql, *sorted(settings.items())
        if key not in opened:
            if sql not in urls:
                # Used once, so a template would only be a second database to create.
                urls[sql] = postgres.create_database()
                postgres.execute(ROLES + sql, urls[sql])
            opened[key] = Door(urls[sql], **settings)
            # Nothing changes, and many doors that poll for changes would keep the server busy.
            opened[key].application.services.poller.close()
        return opened[key]

    yield get
    for door in opened.values():
        door.close()
    for url in urls.values():
        postgres.drop_database(url)


@pytest.fixture
def writing_door(reading_door: OpenDoor, postgres: PostgresServer) -> OpenDoor:
    """``writing_door(sql, rows, **settings)``: a shared door, for tests that change nothing but rows.

    ``rows`` is SQL that puts them back as they were; it runs here.
    """

    def get(sql: str, rows: str, **settings: Any) -> Door:
        door = reading_door(sql, **settings)
        postgres.execute(rows, door.database_url)
        return door

    return get
