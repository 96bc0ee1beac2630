"""Every protocol that stores an object, as a client would use it: the request, and its outcome."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import requests
from botocore.exceptions import ClientError

from tests.storage.s3.clients import as_user
from tests.storage.service import Service

STORED = "stored"
_REFUSALS = {
    "EntityTooLarge": "too large",
    "InvalidMimeType": "type",
    "AccessDenied": "denied",
    "KeyAlreadyExists": "exists",
    "PreconditionFailed": "exists",
    "NoSuchBucket": "no bucket",
    # A row that this one refers to is not there.
    "InvalidRequest": "no bucket",
}
_STATUSES = {413: "too large", 415: "type", 403: "denied", 409: "exists", 404: "no bucket"}


@dataclass(frozen=True)
class Sent:
    """An object on its way in. ``replaces``: whether it may replace one."""

    bucket: str
    key: str
    content: bytes
    content_type: str = "image/png"
    seconds: int = 60
    user_metadata: Mapping[str, str] = field(default_factory=dict)
    replaces: bool = True

    @property
    def caching(self) -> str:
        return f"max-age={self.seconds}"

    @property
    def headers(self) -> dict[str, str]:
        """Those of the REST API."""
        answered = {"content-type": self.content_type, "cache-control": self.caching}
        if self.user_metadata:
            answered["x-metadata"] = b64encode(json.dumps(self.user_metadata).encode()).decode()
        return answered | ({"x-upsert": "true"} if self.replaces else {})

    @property
    def arguments(self) -> dict[str, Any]:
        """Those of boto3 for a new object."""
        named = {"Bucket": self.bucket, "Key": self.key, "ContentType": self.content_type}
        return {**named, "CacheControl": self.caching, "Metadata": dict(self.user_metadata)}

    @property
    def condition(self) -> dict[str, str]:
        return {} if self.replaces else {"IfNoneMatch": "*"}


def _answered(answer: requests.Response) -> str:
    if answer.ok:
        return STORED
    return _REFUSALS[answer.json()["code"]]


def _asked(act: Callable[..., object], **arguments: Any) -> str:
    try:
        act(**arguments)
    except ClientError as ex:
        return _REFUSALS[ex.response["Error"]["Code"]]
    return STORED


def rest_post(service: Service, user: str, sent: Sent) -> str:
    return _answered(service.post(f"/object/{sent.bucket}/{sent.key}", user, data=sent.content, headers=sent.headers))


def rest_put(service: Service, user: str, sent: Sent) -> str:
    return _answered(service.put(f"/object/{sent.bucket}/{sent.key}", user, data=sent.content, headers=sent.headers))


def signed_upload(service: Service, user: str, sent: Sent) -> str:
    # The policies are asked when the URL is signed, and again when it is used.
    signed = service.post(f"/object/upload/sign/{sent.bucket}/{sent.key}", user, headers=sent.headers)
    if not signed.ok:
        return _answered(signed)
    return _answered(service.put(signed.json()["url"], None, data=sent.content, headers=sent.headers))


def direct_upload(service: Service, user: str, sent: Sent) -> str:
    signed = service.post(f"/object/upload/sign/{sent.bucket}/{sent.key}", user, headers=sent.headers)
    if not signed.ok:
        return _answered(signed)
    place = signed.json()["url"].replace("/object/upload/sign/", "/upload/direct/")
    begun = service.post(place, None, headers={**sent.headers, "upload-length": str(len(sent.content))})
    if not begun.ok:
        return _answered(begun)
    answered = begun.json()
    requests.request(
        answered["method"], answered["url"], headers=answered["headers"], data=sent.content
    ).raise_for_status()
    return _answered(service.post(answered["completeURL"], None))


def s3_put(service: Service, user: str, sent: Sent) -> str:
    return _asked(as_user(service, user).put_object, **sent.arguments, **sent.condition, Body=sent.content)


def s3_multipart(service: Service, user: str, sent: Sent) -> str:
    s3 = as_user(service, user)

    def upload() -> None:
        named: dict[str, Any] = {"Bucket": sent.bucket, "Key": sent.key}
        named["UploadId"] = s3.create_multipart_upload(**sent.arguments)["UploadId"]
        half = len(sent.content) // 2
        parts = [
            {"PartNumber": number, "ETag": s3.upload_part(**named, PartNumber=number, Body=body)["ETag"]}
            for number, body in ((1, sent.content[:half]), (2, sent.content[half:]))
        ]
        s3.complete_multipart_upload(**named, **sent.condition, MultipartUpload={"Parts": parts})

    return _asked(upload)


def s3_form(service: Service, user: str, sent: Sent) -> str:
    fields = {"Content-Type": sent.content_type, "Cache-Control": sent.caching}
    fields |= {f"x-amz-meta-{name}": value for name, value in sent.user_metadata.items()}
    fields |= {} if sent.replaces else {"if-none-match": "*"}
    form = as_user(service, user).generate_presigned_post(
        sent.bucket, sent.key, Fields=fields, Conditions=[{name: value} for name, value in fields.items()]
    )
    files = {"file": ("a name", sent.content)}
    answer = requests.post(form["url"], data=form["fields"], files=files, timeout=30)
    return STORED if answer.ok else _REFUSALS[ElementTree.fromstring(answer.text).findtext("Code") or ""]


def resumable(service: Service, user: str, sent: Sent) -> str:
    values = {
        "bucketName": sent.bucket, "objectName": sent.key, "contentType": sent.content_type,
        "cacheControl": str(sent.seconds),
    }  # fmt: skip
    values |= {"metadata": json.dumps(dict(sent.user_metadata))} if sent.user_metadata else {}
    metadata = ",".join(f"{name} {b64encode(value.encode()).decode()}" for name, value in values.items())
    headers = {"tus-resumable": "1.0.0", **({"x-upsert": "true"} if sent.replaces else {})}
    about = {"upload-length": str(len(sent.content)), "upload-metadata": metadata}
    answer = service.post("/upload/resumable", user, headers={**headers, **about})
    half = len(sent.content) // 2
    path = answer.headers.get("location", "").removeprefix(service.url)
    for offset, body in ((0, sent.content[:half]), (half, sent.content[half:])):
        if answer.ok:
            answered = {"upload-offset": str(offset), "content-type": "application/offset+octet-stream"}
            answer = service.request("PATCH", path, user, {**headers, **answered}, data=body)
    return STORED if answer.ok else _STATUSES[answer.status_code]


Send = Callable[[Service, str, Sent], str]


@dataclass(frozen=True)
class UploadFace:
    """``always_replaces``: whether it needs the right to replace, even if there is nothing yet. ``events``: the types
    of the events of a new object and of a replaced one. ``upload_type``: the type of upload in these events."""

    name: str
    send: Send
    events: tuple[str, str]
    upload_type: str = "standard"
    always_replaces: bool = False
    creates: bool = True


FACES = (
    UploadFace("rest post", rest_post, ("Post", "Post")),
    UploadFace("rest put", rest_put, ("Put", "Put"), always_replaces=True, creates=False),
    UploadFace("signed upload", signed_upload, ("Put", "Put")),
    UploadFace("direct upload", direct_upload, ("Post", "Put")),
    UploadFace("s3 put", s3_put, ("Put", "Put"), "s3"),
    UploadFace("s3 multipart", s3_multipart, ("Post", "Put"), "s3", always_replaces=True),
    UploadFace("s3 form", s3_form, ("Post", "Post"), "s3"),
    UploadFace("resumable", resumable, ("Post", "Put"), "resumable"),
)
