"""The process of live queries, from its start to its stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import uvicorn

from app.faces.live.application import make_live_app
from app.faces.live.changes import Changes
from app.faces.live.connections import PromptConnection, PromptSocket
from app.faces.live.handed_over import HandedOverConnections
from app.faces.live.hub import Hub
from app.faces.live.metrics import LiveMetrics
from app.faces.live.places import Places
from app.faces.live.queries import Queries
from app.metrics.files import find_files
from app.pipeline.engine import Engine, make_engine
from app.plugin_guard import Plugins
from app.server.handing_over import HandingOver
from app.server.processes.open_files import raise_open_file_limit
from app.settings import Settings
from schema_cache.freshness import SchemaCache
from schema_cache.poller import Poller

_LOOK_S = 1.0
_PING_S = 10.0
"""The interval between pings on a WebSocket, which find out whether its client is still there, in seconds."""
_LINGER_S = 5.0
"""The time in which a client may still read the last answer when the process stops, in seconds."""


ConnectionSource = socket.socket | HandingOver
"""The listening socket of this process, or the connections that workers hand over."""


def serve_live(settings: Settings, plugins: Plugins, source: ConnectionSource, started: Callable[[], None]) -> None:
    """Serve streams until SIGTERM or SIGINT; ``started`` is called when the process is ready."""
    raise_open_file_limit()
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    with closing(make_engine(settings, plugins)) as engine, closing(Poller(engine.schema_cache)) as poller:
        engine.database.start()
        engine.named_documents.registry.start()
        poller.start()
        asyncio.run(_serve(settings, engine, source, started))
    plugins.hook.closing()


async def _serve(settings: Settings, engine: Engine, source: ConnectionSource, started: Callable[[], None]) -> None:
    loop, queries = asyncio.get_running_loop(), Queries(engine, settings.live_answer_limit)
    # As many threads as there are database connections: more would only wait for a connection.
    with ThreadPoolExecutor(settings.pool_size, "live") as executor:
        # The workers of `portico serve` show the metrics that are in their files.
        metrics = LiveMetrics(find_files() if isinstance(source, HandingOver) else None)
        places = Places(settings.live_limit, settings.live_caller_limit, "streams")
        hub = Hub(queries, executor, poll_s=settings.live_poll_s, places=places, ran=metrics.ran)
        metrics.show(hub)
        changes = Changes(engine.database.target, lambda tables: _call(loop, hub, tables))
        hub.hear(changes)
        config = uvicorn.Config(
            make_live_app(hub, queries, metrics, settings, closes=isinstance(source, HandingOver)),
            http=PromptConnection,
            lifespan="off",
            log_config=None,
            access_log=False,
            # X-Forwarded-For of a trusted proxy: addresses distinguish callers without a subject.
            forwarded_allow_ips=settings.trusted_proxy or "127.0.0.1",
            server_header=False,
            ws=PromptSocket,
            ws_max_size=settings.body_limit,
            ws_ping_interval=_PING_S,
            # Compression is not worth its memory for each connection.
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=max(1, int(settings.shutdown_grace_s)),
        )
        changes.start()
        following = asyncio.create_task(_follow_schema(engine.schema_cache, hub, metrics))
        # uvicorn raises the signal again once it has stopped; it must not end this process during its own shutdown.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        try:
            if isinstance(source, HandingOver):
                await _Server(config, hub, started, source).serve(sockets=[])
            else:
                await _Server(config, hub, started).serve(sockets=[source])
        finally:
            following.cancel()
            changes.close()
            metrics.close()


async def _follow_schema(schema_cache: SchemaCache, hub: Hub, metrics: LiveMetrics) -> None:
    """Run all queries again when the schema or rights have changed, which no trigger reports. Each second the metrics
    get the hub's figures."""
    known = schema_cache.known
    while True:
        await asyncio.sleep(_LOOK_S)
        metrics.write()
        if known is not schema_cache.known:
            known = schema_cache.known
            hub.changed(None)


def _call(loop: asyncio.AbstractEventLoop, hub: Hub, tables: frozenset[int] | None) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(hub.changed, tables)


class _Server(uvicorn.Server):
    """A server that calls ``started`` when it listens, or takes the connections of ``handing_over``. At shutdown it
    ends the streams, waits for their connections, and aborts those that are still open after ``_LINGER_S``."""

    def __init__(
        self, config: uvicorn.Config, hub: Hub, started: Callable[[], None], handing_over: HandingOver | None = None
    ) -> None:
        super().__init__(config)
        self._hub = hub
        self._started = started
        self._handed_over = HandedOverConnections(handing_over, config, self.server_state) if handing_over else None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._handed_over is not None:
            self._handed_over.start()
        self._started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._handed_over is not None:
            await self._handed_over.stop()
        self._hub.close()
        asyncio.get_running_loop().call_later(_LINGER_S, self._abort)
        await super().shutdown(sockets)

    def _abort(self) -> None:
        for each in self.server_state.connections:
            each.transport.abort()
