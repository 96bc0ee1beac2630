"""A snapshot case: its SQL is the one that was reviewed, and so is the answer of a real database."""

from __future__ import annotations

from collections.abc import Callable

from syrupy.assertion import SnapshotAssertion

from app.errors import PorticoError
from app.graphql.values.values import Readings, Steering
from app.pipeline.parse import parse
from app.pipeline.plan import make_plan
from app.pipeline.records import GraphQLRequest
from tests.graphql.door import Door
from tests.graphql.snapshot.case import Case
from tests.graphql.snapshot.readable import Answer, Statements
from tests.postgres_server import PostgresServer


def check(
    case: Case,
    open_door: Callable[..., Door],
    reading_door: Callable[..., Door],
    postgres: PostgresServer,
    snapshot: SnapshotAssertion,
) -> None:
    # Cases that change nothing share their folder's database.
    door = (reading_door if case.only_reads else open_door)(case.schema, **case.settings)
    operation = case.notes.get("operation")
    answer = door.ask(case.query, case.variables, role=case.role, operation=operation)
    rows = postgres.execute(case.notes["after"], door.database_url) if "after" in case.notes else None
    assert (_statements(case, door), rows) == snapshot(extension_class=Statements)
    assert answer.body == snapshot(extension_class=Answer)


def _statements(case: Case, door: Door) -> list[tuple[str, list[str | None]]]:
    """The statements that the case's query becomes, with their parameters; none if it cannot be planned."""
    engine = door.application.services.engine
    try:
        request = GraphQLRequest(case.query, case.variables, case.notes.get("operation"))
        parsed = parse(request, engine)
        api = engine.role_schemas.of_role(case.role)
        plan = make_plan(parsed.document, api, parsed.variables, Steering())
    except PorticoError:
        return []
    readings = Readings(parsed.variables)
    return [
        (planned.statement.sql, [_text(each.value(readings)) for each in planned.parameters])
        for planned in plan.statements
    ]


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
