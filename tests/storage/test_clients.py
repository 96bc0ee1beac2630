"""Released client packages through a whole life cycle: storage3 and supabase (PyPI), storage-js (npm)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.packages import program as node_program
from tests.process.running import PATIENCE_S
from tests.storage.service import ANON, SERVICE, Service, token


def test_storage3_works(service: Service, storage3_client: Callable[[Service, str], Any]) -> None:
    from storage3.exceptions import StorageApiError

    client = storage3_client(service, SERVICE)
    name = "python-bucket"
    client.create_bucket(name, options={"public": False, "file_size_limit": 1000, "allowed_mime_types": ["text/*"]})
    with pytest.raises(StorageApiError) as refused:
        client.create_bucket(name)
    assert (refused.value.code, refused.value.status) == ("Duplicate", "409")
    bucket = client.get_bucket(name)
    answered = bucket.id, bucket.public, bucket.file_size_limit, bucket.allowed_mime_types
    assert answered == (name, False, 1000, ["text/*"])
    assert bucket.owner == ""
    assert name in [each.name for each in client.list_buckets()]
    client.update_bucket(name, {"public": True, "allowed_mime_types": None})

    files = client.from_(name)
    uploaded = files.upload("folder/a b.txt", b"one", {"content-type": "text/plain", "metadata": {"who": "me"}})
    assert uploaded.full_path == f"{name}/folder/a b.txt"
    with pytest.raises(StorageApiError):
        files.upload("folder/a b.txt", b"two")
    files.upload("folder/a b.txt", b"two", {"upsert": "true"})
    files.update("folder/a b.txt", b"three")
    assert files.download("folder/a b.txt") == b"three"
    info = files.info("folder/a b.txt")
    answered = info["size"], info["content_type"], info["cache_control"]
    assert answered == (5, "text/plain;charset=UTF-8", "max-age=3600")
    assert files.exists("folder/a b.txt")
    assert not files.exists("none")
    assert [each["name"] for each in files.list()] == ["folder"]
    assert [each["name"] for each in files.list("folder", {"limit": 5, "search": "a"})] == ["a b.txt"]
    assert [each.name for each in files.list_v2({"with_delimiter": True}).folders] == ["folder/"]
    files.copy("folder/a b.txt", "copied.txt")
    files.move("copied.txt", "moved.txt")
    assert files.download("moved.txt") == b"three"

    signed = files.create_signed_url("folder/a b.txt", 60, {"download": "x.txt"})["signedURL"]
    answer = httpx.get(signed)
    assert (answer.content, answer.headers["content-disposition"][:10]) == (b"three", "attachment")
    many = files.create_signed_urls(["moved.txt", "none"], 60)
    assert httpx.get(many[0]["signedURL"]).content == b"three"
    assert many[1]["error"]
    assert httpx.get(files.get_public_url("moved.txt")).content == b"three"

    upload = files.create_signed_upload_url("signed.txt")
    stranger = storage3_client(service, ANON)
    stranger.from_(name).upload_to_signed_url(upload["path"], upload["token"], b"by anyone")
    assert files.download("signed.txt") == b"by anyone"
    with pytest.raises(StorageApiError) as denied:
        stranger.from_(name).upload("other.txt", b"x")
    assert denied.value.message == "new row violates row-level security policy"
    assert stranger.list_buckets() == []

    assert [each["name"] for each in files.remove(["moved.txt", "none"])] == ["moved.txt"]
    with pytest.raises(StorageApiError):
        client.delete_bucket(name)
    client.empty_bucket(name)
    client.delete_bucket(name)
    with pytest.raises(StorageApiError) as gone:
        client.get_bucket(name)
    assert gone.value.message == "Bucket not found"


def test_supabase_py_works(service: Service) -> None:
    """The whole client, signed in as a user under policies."""
    supabase = pytest.importorskip("supabase")
    bucket = service.bucket()
    service.sql(
        f"create policy own on storage.objects to authenticated using (bucket_id = '{bucket}' and "
        "(storage.foldername(name))[1] = auth.uid()::text) with check (bucket_id = "
        f"'{bucket}' and (storage.foldername(name))[1] = auth.uid()::text)"
    )
    client = supabase.create_client(service.url, ANON)
    try:
        user = "0b0a1c1e-5ac7-4c1e-9f0b-1d8f1f4a2a11"
        client.storage.session.headers["Authorization"] = f"Bearer {token(sub=user)}"
        client.storage._headers["Authorization"] = f"Bearer {token(sub=user)}"
        files = client.storage.from_(bucket)
        files.upload(f"{user}/mine.txt", b"mine")
        assert files.download(f"{user}/mine.txt") == b"mine"
        with pytest.raises(Exception, match="new row violates row-level security policy"):
            files.upload("elsewhere/mine.txt", b"mine")
        assert [each["name"] for each in files.list(user)] == ["mine.txt"]
        files.remove([f"{user}/mine.txt"])
        assert files.list(user) == []
    finally:
        client.storage.session.close()
        service.sql("drop policy own on storage.objects")


def test_storage_js_works(service: Service) -> None:
    life = node_program("storage.mjs")
    done = subprocess.run(
        ["node", str(life), f"{service.url}/storage/v1", SERVICE, ANON],
        cwd=life.parent,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    refused = {name: step["error"] for name, step in seen.items() if isinstance(step, dict) and "error" in step}
    assert {name: (error["message"], error["statusCode"]) for name, error in refused.items()} == {
        "createBucketAgain": ("The resource already exists", "409"),
        "uploadAgain": ("The resource already exists", "409"),
        "moveMissing": ("Object not found", "404"),
        "infoOfVersion": ("Version not found", "404"),
        "removeVersion": ("body/prefixes/0 must be string", "400"),
        "strangerUpload": ("new row violates row-level security policy", "403"),
        "strangerGet": ("Bucket not found", "404"),
        "deleteNotEmpty": ("The bucket you tried to delete is not empty", "409"),
        "getBucketGone": ("Bucket not found", "404"),
    }
    assert seen["getBucket"]["data"]["file_size_limit"] == 5_000_000
    assert seen["uploadBlob"]["data"]["fullPath"] == "js-bucket/folder/a b.txt"
    assert seen["upsert"]["data"]["id"] == seen["uploadBlob"]["data"]["id"]
    assert (seen["download"], seen["downloadBuffer"], seen["downloadStream"]) == (
        "upserted", "application/x-three", "streamed"
    )  # fmt: skip
    assert seen["zipped"] == [["gzip", True], ["gzip", True], [None, False]]
    info = seen["info"]["data"]
    assert (info["contentType"], info["cacheControl"], info["metadata"]) == (
        "application/x-three", "max-age=3600", {"n": 3}
    )  # fmt: skip
    assert seen["exists"]["data"] is True
    assert seen["existsNot"] is False
    assert [each["name"] for each in seen["list"]["data"]] == ["folder", "form.txt", "stream.txt"]
    assert [each["name"] for each in seen["listFolder"]["data"]] == ["a b.txt"]
    assert [each["name"] for each in seen["listSearch"]["data"]] == ["buffer.bin"]
    assert [each["name"] for each in seen["listV2"]["data"]["folders"]] == ["folder/"]
    assert [each["name"] for each in seen["listV2next"]["data"]["objects"]] == ["stream.txt"]
    assert seen["viaSigned"][:2] == [200, "upserted"]
    assert (seen["viaSignedMany"], seen["signedUpload"], seen["viaPublic"]) == ("updated", "by anyone", "upserted")
    assert len(seen["drawn"]) == 3
    assert all("svg" in each and "onload" not in each for each in seen["drawn"])
    assert seen["drawnAt"] == [f"/storage/v1/render/image/{route}/js-bucket/drawn.svg" for route in ("sign", "public")]
    assert [each["name"] for each in seen["remove"]["data"]] == ["form.txt"]
