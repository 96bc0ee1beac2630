"""Goes through every relation that a role sees, and compares all of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from fnmatch import fnmatchcase

from app.pipeline.engine import Engine
from app.verification.aggregating import compare_aggregates, compare_totals
from app.verification.filtering import compare_filters, compare_related_filters
from app.verification.ordering import compare_orders, compare_related_orders
from app.verification.questions import Api
from app.verification.reading import compare_pages, compare_rows, compare_single_rows
from app.verification.relating import compare_relationships
from app.verification.report import Verification
from app.verification.sql import Sql
from app.verification.target import ComparedRelation, Side, target_of
from app.verification.writing import compare_writes

OF_RELATIONS = (
    compare_rows,
    compare_pages,
    compare_orders,
    compare_related_filters,
    compare_related_orders,
    compare_relationships,
    compare_totals,
    compare_aggregates,
)


@dataclass(frozen=True, slots=True)
class Extent:
    """What is compared: the relations whose ``schema.name`` matches the shell pattern ``only``; with ``writes`` also
    mutations, which are rolled back. ``timeout_ms`` bounds each statement of SQL."""

    only: str = "*"
    writes: bool = False
    timeout_ms: int = 20_000


def verify(
    engine: Engine, database_url: str, role: str, extent: Extent, progress: Callable[[str], None] = lambda name: None
) -> Verification:
    """Compare what ``role`` is answered with SQL; ``progress`` is called with the name of each relation.

    Raises PorticoError if the role does not exist or the database cannot be reached.
    """
    schema = engine.role_schemas.of_role(role)
    report = Verification()
    with closing(Sql(database_url, role, timeout_ms=extent.timeout_ms)) as sql:
        side = Side(schema, Api(engine, role), sql, report)
        for relation in schema.relations:
            name = f"{relation.relation.schema}.{relation.relation.name}"
            if fnmatchcase(name, extent.only):
                progress(name)
                target = target_of(side, relation)
                if isinstance(target, ComparedRelation):
                    _compare(target, extent)
                else:
                    report.left_out.append((name, target))
        report.requests = side.api.requests
    return report


def _compare(target: ComparedRelation, extent: Extent) -> None:
    target.side.report.relations += 1
    sample = target.sample()
    for each in OF_RELATIONS:
        each(target)
    compare_filters(target, sample)
    if sample is not None:
        compare_single_rows(target, sample)
        if extent.writes:
            compare_writes(target, sample)
