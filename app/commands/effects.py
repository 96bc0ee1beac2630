"""Findings of ``portico doctor`` about queries that may call functions that write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.commands.finding import Finding, listed
from app.graphql.schema.notices import function_subject, relation_subject
from app.pipeline.engine import Engine
from app.query.call.calls import VOLATILE
from app.settings import Settings
from schema_cache.effects import ANYTHING, FUNCTION, RELATION, Code
from schema_cache.exclusion import Exclusion
from schema_cache.model import Catalog

_FIX = 'declare functions that only read stable or immutable: docs/graphql.md, "Queries change nothing"'
_NOTHING_STAYS = "run in a transaction that is read-only and rolled back"


def effects(settings: Settings, engine: Engine) -> list[Finding]:
    """Findings about the API's relations and functions that may write when they are read, with the reasons. Raises
    Unavailable."""
    catalog = engine.schema_cache.current()
    found = catalog.effects
    if ANYTHING in found.found:
        return [Finding("note", f"all queries {_NOTHING_STAYS}: a type or an operator {found.explain(ANYTHING)}", _FIX)]
    named = [
        f"{subject} ({found.explain(code)})"
        for code, subject in _subjects(catalog, settings).items()
        if code in found.found
    ]
    if not named:
        return []
    return [Finding("note", f"queries of these {_NOTHING_STAYS}: {listed(named)}", _FIX)]


def _subjects(catalog: Catalog, settings: Settings) -> Mapping[Code, str]:
    """The relations and functions that queries may name, with their names as in notices."""
    exclusion = Exclusion(settings.api_exclude)

    def each() -> Iterator[tuple[Code, str]]:
        for relation in catalog.relations:
            if relation.schema not in settings.api_schemas or exclusion.hides_relation(relation):
                continue
            if relation.kind != "f":
                yield Code(RELATION, relation.oid), relation_subject(relation)
        for function in catalog.functions:
            if function.schema not in settings.api_schemas or exclusion.hides_function(function):
                continue
            if function.volatility != VOLATILE:
                yield Code(FUNCTION, function.oid), function_subject(function)

    return dict(each())
