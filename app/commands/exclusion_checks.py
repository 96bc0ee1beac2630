"""Findings of ``portico doctor`` about objects that no role sees in the API."""

from __future__ import annotations

from collections.abc import Iterator

from app.commands.finding import Finding, listed
from app.graphql.schema.notices import function_subject, relation_subject
from app.pipeline.engine import Engine
from app.settings import Settings
from schema_cache.exclusion import Exclusion
from schema_cache.model import Catalog


def excluded(settings: Settings, engine: Engine) -> Iterator[Finding]:
    """The hidden objects, and the patterns that hide nothing. Raises Unavailable."""
    catalog, exclusion = engine.schema_cache.current(), Exclusion(settings.api_exclude)
    hidden = list(_hidden(catalog, exclusion, frozenset(settings.api_schemas)))
    if hidden:
        yield Finding("ok", f"comments and API_EXCLUDE hide these from all roles: {listed(hidden)}")
    unmatched = exclusion.unmatched(catalog, settings.api_schemas)
    if unmatched:
        yield Finding("note", f"API_EXCLUDE matches nothing with {listed(unmatched)}", "correct the pattern or drop it")


def _hidden(catalog: Catalog, exclusion: Exclusion, schemas: frozenset[str]) -> Iterator[str]:
    for relation in (each for each in catalog.relations if each.schema in schemas):
        name = f"{relation.schema}.{relation.name}"
        if exclusion.hides_relation(relation):
            yield relation_subject(relation)
            continue
        for column in relation.columns:
            if exclusion.hides_column(relation.schema, relation.name, column.name, column.comment):
                yield f"column {name}.{column.name}"
        for key in relation.foreign_keys:
            if not key.inferred and exclusion.hides_key(relation, key):
                yield f"relationships of {key.name} on {name}"
    for function in (each for each in catalog.functions if each.schema in schemas):
        if exclusion.hides_function(function):
            yield function_subject(function)
