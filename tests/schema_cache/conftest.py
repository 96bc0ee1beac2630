from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.schema_cache.session import Session

Connect = Callable[..., Session]


@pytest.fixture
def connect(database_url: str) -> Iterator[Connect]:
    """Opens sessions on the test's own database, as its superuser or as ``user``; all are closed in the end."""
    opened: list[Session] = []

    def open_session(url: str = database_url, user: str | None = None) -> Session:
        opened.append(Session(url, user))
        return opened[-1]

    yield open_session
    for session in opened:
        session.close()


@pytest.fixture
def owner(connect: Connect) -> Session:
    """A session of the superuser."""
    return connect()
