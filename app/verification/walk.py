"""Runs all comparisons on every relation that a role sees."""

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
from app.verification.target import ComparedRelation, Sides, target_of
from app.verification.writing import compare_writes

COMPARISONS = (
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
    """The extent of a verification. ``only``: a shell pattern for ``schema.name`` of the relations. ``writes``: compare
    mutations too; they are rolled back. ``timeout_ms``: the limit for each SQL statement, in milliseconds."""

    only: str = "*"
    writes: bool = False
    timeout_ms: int = 20_000


def verify(
    engine: Engine, database_url: str, role: str, extent: Extent, progress: Callable[[str], None] = lambda name: None
) -> Verification:
    """Compare the API's responses to ``role`` with SQL. ``progress`` is called with the name of each relation.

    Raises PorticoError if the role does not exist or the database cannot be reached.
    """
    schema = engine.role_schemas.of_role(role)
    report = Verification()
    with closing(Sql(database_url, role, timeout_ms=extent.timeout_ms)) as sql:
        sides = Sides(schema, Api(engine, role), sql, report)
        for relation in schema.relations:
            name = f"{relation.relation.schema}.{relation.relation.name}"
            if fnmatchcase(name, extent.only):
                progress(name)
                target = target_of(sides, relation)
                if isinstance(target, ComparedRelation):
                    _compare(target, extent)
                else:
                    report.left_out.append((name, target))
        report.requests = sides.api.requests
    return report


def _compare(target: ComparedRelation, extent: Extent) -> None:
    target.sides.report.relations += 1
    sample = target.sample()
    for each in COMPARISONS:
        each(target)
    compare_filters(target, sample)
    if sample is not None:
        compare_single_rows(target, sample)
        if extent.writes:
            compare_writes(target, sample)
