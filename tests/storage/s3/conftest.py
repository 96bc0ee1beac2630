"""A service with the S3 protocol, and boto3 as its client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.postgres_server import PostgresServer
from tests.storage.s3.clients import KEY, SECRET_KEY, client
from tests.storage.service import Service, running


@pytest.fixture(scope="session")
def s3_service(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """One service for all tests that do not change its settings; each test creates its own buckets."""
    folder = tmp_path_factory.mktemp("s3objects")
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    with running(postgres, storage_database(), folder, upload_size_limit=64 * 1024**2, **keys) as service:
        yield service


@pytest.fixture
def s3(s3_service: Service) -> Any:
    """boto3's client with the access key of the service role."""
    return client(s3_service)
