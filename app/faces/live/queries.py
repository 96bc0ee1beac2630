"""Runs live queries repeatedly, through the pipeline that answers every request."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from graphql import OperationType

from app.database import RowTooLarge
from app.errors import OverLimit, PorticoError, RequestError, Unavailable
from app.faces.live import PATH
from app.graphql.documents.syntax import read_syntax
from app.identity import Caller
from app.identity.further_credentials import RequestHead
from app.pipeline import run
from app.pipeline.caller import caller_of
from app.pipeline.engine import Engine
from app.pipeline.records import BoundPlan, GraphQLRequest


class LiveAnswer(NamedTuple):
    """The answer to one run. ``body``: JSON on one line. ``codes``: the codes of its errors. ``reads``: the oids of the
    relations that the query names; None if it could not be planned. ``took_s``: the duration in seconds. ``is_final``:
    whether another run would give no other answer, because the query cannot be planned."""

    body: bytes
    codes: tuple[str, ...]
    reads: frozenset[int] | None
    took_s: float
    is_final: bool


@dataclass(frozen=True, slots=True)
class LiveQuery:
    """A query of a caller. Queries with the same ``key`` always have the same answer. ``is_subscription``: whether it
    is a subscription, or a document that the client gave only by its id.

    ``values``: the variables and the extensions as JSON; ``request`` does not have them. They are in memory as long as
    the stream lasts, and as Python values they would take up to twenty times the memory."""

    request: GraphQLRequest
    values: bytes
    caller: Caller
    key: tuple[str, ...]
    is_subscription: bool


class Queries:
    """Runs queries; shared by threads. ``answer_limit``: the maximum size of an answer, in bytes."""

    def __init__(self, engine: Engine, answer_limit: int) -> None:
        self._planned = threading.local()
        self._limits = engine.limits
        around = {
            **engine.around,
            "plan": self._around_plan(engine.around.get("plan")),
            "execute": self._around_execute(engine.around.get("execute")),
        }
        self._engine = replace(engine, around=around, answer_limit=answer_limit, answers_subscriptions=True)
        self.credentials = tuple(dict.fromkeys(("authorization", *engine.identifications.headers)))
        """The names of the headers with credentials, in lower case."""

    def caller(self, header: Callable[[str], str | None]) -> Caller:
        """The caller of a request. Raises AccessError."""
        return caller_of(GraphQLRequest(None, head=RequestHead("POST", PATH, header)), self._engine)

    def query(self, body: Mapping[str, Any], header: Callable[[str], str | None]) -> LiveQuery:
        """The query of a request, with its caller. Raises AccessError, and RequestError if there is no query."""
        if not any(body.get(name) for name in ("query", "documentId", "extensions")):
            raise RequestError("The request has no query")
        text = body.get("query")
        request = GraphQLRequest(
            query=text,
            variables=None,
            operation_name=body.get("operationName"),
            extensions=None,
            document_id=body.get("documentId"),
            head=RequestHead("POST", PATH, header),
        )
        caller = caller_of(request, self._engine)
        variables, extensions = body.get("variables"), body.get("extensions")
        values = json.dumps([variables, extensions], ensure_ascii=False).encode(errors="surrogatepass")
        parts = (request.query, variables, request.operation_name, extensions, request.document_id)
        # The credentials are part of the key: each run checks them again, and those of another viewer may expire
        # earlier.
        credentials = [header(each) for each in self.credentials]
        digest = hashlib.sha256(json.dumps([*parts, *credentials], sort_keys=True).encode()).hexdigest()
        key = digest, caller.role, caller.cache_key
        return LiveQuery(request, values, caller, key, self._is_subscription(text, request.operation_name))

    def answer(self, query: LiveQuery) -> LiveAnswer:
        """Run the query now. It never raises: errors become answers."""
        self._planned.reads = None
        started = time.monotonic()
        variables, extensions = json.loads(query.values)
        request = replace(query.request, variables=variables, extensions=extensions)
        response, reads = run(request, self._engine).response, self._planned.reads
        # A line break in JSON is only whitespace, but in a stream it would end the line of an event.
        body = response.body.replace(b"\r", b" ").replace(b"\n", b" ")
        is_final = reads is None and response.status != Unavailable.status
        return LiveAnswer(body, response.codes, reads, time.monotonic() - started, is_final)

    def _around_plan(self, around: Callable[..., Any] | None) -> Callable[..., Any]:
        def planning(plan: Callable[..., BoundPlan], *arguments: Any) -> BoundPlan:
            bound: BoundPlan = plan(*arguments) if around is None else around(plan, *arguments)
            if bound.plan.is_mutation:
                hint = "Send mutations to /graphql/v1."
                raise RequestError("Only a query or a subscription can be live", hint=hint)
            self._planned.reads = bound.plan.reads
            return bound

        return planning

    def _around_execute(self, around: Callable[..., Any] | None) -> Callable[..., Any]:
        def executing(execute: Callable[..., Any], *arguments: Any) -> Any:
            try:
                return execute(*arguments) if around is None else around(execute, *arguments)
            except RowTooLarge:
                limit = self._engine.answer_limit
                raise OverLimit(f"The answer is larger than {limit} bytes (LIVE_ANSWER_LIMIT)", status=200) from None

        return executing

    def _is_subscription(self, text: Any, operation: Any) -> bool:
        """Whether the operation of that name, or the only one, is a subscription. A document without a text, which is
        given by its id, counts as one. The pipeline refuses a text that cannot be parsed."""
        if not isinstance(text, str) or "subscription" not in text:
            return text is None
        try:
            operations = read_syntax(text, self._limits).operations
        except PorticoError:
            return False
        return any(
            each.operation is OperationType.SUBSCRIPTION
            and (operation in (None, "") or (each.name is not None and each.name.value == operation))
            for each in operations
        )
