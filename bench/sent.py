"""The bytes that the service sends to PostgreSQL for a question, and that a client sends to the service."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.database.run.context import first_steps
from app.database.wire.prepared import Step
from app.discovery import configure, plugin_manager
from app.identity.further_credentials import RequestHead
from app.pipeline.authorize import authorize
from app.pipeline.engine import Engine
from app.pipeline.execute import context_of
from app.pipeline.parse import parse
from app.pipeline.plan import plan
from app.pipeline.records import GraphQLRequest
from app.wsgi import create_app
from bench.library import PORTICO, Question

ANON_KEY = "anon-key"
SETTINGS = {
    "JWT_SECRET": "a secret that only this benchmark uses",
    "ANON_KEY": ANON_KEY,
    "SERVICE_ROLE_KEY": "service-key",
    "MAX_ROWS": "100",
}


@dataclass(frozen=True)
class Sent:
    """The steps that the service sends for a request whose caller has asked before on the same connection.

    ``enter``: the steps that it sent once, in a clean session, because the context stays there; none if each flight
    cleans the session and sets the context. ``context``: the first steps of each flight, which check the context that
    stayed, or set it. ``data``: the steps of the request; none if the service answers without the database.
    """

    enter: Sequence[Step] = ()
    context: Sequence[Step] = ()
    data: Sequence[Step] = ()


def bodies_of(question: Question, queries: Mapping[str, str] = PORTICO) -> list[bytes]:
    """The bodies of the requests for a question, one for each of its variables."""
    return [json.dumps({"query": queries[question.name], "variables": each}).encode() for each in _variables(question)]


def sent_for(question: Question, url: str) -> list[Sent]:
    """The steps that the service sends for each of the question's variables."""
    head = RequestHead("POST", "/graphql/v1", {"apikey": ANON_KEY}.get)
    application = create_app(configure({"DATABASE_URL": url, **SETTINGS}, {})[0], plugin_manager())
    asked = [json.loads(json.dumps(each)) for each in _variables(question)]
    requests = [GraphQLRequest(PORTICO[question.name], each, head=head) for each in asked]
    sent = [sent_by(each, application.services.engine) for each in requests]
    application.close()
    return sent


def sent_by(request: GraphQLRequest, engine: Engine) -> Sent:
    """The steps that the service sends for a request."""
    operation = authorize(parse(request, engine), engine)
    bound = plan(operation, engine)
    if not bound.plan.statements:
        return Sent()
    context = context_of(operation, bound.plan, engine)
    planned = zip(bound.plan.statements, bound.values, strict=True)
    data = [(each.statement, values, context.role) for each, values in planned]
    if context.session is not None:
        return Sent(context.session.enter, [context.session.check], data)
    return Sent((), first_steps(context, read_only=not bound.plan.is_mutation), data)


def _variables(question: Question) -> Sequence[Mapping[str, Any]]:
    return (question.variables, *question.others)
