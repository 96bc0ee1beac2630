"""The short form of the trial of replicas: a mixture of requests while servers come and go."""

from __future__ import annotations

import json

import pytest

from bench.replicas import run
from bench.streaming import missing


@pytest.mark.skipif(bool(missing()), reason=f"needs the programs of PostgreSQL: {missing()}")
def test_no_read_is_older_than_its_token_while_servers_come_and_go() -> None:
    mixture = run(600, 4, workers=1)
    assert mixture.wrong == []
    reported = mixture.outcomes
    assert min(reported["mutation"], reported["upload"], reported["download"]) > 0
    assert max(reported["mutation without a token"], reported["upload without a token"]) == 0
    assert len([kind for kind in reported if kind.startswith("query at port")]) >= 2
    health, metrics, refused = mixture.looks
    assert json.loads(health[1])["replicas"] == ["ok", "ok"]
    assert metrics[1].count("portico_replica_usable{") == metrics[1].count("portico_replica_lag_seconds{") == 2
    assert (refused[0], json.loads(refused[1])["errors"][0]["extensions"]["code"]) == (400, "BAD_USER_INPUT")
