"""What the GraphQL schema leaves out of the database, as findings for ``portico doctor``."""

from __future__ import annotations

from app.commands.diagnosis import Finding
from app.errors import AccessError, PorticoError
from app.graphql.notices import Notice
from app.pipeline.engine import make_engine
from app.plugin_guard import Plugins
from app.settings import Settings

ROLES = ("anon", "authenticated", "service_role")


def left_out(settings: Settings, plugins: Plugins) -> list[Finding]:
    """One finding for each notice in the schemas of the API's roles; none if the database does not answer, which other
    findings report."""
    engine = make_engine(settings, plugins)
    found: dict[Notice, None] = {}
    try:
        for role in ROLES:
            try:
                found |= dict.fromkeys(engine.role_schemas.of_role(role).notices)
            except AccessError:
                continue
    except PorticoError:
        return []
    finally:
        engine.close()
    return [Finding("note", f"{each.subject}: {each.reason}", each.fix) for each in found]
