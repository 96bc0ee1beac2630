"""The contract of backends, with another Portico as the S3 server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import requests

from app.storage.bytes.backend import Backend
from app.storage.bytes.upload_links import Arrived, UploadLinking
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S
from tests.storage.s3.clients import KEY, SECRET_KEY, client
from tests.storage.service import running
from tests.storage_backends import test_contract
from tests.storage_backends.conftest import folder as folder
from tests.storage_backends.places import BUCKET, Place
from tests.storage_backends.streams import MIB, md5
from tests.storage_backends.test_contract import ranged as ranged


@pytest.fixture(scope="session")
def place(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """A bucket of a Portico whose keys may have any character."""
    settings = {
        "s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY, "object_keys": "unicode",
    }  # fmt: skip
    with running(postgres, storage_database(), tmp_path_factory.mktemp("other"), **settings) as service:
        client(service).create_bucket(Bucket=BUCKET)
        environment = {
            "AWS_ENDPOINT_URL": f"{service.url}/storage/v1/s3",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        yield Place("s3", f"s3://{BUCKET}/below/a prefix", environment, service.address[1])


@pytest.fixture(scope="session")
def backend(place: Place) -> Iterator[Backend]:
    """The backend on that bucket."""
    with place.backend() as backend:
        yield backend


class TestAnotherPortico(test_contract.TestContract):
    """Slow tests with large or many blobs are run once here, the rest as on the other servers."""

    @pytest.mark.parametrize("size", [0, 1000, 8 * MIB, 9 * MIB + 3])
    @pytest.mark.parametrize("declared", [False])
    def test_a_stored_blob_is_read_back(self, backend: Backend, folder: str, size: int, declared: bool) -> None:
        super().test_a_stored_blob_is_read_back(backend, folder, size, declared)

    @pytest.mark.parametrize("size", [9 * MIB])
    def test_an_interrupted_put_keeps_the_old_blob(self, backend: Backend, folder: str, size: int) -> None:
        super().test_an_interrupted_put_keeps_the_old_blob(backend, folder, size)

    @pytest.mark.parametrize("size", [9 * MIB])
    @pytest.mark.parametrize("declared", [True])
    def test_an_interrupted_put_leaves_nothing(self, backend: Backend, folder: str, size: int, declared: bool) -> None:
        super().test_an_interrupted_put_leaves_nothing(backend, folder, size, declared)

    @pytest.mark.parametrize("size", [1000])
    def test_concurrent_puts_leave_one_whole_blob(self, backend: Backend, folder: str, size: int) -> None:
        super().test_concurrent_puts_leave_one_whole_blob(backend, folder, size)

    def test_a_link_accepts_only_its_own_blob(self, backend: Backend, folder: str) -> None:
        """This server checks signatures, unlike that of the other tests."""
        assert isinstance(backend, UploadLinking)
        link = backend.upload_link(f"{folder}sent", 4, "image/png", 60)
        assert link is not None
        for data, headers, method in (
            (b"12345", link.headers, "PUT"),
            (b"1234", {"content-type": "text/html"}, "PUT"),
            (b"1234", {**link.headers, "x-amz-copy-source": "other/secret"}, "PUT"),
            (b"", {}, "GET"),
            (b"", {}, "DELETE"),
        ):
            answer = requests.request(method, link.url, headers=dict(headers), data=data, timeout=PATIENCE_S)
            assert answer.status_code == 403, (data, headers, method)
        elsewhere = link.url.replace("/sent?", "/other?")
        assert requests.put(elsewhere, b"1234", headers=dict(link.headers), timeout=PATIENCE_S).status_code == 403
        assert backend.arrived(f"{folder}sent") is backend.arrived(f"{folder}other") is None
        requests.put(link.url, b"1234", headers=dict(link.headers), timeout=PATIENCE_S).raise_for_status()
        assert backend.arrived(f"{folder}sent") == Arrived(4, md5(b"1234"))

    test_more_blobs_than_a_page_are_listed = None  # type: ignore[assignment]
