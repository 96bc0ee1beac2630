"""Every snapshot case: its SQL is the one that was reviewed, and so is the answer of a real database."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from app.errors import PorticoError
from app.graphql.values import Steering
from app.pipeline.parse import parse
from app.pipeline.plan import make_plan
from app.pipeline.records import GraphQLRequest
from tests.graphql.door import Door
from tests.graphql.snapshot.case import Case, all_cases
from tests.graphql.snapshot.readable import ReadableExtension
from tests.postgres_server import PostgresServer


@pytest.mark.parametrize("case", list(all_cases()), ids=lambda case: case.name)
def test_case(
    case: Case,
    open_door: Callable[..., Door],
    reading_door: Callable[..., Door],
    postgres: PostgresServer,
    snapshot: SnapshotAssertion,
) -> None:
    # Cases that change nothing share their folder's database.
    door = (reading_door if case.only_reads else open_door)(case.schema, graphql_dialect=case.dialect)
    operation = case.notes.get("operation")
    answer = door.ask(case.query, case.variables, role=case.role, operation=operation)
    seen: dict[str, Any] = {"sql": _sql(case, door), "answer": answer.body}
    if "after" in case.notes:
        seen["after"] = postgres.execute(case.notes["after"], door.database_url)
    assert seen == snapshot(extension_class=ReadableExtension)


def _sql(case: Case, door: Door) -> list[str]:
    """The statements that the case's query becomes; none where it cannot be planned."""
    services = door.application.services
    try:
        request = GraphQLRequest(case.query, case.variables, case.notes.get("operation"))
        parsed = parse(request, services)
        api = services.api_schemas.of_role(case.role)
        plan = make_plan(parsed.document, api, parsed.variables, Steering())
    except PorticoError:
        return []
    return [
        f"{call.statement.sql}\n-- {json.dumps([_text(each.value(parsed.variables)) for each in call.parameters])}"
        for call in plan.calls
    ]


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
