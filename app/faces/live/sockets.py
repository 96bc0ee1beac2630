"""Live queries over WebSocket, by the protocol ``graphql-transport-ws``
(https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md): many operations on one connection.

A ``subscription`` is live; a ``query`` gets one answer, as the protocol requires.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import falcon.asgi
from falcon import WebSocketDisconnected
from falcon.errors import PayloadTypeError

from app.errors import PorticoError, Unavailable
from app.faces.live.access_log import StreamRecord
from app.faces.live.hub import Hub
from app.faces.live.places import LivePlace, Places, who_calls
from app.faces.live.queries import LiveQuery, Queries
from app.faces.live.rate import MessageRate
from app.http.cross_origin import CrossOrigin
from app.pipeline.records import GraphQLRequest
from app.pipeline.shape import shape_error
from app.settings import Settings

PROTOCOL = "graphql-transport-ws"

_INIT_S = 10.0
"""The time in which a client must send connection_init, in seconds."""
_LOOK_S = 60.0
_LONGEST_REASON = 120
"""The longest reason in a close frame, in bytes, which could be a little longer (RFC 6455, 5.5)."""

POLICY_VIOLATION = 1008
TRY_AGAIN_LATER = 1013
INVALID_MESSAGE = 4400
UNAUTHORIZED = 4401
FORBIDDEN = 4403
NO_PROTOCOL = 4406
INIT_TIMEOUT = 4408
ID_IN_USE = 4409
TOO_MANY_INITS = 4429


class _Closing(Exception):
    """The connection must be closed with this code and ``reason``."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Sockets:
    """Accepts connections. The settings allow as many connections as streams."""

    def __init__(self, hub: Hub, queries: Queries, settings: Settings) -> None:
        self._hub = hub
        self._queries = queries
        self._settings = settings
        self._cross_origin = CrossOrigin(settings.cors_origins)
        self._places = Places(settings.live_limit, settings.live_caller_limit, "connections")

    async def on_websocket(self, req: falcon.asgi.Request, ws: falcon.asgi.WebSocket) -> None:
        if not self._is_allowed(req):
            # Closing a connection before it is accepted sends status 403.
            await ws.close()
            return
        with suppress(WebSocketDisconnected):
            if PROTOCOL in ws.subprotocols:
                await ws.accept(PROTOCOL)
                await _Connection(req, ws, self._hub, self._queries, self._settings, self._places).serve()
            else:
                await ws.accept()
                await ws.close(NO_PROTOCOL, f"Expected the subprotocol {PROTOCOL}")

    def _is_allowed(self, req: falcon.asgi.Request) -> bool:
        """Whether a page of the request's origin may connect. Browsers let any page connect, and send cookies."""
        origin = req.get_header("origin")
        if origin is None or self._cross_origin.allows(origin):
            return True
        own = (req.get_header("host"), urlsplit(self._settings.public_url or "").netloc)
        host = urlsplit(origin).netloc
        return bool(host) and host in own


class _Watching(NamedTuple):
    """A running operation of a connection."""

    task: asyncio.Task[None]
    place: LivePlace


class _Connection:
    """One connection and its operations, by the ids that the client chose. After connection_init, it has one of the
    ``places``."""

    def __init__(
        self,
        req: falcon.asgi.Request,
        ws: falcon.asgi.WebSocket,
        hub: Hub,
        queries: Queries,
        settings: Settings,
        places: Places,
    ) -> None:
        self._req = req
        self._ws = ws
        self._hub = hub
        self._queries = queries
        self._limit = settings.live_connection_limit
        self._most_per_s = settings.live_message_limit
        self._rate = MessageRate(settings.live_message_limit)
        self._logs = settings.access_log
        self._places = places
        self._place: LivePlace | None = None
        self._header: Callable[[str], str | None] | None = None
        self._deadline: asyncio.Task[None] | None = None
        self._watching: dict[str, _Watching] = {}
        self._sending = asyncio.Lock()

    async def serve(self) -> None:
        """Serve until the client leaves, its token expires, or it breaks the protocol."""
        self._close_after(_INIT_S, INIT_TIMEOUT, f"connection_init did not arrive within {_INIT_S:g} seconds")
        try:
            while True:
                await self._handle(_message(await self._receive()))
        except _Closing as ex:
            await self._ws.close(ex.code, _short(ex.reason))
        finally:
            if self._place is not None:
                self._place.leave()
            for each in (*(watching.task for watching in self._watching.values()), self._deadline):
                if each is not None:
                    each.cancel()

    async def _receive(self) -> str:
        try:
            text = await self._ws.receive_text()
        except PayloadTypeError:
            raise _Closing(INVALID_MESSAGE, "Expected messages as text") from None
        if not self._rate.allows_one():
            raise _Closing(POLICY_VIOLATION, f"More than {self._most_per_s} messages a second (LIVE_MESSAGE_LIMIT)")
        return text

    async def _handle(self, message: Mapping[str, Any]) -> None:
        kind, payload = message["type"], message.get("payload")
        if kind == "connection_init":
            await self._initialise(payload)
        elif kind == "ping":
            await self._send(_pong(payload))
        elif kind == "subscribe":
            await self._subscribe(_id(message), payload)
        elif kind == "complete":
            watching = self._forget(_id(message))
            if watching is not None:
                watching.cancel()
        elif kind != "pong":
            raise _Closing(INVALID_MESSAGE, "Expected connection_init, subscribe, complete, ping or pong as the type")

    async def _initialise(self, payload: Any) -> None:
        if self._header is not None:
            raise _Closing(TOO_MANY_INITS, "Too many initialisation requests")
        header = _header(payload, self._queries.credentials, self._req)
        try:
            caller = await asyncio.to_thread(self._queries.caller, header)
        except PorticoError as ex:
            raise _Closing(TRY_AGAIN_LATER if ex.status >= Unavailable.status else FORBIDDEN, ex.message) from None
        try:
            self._place = self._places.take(who_calls(caller, self._req.remote_addr))
        except Unavailable as ex:
            raise _Closing(TRY_AGAIN_LATER, ex.message) from None
        self._header = header
        if self._deadline is not None:
            self._deadline.cancel()
        await self._send({"type": "connection_ack"})
        if caller.expires_at is not None:
            self._close_after(caller.expires_at - time.time(), FORBIDDEN, "The token has expired")

    async def _subscribe(self, id_: str, payload: Any) -> None:
        if self._header is None:
            raise _Closing(UNAUTHORIZED, "Expected connection_init first")
        if id_ in self._watching:
            raise _Closing(ID_IN_USE, f"Subscriber for {id_} already exists")
        if not isinstance(payload, dict):
            raise _Closing(INVALID_MESSAGE, "Expected an object with a query as the payload of subscribe")
        record = StreamRecord(self._req, is_logged=self._logs)
        try:
            # Messages are handled one after the other, so at most one unchecked query is in memory.
            query = await asyncio.to_thread(self._queries.query, payload, self._header)
            if len(self._watching) >= self._limit:
                message = f"This connection already has {self._limit} streams (LIVE_CONNECTION_LIMIT)"
                raise Unavailable(message, code="OVERLOADED")
            place = self._hub.take_place(query, self._req.remote_addr)
        except PorticoError as ex:
            reply = shape_error(GraphQLRequest(None), ex)
            record.refused(reply.status, ex.code)
            await self._send_errors(id_, reply.body)
        else:
            task = asyncio.create_task(self._watch(id_, query, record))
            # A task that is cancelled at once never starts, so it cannot give its place back itself.
            task.add_done_callback(lambda _: place.leave())
            self._watching[id_] = _Watching(task, place)

    def _forget(self, id_: str) -> asyncio.Task[None] | None:
        """Free the id and its place; returns the id's task, or None if there is none."""
        watching = self._watching.pop(id_, None)
        if watching is None:
            return None
        watching.place.leave()
        return watching.task

    async def _watch(self, id_: str, query: LiveQuery, record: StreamRecord) -> None:
        try:
            with suppress(WebSocketDisconnected):
                await (self._send_changes if query.is_subscription else self._send_once)(id_, query, record)
        finally:
            record.ended(query)

    async def _send_changes(self, id_: str, query: LiveQuery, record: StreamRecord) -> None:
        async with self._hub.watching(query) as viewer:
            while not viewer.is_over:
                body = await viewer.next(_LOOK_S)
                if body is not None and viewer.is_over and not self._hub.is_closed:
                    await self._send_errors(id_, body)
                elif body is not None:
                    record.sent(body)
                    await self._send({"id": id_, "type": "next"}, body)

    async def _send_once(self, id_: str, query: LiveQuery, record: StreamRecord) -> None:
        answer = await self._hub.answer(query)
        if answer.is_final:
            await self._send_errors(id_, answer.body)
            return
        record.sent(answer.body)
        await self._send({"id": id_, "type": "next"}, answer.body)
        # The id must be free before the client learns that the operation is complete.
        self._forget(id_)
        await self._send({"id": id_, "type": "complete"})

    async def _send_errors(self, id_: str, body: bytes) -> None:
        """Send the errors of an operation that could not be planned, and free its id."""
        self._forget(id_)
        await self._send({"id": id_, "type": "error", "payload": json.loads(body)["errors"]})

    async def _send(self, message: Mapping[str, Any], payload: bytes | None = None) -> None:
        text = json.dumps(message)
        if payload is not None:
            text = f'{text[:-1]}, "payload": {payload.decode()}}}'
        async with self._sending:
            await self._ws.send_text(text)

    def _close_after(self, seconds: float, code: int, reason: str) -> None:
        self._deadline = asyncio.create_task(self._close_later(seconds, code, reason))

    async def _close_later(self, seconds: float, code: int, reason: str) -> None:
        await asyncio.sleep(seconds)
        for each in self._watching.values():
            each.task.cancel()
        with suppress(WebSocketDisconnected):
            await self._ws.close(code, reason)


def _pong(payload: Any) -> dict[str, Any]:
    try:
        json.dumps(payload, allow_nan=False)
    except ValueError:
        # Python reads 1e999 as infinity, which JSON cannot express.
        raise _Closing(INVALID_MESSAGE, "A number in the payload of ping is out of range") from None
    return {"type": "pong"} if payload is None else {"type": "pong", "payload": payload}


def _refuse(name: str) -> Any:
    raise ValueError(f"JSON does not have {name}")


def _message(text: str) -> dict[str, Any]:
    try:
        message = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise _Closing(INVALID_MESSAGE, "Expected a JSON object with a type")
    return message


def _id(message: Mapping[str, Any]) -> str:
    id_ = message.get("id")
    if not isinstance(id_, str) or not id_:
        raise _Closing(INVALID_MESSAGE, "Expected a text as the id")
    return id_


def _header(payload: Any, credentials: tuple[str, ...], req: falcon.asgi.Request) -> Callable[[str], str | None]:
    """The headers of the connection. Since a page cannot set headers, credentials in the payload of connection_init, or
    in its member ``headers``, replace the headers of the same names."""
    given: dict[str, str] = {}
    if isinstance(payload, dict):
        nested = payload.get("headers")
        for members in (nested if isinstance(nested, dict) else {}, payload):
            given |= {name.lower(): each for name, each in members.items() if isinstance(each, str)}
    found = {name: given[name] for name in credentials if name in given}
    return lambda name: found.get(name) or req.headers.get(name)


def _short(reason: str) -> str:
    return reason.encode(errors="replace")[:_LONGEST_REASON].decode(errors="ignore")
