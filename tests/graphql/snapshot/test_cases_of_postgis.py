"""The snapshot cases that need a server with PostGIS."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.graphql.conftest import OpenDoor
from tests.graphql.snapshot.case import Case, all_cases
from tests.graphql.snapshot.checking import check
from tests.postgres_server import PostgresServer
from tests.system_postgres import server_with

CASES = [each for each in all_cases() if each.needs == "postgis"]


@pytest.fixture(scope="module")
def postgres(postgres: PostgresServer) -> Iterator[PostgresServer]:
    with server_with("postgis", postgres) as server:
        yield server


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(
    case: Case, open_door: OpenDoor, reading_door: OpenDoor, postgres: PostgresServer, snapshot: SnapshotAssertion
) -> None:
    check(case, open_door, reading_door, postgres, snapshot)
