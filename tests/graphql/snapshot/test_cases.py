"""Every snapshot case but those that need an extension."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.graphql.conftest import StartApi
from tests.graphql.snapshot.case import Case, all_cases
from tests.graphql.snapshot.checking import check
from tests.postgres_server import PostgresServer

CASES = [each for each in all_cases() if not each.needs]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(
    case: Case, start_api: StartApi, reading_api: StartApi, postgres: PostgresServer, snapshot: SnapshotAssertion
) -> None:
    check(case, start_api, reading_api, postgres, snapshot)
