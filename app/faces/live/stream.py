"""The endpoint of live queries: Server-Sent Events in the "distinct connections mode" of graphql-sse
(https://github.com/graphql/graphql-over-http/blob/main/rfcs/GraphQLOverSSE.md).

``next`` events carry answers. ``complete`` means that no more will follow. If a stream ends without it, because this
process stops or the token has expired, clients open it again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import falcon
import falcon.asgi

from app.errors import OverLimit, PorticoError, RequestError
from app.faces.graphql.request_json import read_json, refuse_coding
from app.faces.graphql.resource import send
from app.faces.live.access_log import StreamRecord
from app.faces.live.connections import when_gone
from app.faces.live.hub import Hub
from app.faces.live.places import LivePlace
from app.faces.live.queries import LiveQuery, Queries
from app.pipeline.records import GraphQLRequest
from app.pipeline.shape import shape_error
from app.settings import Settings

_BODY_S = 10.0
"""The time in which the body of a request must have arrived, in seconds."""
_PING_S = 10.0
"""The interval of keep-alive messages, in seconds. With them, proxies do not take the stream for dead, and a dead
connection is noticed."""


class StreamResource:
    """Opens streams."""

    def __init__(self, hub: Hub, queries: Queries, settings: Settings) -> None:
        self._hub = hub
        self._queries = queries
        self._logs = settings.access_log
        self._body_limit = settings.body_limit

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        with self._recorded(req, resp) as record:
            refuse_coding(req.get_header("Content-Encoding"))
            await self._start(read_json(await self._read(req), "The body"), req, resp, record)

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        given: dict[str, Any] = {name: req.get_param(name) for name in ("query", "operationName", "documentId")}
        with self._recorded(req, resp) as record:
            for name in ("variables", "extensions"):
                text = req.get_param(name)
                given[name] = read_json(text.encode(), f"The {name}") if text else None
            await self._start(given, req, resp, record)

    @contextmanager
    def _recorded(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> Iterator[StreamRecord]:
        """Turn a PorticoError in the block into an error response, and log it."""
        record = StreamRecord(req, is_logged=self._logs)
        try:
            yield record
        except PorticoError as ex:
            record.refused(_refuse(ex, resp), ex.code)

    async def _read(self, req: falcon.asgi.Request) -> bytes:
        try:
            async with asyncio.timeout(_BODY_S):
                body: bytes = await req.stream.read(self._body_limit + 1)
        except TimeoutError:
            raise RequestError(f"The body did not arrive within {_BODY_S:g} seconds", status=408) from None
        if len(body) > self._body_limit:
            raise OverLimit(f"The body is larger than {self._body_limit} bytes (BODY_LIMIT)", status=413)
        return body

    async def _start(
        self, body: Any, req: falcon.asgi.Request, resp: falcon.asgi.Response, record: StreamRecord
    ) -> None:
        if not isinstance(body, dict):
            raise RequestError("The body must be a JSON object with a query")
        # Identifying the caller may need a request to the database or to a key server, which blocks.
        query = await asyncio.to_thread(self._queries.query, body, req.headers.get)
        place = self._hub.take_place(query, req.remote_addr)
        when_gone(req.scope, place.leave)
        resp.sse = self._events(query, record, req, place)
        resp.set_header("Cache-Control", "no-cache, no-transform")
        # nginx would keep events until its buffer is full.
        resp.set_header("X-Accel-Buffering", "no")

    async def _events(
        self, query: LiveQuery, record: StreamRecord, req: falcon.asgi.Request, place: LivePlace
    ) -> AsyncIterator[falcon.asgi.SSEvent | None]:
        try:
            async with self._hub.watching(query) as viewer:
                when_gone(req.scope, viewer.end)
                while not viewer.is_over:
                    body = await viewer.next(min(_PING_S, _seconds_left(query)))
                    if _seconds_left(query) <= 0:
                        # The client opens a stream that ends without ``complete`` again, with its current token.
                        return
                    if body is not None:
                        record.sent(body)
                        yield falcon.asgi.SSEvent(event="next", data=body)
                    elif not viewer.is_over:
                        yield None
        finally:
            place.leave()
            record.ended(query)
        if not self._hub.is_closed:
            yield falcon.asgi.SSEvent(event="complete", data=b"")


def _seconds_left(query: LiveQuery) -> float:
    """The seconds for which the caller's token is still valid; ``_PING_S`` if it does not expire."""
    expires_at = query.caller.expires_at
    return _PING_S if expires_at is None else expires_at - time.time()


def _refuse(error: PorticoError, resp: falcon.asgi.Response) -> int:
    """Make the error the response; returns its status."""
    reply = shape_error(GraphQLRequest(None), error)
    send(reply, resp)
    return reply.status
