"""Findings of ``portico doctor`` about what the GraphQL schema leaves out of the database, and the advice of
plugins."""

from __future__ import annotations

from app.commands.finding import Finding
from app.errors import AccessError, PorticoError
from app.graphql.schema.notices import Notice
from app.identity import OWN_ROLES
from app.pipeline.engine import Engine


def left_out(engine: Engine) -> list[Finding]:
    """One finding for each notice in the schemas of the API's roles, and for each advice about them. None if the
    database is not available, which other findings report."""
    found: dict[tuple[str, str], Notice] = {}
    try:
        for role in OWN_ROLES:
            try:
                api = engine.role_schemas.of_role(role)
                advice = (each for some in api.hooks.advice(api=api, read=engine.database.read) for each in some)
                for each in (*api.notices, *advice):
                    first = found.setdefault((each.subject, each.reason), each)
                    # A role that may read more of the database gets a longer, more precise fix.
                    if len(each.fix) > len(first.fix):
                        found[each.subject, each.reason] = each
            except AccessError:
                continue
    except PorticoError:
        return []
    return [Finding("note", f"{each.subject}: {each.reason}", each.fix) for each in found.values()]
