"""Every protocol that refuses a key of another script names the setting that allows it."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
import requests

from tests.process.running import PATIENCE_S
from tests.storage.s3.clients import client
from tests.storage.service import SERVICE, Service
from tests.storage.test_resumable import Client

KEY = "Grüße/файл.txt"
Send = Callable[[Service, str], requests.Response]


def rest(method: str, path: str) -> Send:
    def send(service: Service, bucket: str) -> requests.Response:
        return service.request(method, f"{path}/{bucket}/{quote(KEY)}", data=b"x")

    return send


def between(path: str, source: str, target: str) -> Send:
    names = {"sourceKey": source, "destinationKey": target}
    return lambda service, bucket: service.post(path, json={"bucketId": bucket, **names})


def presigned(operation: str) -> Send:
    def send(service: Service, bucket: str) -> requests.Response:
        method = "POST" if operation == "create_multipart_upload" else "PUT"
        url = client(service).generate_presigned_url(operation, Params={"Bucket": bucket, "Key": KEY})
        return requests.request(method, url, data=b"x" if method == "PUT" else None, timeout=PATIENCE_S)

    return send


def form(service: Service, bucket: str) -> requests.Response:
    posted = client(service).generate_presigned_post(bucket, KEY)
    return requests.post(posted["url"], data=posted["fields"], files={"file": ("k", b"x")}, timeout=PATIENCE_S)


def resumable(service: Service, bucket: str) -> requests.Response:
    return Client(service, SERVICE).create(f"{bucket}/{KEY}", 1)


FACES: dict[str, Send] = {
    "rest post": rest("POST", "/object"),
    "rest put": rest("PUT", "/object"),
    "sign upload": rest("POST", "/object/upload/sign"),
    "copy": between("/object/copy", "there", KEY),
    "copy from": between("/object/copy", KEY, "elsewhere"),
    "move": between("/object/move", "there", KEY),
    "s3 put": presigned("put_object"),
    "s3 multipart": presigned("create_multipart_upload"),
    "s3 form": form,
    "resumable": resumable,
}


@pytest.mark.parametrize("face", FACES)
def test_the_refusal_names_the_setting(s3_service: Service, face: str) -> None:
    bucket = s3_service.bucket()
    s3_service.upload(f"{bucket}/there").raise_for_status()
    answer = FACES[face](s3_service, bucket)
    assert answer.status_code == 400
    assert "Invalid key: Gr" in answer.text
    assert "OBJECT_KEYS=unicode" in answer.text
    assert s3_service.sql(f"select name from storage.objects where bucket_id = '{bucket}'") == [["there"]]
