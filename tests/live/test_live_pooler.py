"""``portico live`` behind a pooler that shares connections among transactions: notifications do not arrive."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests

from app.faces.live import triggers
from bench.pooler import missing_pooler, pooler
from bench.streaming import missing, streaming
from tests.graphql.conftest import ROLES
from tests.live.streams import serving_live
from tests.process.running import PATIENCE_S

SCHEMA = """
create table note (id int primary key, body text);
grant select on note to anon;
insert into note values (1, 'one');
"""


@pytest.mark.skipif(bool(missing() or missing_pooler()), reason=f"needs programs: {missing() or missing_pooler()}")
def test_queries_are_repeated(tmp_path: Path) -> None:
    with streaming() as cluster:
        server = cluster.primary()
        server.execute(ROLES + SCHEMA)
        triggers.enable(server.url(), ["note"])
        with (
            pooler(cluster, server, connections=5, clients=50) as url,
            serving_live(url, tmp_path, LIVE_POLL_S="1") as live,
        ):
            stream = live.stream("{ noteCollection { edges { node { body } } } }")
            for body in ("two", "three", "four"):
                server.execute(f"update note set body = '{body}'")
                stream.until({"noteCollection": {"edges": [{"node": {"body": body}}]}})
            reported = requests.get(live.url.replace("/graphql/v1/stream", "/health"), timeout=PATIENCE_S).json()
            assert reported["changes"] == "not heard"
