"""Endpoints about the database: its relations, the rights of each role, and the GraphQL types of the API."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

from graphql import print_type
from sqlalchemy import literal
from sqlalchemy.dialects import postgresql

from portico import AccessError, RequestError
from portico_studio.access import access_of
from portico_studio.answers import JsonResource

_CATALOG = (Path(__file__).parent / "catalog.sql").read_text(encoding="utf-8")


class CatalogResource(JsonResource):
    """``GET /studio/api/catalog``: roles and relations, with the access of each role to each relation. With
    ``of=storage``, those of the storage."""

    def get(self, req):
        self.guard.check_service(req)
        settings = self.services.settings
        schemas = ("storage",) if req.params.get("of") == "storage" else settings.api_schemas
        sql = _CATALOG.replace(":schemas", _names(schemas)).replace(":roles", _names(settings.api_roles))
        catalog = json.loads(self.services.read(sql))
        catalog["roles"] = catalog["roles"] or []
        for relation in catalog["relations"]:
            relation["access"] = {role["name"]: access_of(relation, role) for role in catalog["roles"]}
        return catalog


class TypesResource(JsonResource):
    """``GET /studio/api/types``: the names of the GraphQL types by role and relation. They are not part of the catalog,
    since building the schemas of many tables takes a while."""

    def get(self, req):
        self.guard.check_service(req)
        return {
            role: {each.relation.oid: each.type_name for each in api.relations} for role, api in _schemas(self.services)
        }


class RelationResource(JsonResource):
    """``GET /studio/api/relations/OID``: the GraphQL type that each role gets, the directives of the comment, and
    notices about parts that the API leaves out."""

    def get(self, req, oid):
        self.guard.check_service(req)
        types, directives, notices = {}, {}, {}
        for role, api in _schemas(self.services):
            relation = next((each for each in api.relations if each.relation.oid == oid), None)
            types[role] = print_type(api.object_type(relation)) if relation else None
            if relation:
                directives = dict(relation.directives)
                about = _named(f"{relation.relation.schema}.{relation.relation.name}")
                notices |= dict.fromkeys(each for each in api.notices if about.search(each.subject))
        if not types:
            raise RequestError("No role of the API exists.", code="NO_ROLE", hint="Run portico init.")
        return {
            "types": types,
            "directives": json.loads(json.dumps(directives, default=str)),
            "notices": [{"what": each.subject, "why": each.reason, "fix": each.fix} for each in notices],
        }


def _schemas(services):
    """The roles of the API that exist, each with its schema."""
    for role in services.settings.api_roles:
        with suppress(AccessError):
            yield role, services.schema(role)


def _named(relation):
    """A pattern that finds the relation, or a part of it, in the subject of a notice: ``table public.a``, ``column
    public.a.b``."""
    return re.compile(rf"(^| ){re.escape(relation)}($|[ .])")


def _names(names):
    text = literal(json.dumps(list(names)))
    return str(text.compile(dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True}))
