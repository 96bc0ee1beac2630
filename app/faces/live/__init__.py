"""Live queries: a query whose answer is sent again whenever it has changed.

A separate process serves them, ``portico live`` or the companion of ``portico serve``, because a stream stays open for
as long as its viewer wants, and a worker would need a thread for each stream. One asyncio thread holds all streams; a
few threads run the queries through the same pipeline as all other requests.
"""

from __future__ import annotations

PATH = "/graphql/v1/stream"
