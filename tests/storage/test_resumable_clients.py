"""Released clients of resumable uploads, also over connections that break at random."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.packages import program as node_program
from tests.process.running import PATIENCE_S
from tests.storage.breaking import breaking
from tests.storage.service import SERVICE, Service

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("chunk_size", [100_000, 2**40])
def test_tuspy_continues_after_breaks(service: Service, chunk_size: int) -> None:
    client = pytest.importorskip("tusclient.client")
    bucket, data = service.bucket(), os.urandom(1_000_000)
    with breaking(service.address, most=300_000) as relay:
        for name, port in (("direct", service.address[1]), ("through breaks", relay.port)):
            url = f"http://127.0.0.1:{port}/storage/v1/upload/resumable"
            uploader = client.TusClient(url, {"Authorization": f"Bearer {SERVICE}"}).uploader(
                file_stream=io.BytesIO(data),
                chunk_size=chunk_size,
                metadata={"bucketName": bucket, "objectName": name, "contentType": "text/plain"},
                upload_checksum=chunk_size < 2**40,
                retries=50,
                retry_delay=0,
                # Where its creation breaks, this client gives up.
                url=_created(service, bucket, name, len(data), port),
            )
            uploader.upload()
            found = service.get(f"/object/{bucket}/{name}")
            assert found.content == data
        assert relay.broken > 0


def _created(service: Service, bucket: str, name: str, length: int, port: int) -> str:
    from tests.storage.test_resumable import Client

    url = Client(service).begin(f"{bucket}/{name}", length)
    return f"http://127.0.0.1:{port}{url}"


def test_tus_js_client_and_supabase_js_continue_after_breaks(own_service: Callable[..., Service]) -> None:
    service = own_service(resumable_slice=2_500_000)
    life = node_program("resumable.mjs")
    bucket = service.bucket()
    with breaking(service.address, most=700_000) as relay:
        done = subprocess.run(
            ["node", str(life), service.url, f"http://127.0.0.1:{relay.port}", SERVICE, bucket],
            cwd=life.parent,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S * 3,
        )
        assert done.returncode == 0, done.stderr
        assert relay.broken > 0
    seen: dict[str, Any] = json.loads(done.stdout)
    info = seen.pop("info")
    assert (info["contentType"], info["cacheControl"], info["metadata"]) == ("x/y", "max-age=60", {"a": 1})
    whole = ("chunks", "at once", "with creation", "deferred", "deferred at once", "signed", "resumed")
    assert seen == {
        **dict.fromkeys((*whole, "through breaks", "at once through breaks"), True),
        "terminated": 404,
        "again": "The resource already exists",
    }
