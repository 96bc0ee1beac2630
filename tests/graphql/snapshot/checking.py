"""A snapshot case: its SQL is the one that was reviewed, and so is the answer of a real database."""

from __future__ import annotations

from collections.abc import Callable

from syrupy.assertion import SnapshotAssertion

from app.errors import PorticoError
from app.graphql.values.values import Readings, Steering
from app.pipeline.parse import parse
from app.pipeline.plan import make_plan
from app.pipeline.records import GraphQLRequest
from tests.graphql.api import Api
from tests.graphql.snapshot.case import Case
from tests.graphql.snapshot.readable import Answer, Statements
from tests.postgres_server import PostgresServer


def check(
    case: Case,
    start_api: Callable[..., Api],
    reading_api: Callable[..., Api],
    postgres: PostgresServer,
    snapshot: SnapshotAssertion,
) -> None:
    # Cases that change nothing share their folder's database.
    api = (reading_api if case.only_reads else start_api)(case.schema, **case.settings)
    operation = case.notes.get("operation")
    answer = api.ask(case.query, case.variables, role=case.role, operation=operation)
    rows = postgres.execute(case.notes["after"], api.database_url) if "after" in case.notes else None
    assert (_statements(case, api), rows) == snapshot(extension_class=Statements)
    assert answer.body == snapshot(extension_class=Answer)


def _statements(case: Case, api: Api) -> list[tuple[str, list[str | None]]]:
    """The statements that the case's query becomes, with their parameters; none if it cannot be planned."""
    engine = api.application.services.engine
    try:
        request = GraphQLRequest(case.query, case.variables, case.notes.get("operation"))
        parsed = parse(request, engine)
        role_schema = engine.role_schemas.of_role(case.role)
        plan = make_plan(parsed.document, role_schema, parsed.variables, Steering())
    except PorticoError:
        return []
    readings = Readings(parsed.variables)
    return [
        (planned.statement.sql, [_text(each.value(readings)) for each in planned.parameters])
        for planned in plan.statements
    ]


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
