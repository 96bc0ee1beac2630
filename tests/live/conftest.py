"""A running ``portico live`` on the database that a file's fixture ``made`` makes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.streams import Live, living


@pytest.fixture(scope="module")
def live(made: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with living(made, tmp_path_factory.mktemp("live")) as live:
        yield live
