"""A real server of each kind, on which a backend can be opened."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.discovery import plugin_manager
from app.storage.bytes.backend import Backend, open_backend
from tests.storage_backends import azurite

BUCKET = "portico-blobs"
KINDS = ("file", "s3", "gcs", "azure")


@dataclass(frozen=True)
class Place:
    """A place for blobs: a storage URL, its environment variables, and the port of its server."""

    kind: str
    url: str
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = 0

    def behind(self, port: int) -> Place:
        """The same place seen through a relay on another port."""
        environment = {
            name: value.replace(f"127.0.0.1:{self.port}", f"127.0.0.1:{port}")
            for name, value in self.environment.items()
        }
        return Place(self.kind, self.url, environment, port)

    @contextmanager
    def backend(self) -> Iterator[Backend]:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            backend = open_backend(plugin_manager(), self.url)
            try:
                yield backend
            finally:
                backend.close()


class Places:
    """The places of a test session; the server of each is started on first use."""

    def __init__(self, folder: Path, exits: ExitStack) -> None:
        self._folder = folder
        self._exits = exits
        self._places: dict[str, Place] = {}
        self._missing: dict[str, str] = {}

    def get(self, kind: str) -> Place:
        """The place; skips the test if its server is not available, which is checked once."""
        if kind in self._missing:
            pytest.skip(self._missing[kind])
        if kind not in self._places:
            try:
                self._places[kind] = getattr(self, f"_{kind}")()
            except pytest.skip.Exception as ex:
                self._missing[kind] = str(ex)
                raise
        return self._places[kind]

    def _file(self) -> Place:
        return Place("file", f"file://{self._folder}/blobs")

    def _s3(self) -> Place:
        moto = pytest.importorskip("moto.server")
        boto3 = pytest.importorskip("boto3")
        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        server = moto.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
        server.start()
        self._exits.callback(server.stop)
        port = server.get_host_and_port()[1]
        environment = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            with closing(boto3.client("s3")) as client:
                client.create_bucket(Bucket=BUCKET)
        return Place("s3", f"s3://{BUCKET}/below/a prefix", environment, port)

    def _gcs(self) -> Place:
        emulator = pytest.importorskip("gcp_storage_emulator.server")
        server = emulator.create_server("127.0.0.1", 0, in_memory=True, default_bucket=BUCKET)
        # It would write all its metadata to disk after every request: minutes for 1,000 blobs.
        server._storage._write_config_to_file = lambda: None
        server.start()
        self._exits.callback(server.stop)
        port = server._api._httpd.server_address[1]
        return Place("gcs", f"gs://{BUCKET}/below", {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}"}, port)

    def _azure(self) -> Place:
        blob = pytest.importorskip("azure.storage.blob")
        folder = self._folder / "azurite"
        folder.mkdir()
        try:
            port = self._exits.enter_context(azurite.running(folder))
        except azurite.NoAzurite as ex:
            pytest.skip(f"no Azure emulator: {ex}")
        connection = azurite.connection_string(port)
        with blob.BlobServiceClient.from_connection_string(connection) as service:
            service.create_container(BUCKET)
        return Place("azure", f"azure://{BUCKET}/below", {"AZURE_STORAGE_CONNECTION_STRING": connection}, port)
