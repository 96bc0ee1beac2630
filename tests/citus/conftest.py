"""A cluster of Citus, where CITUS_URL leads to one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.citus.cluster import Cluster, populate


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    url = os.environ.get("CITUS_URL")
    if url is None:
        pytest.skip("CITUS_URL leads to no cluster of Citus")
    running = Cluster(url)
    yield running
    running.close()


@pytest.fixture(scope="session")
def plain(cluster: Cluster) -> str:
    """The tables of the tests in a database without Citus, on the same server."""
    return populate(cluster.create(sharded=False))


@pytest.fixture(scope="session")
def by_schema(cluster: Cluster) -> str:
    return populate(cluster.create(sharded=True), by_schema=True)


@pytest.fixture(scope="session")
def by_row(cluster: Cluster) -> str:
    return populate(cluster.create(sharded=True), by_row=True)
