"""A client of the GraphQL API whose round trips to the database are counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from tests.database.proxy import Proxy
from tests.graphql.api import Api
from tests.process.running import PATIENCE_S


@contextmanager
def counted(database_url: str, **settings: Any) -> Iterator[tuple[Api, Proxy]]:
    """A service on a database behind a proxy, which counts ``flights``."""
    with closing(Proxy(database_url)) as proxy, closing(Api(proxy.url(), **settings)) as api:
        # Background queries would be counted too.
        api.application.services.poller.close(PATIENCE_S)
        api.application.services.storage.background.close()
        yield api, proxy
