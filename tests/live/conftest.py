"""A running ``portico live`` on the database that a file's fixture ``live_database_url`` makes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.streams import Live, serving_live


@pytest.fixture(scope="module")
def live(live_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving_live(live_database_url, tmp_path_factory.mktemp("live")) as live:
        yield live
