from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.schema_cache.asker import Asker
from tests.schema_cache.session import Session

Connect = Callable[..., Session]


@pytest.fixture
def connect(database_url: str) -> Iterator[Connect]:
    """Opens sessions on the test's own database, as its superuser or as ``user``; they are closed at the end."""
    opened: list[Session] = []

    def open_session(url: str = database_url, user: str | None = None) -> Session:
        opened.append(Session(url, user))
        return opened[-1]

    yield open_session
    for session in opened:
        session.close()


@pytest.fixture
def ask(database_url: str) -> Iterator[Callable[..., Asker]]:
    """Makes the ``run`` of a schema cache, on the test's own database or that of ``url``."""
    made: list[Asker] = []

    def make(url: str = database_url) -> Asker:
        made.append(Asker(url))
        return made[-1]

    yield make
    for asker in made:
        asker.close()


@pytest.fixture
def asker(ask: Callable[..., Asker]) -> Asker:
    return ask()


@pytest.fixture
def owner(connect: Connect) -> Session:
    """A session of the superuser."""
    return connect()
