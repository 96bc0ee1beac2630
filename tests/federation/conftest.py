"""APIs with the plugin of federation/."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.federation.installing import own_plugin
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES, StartApi
from tests.graphql.conftest import start_api as start_api
from tests.postgres_server import PostgresServer
from tests.process.running import REPOSITORY


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "federation"))


@pytest.fixture
def start(start_api: StartApi) -> Callable[..., Api]:
    """``start(sql, **settings)``: the API of a new database, as a subgraph."""

    def start_(sql: str, **settings: Any) -> Api:
        return start_api(sql, plugins=own_plugin(), **settings)

    return start_


@pytest.fixture(scope="module")
def reading(postgres: PostgresServer) -> Iterator[Callable[[str], Api]]:
    """Like ``start``, for tests that change nothing: a file's tests share the API of an SQL."""
    known: dict[str, Api] = {}

    def get(sql: str) -> Api:
        if sql not in known:
            known[sql] = Api(postgres.create_database(sql=ROLES + sql), own_plugin())
        return known[sql]

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPOSITORY / "federation"))
        yield get
    for api in known.values():
        api.close()
        postgres.drop_database(api.database_url)
