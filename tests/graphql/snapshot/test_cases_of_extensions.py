"""The snapshot cases that need an extension."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.graphql.conftest import StartApi
from tests.graphql.snapshot.case import Case, all_cases
from tests.graphql.snapshot.checking import check
from tests.postgres_server import PostgresServer

CASES = [each for each in all_cases() if each.needs]


@pytest.fixture(scope="module")
def postgres(request: pytest.FixtureRequest, postgres_with: Callable[[str], PostgresServer]) -> PostgresServer:
    return postgres_with(request.param)


@pytest.mark.parametrize(
    ("postgres", "case"),
    [pytest.param(each.needs, each, id=each.name) for each in CASES],
    indirect=["postgres"],
)
def test_case(
    case: Case, start_api: StartApi, reading_api: StartApi, postgres: PostgresServer, snapshot: SnapshotAssertion
) -> None:
    check(case, start_api, reading_api, postgres, snapshot)
