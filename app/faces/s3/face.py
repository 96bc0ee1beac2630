"""The face of this protocol: where it is, who sent a request, and what becomes of it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import unquote_to_bytes, urlsplit
from uuid import uuid4

from app.errors import PorticoError
from app.faces.s3.body import verified_body
from app.faces.s3.buckets import check_expected_owners
from app.faces.s3.checksums import without_checksums
from app.faces.s3.chunked import ChunkSigner
from app.faces.s3.errors import S3Error, as_s3_error, no_such_version
from app.faces.s3.host_names import bucket_of_host
from app.faces.s3.key_ring import KeyRing, SecretOf
from app.faces.s3.object_headers import check_refused_headers
from app.faces.s3.presented_signature import Presented, check_time, presented_by
from app.faces.s3.probe import PARAMETER, answer_probe, is_probe
from app.faces.s3.query_headers import with_query_headers
from app.faces.s3.request import S3Request, S3Settings
from app.faces.s3.routes import S3Operation, route
from app.faces.s3.signature import UNSIGNED, signing_key
from app.faces.s3.verification import Verifier, missing_signature
from app.faces.shared.upload_body import check_declared
from app.http.head import Head
from app.http.response import Response
from app.identity import Caller
from app.storage.bytes.backend import ByteSource
from app.storage.request_context import RequestContext, anonymous
from app.storage.storage import Storage

PATH = "/s3"
_PREFIX = "/storage/v1"
_PORT = re.compile(r":[0-9]+\Z")


@dataclass(frozen=True, slots=True)
class Addressed:
    """What a request is about. ``base`` is the path of the protocol, as the client knows it; ``by_host``: whether the
    host name led here, and not the path."""

    bucket: str
    key: str
    base: str
    by_host: bool


@dataclass(frozen=True, slots=True)
class Authenticated:
    """Who sent a request, and with what signature; None where it has none and needs none."""

    caller: Caller
    presented: Presented | None
    found: SecretOf | None


class S3Face:
    """Shared by the threads of a process."""

    def __init__(self, storage: Storage, keys: KeyRing, settings: S3Settings, probe_secret: str | None = None) -> None:
        self._probe_secret = probe_secret
        self._storage = storage
        self._keys = keys
        self.settings = settings
        self._verifier = Verifier(settings.public_url, settings.host, settings.debug)
        self._anonymous = anonymous()

    def leads_here(self, path: str, host: str | None) -> bool:
        """Whether a request to this path, at this host, is one of this protocol."""
        inner = path.removeprefix(_PREFIX)
        return inner == PATH or inner.startswith(PATH + "/") or self._host_of(host) is not None

    def place(self, head: Head) -> Addressed:
        """What the request is about. Raises S3Error for a path that is not UTF-8, or spells that of the
        protocol otherwise."""
        host = self._host_of(head.headers.get("host"))
        path, base = head.path, ""
        if host is None:
            base = _PREFIX + PATH if path.startswith(_PREFIX) else PATH
            if path != base and not path.startswith(base + "/"):
                raise _invalid_uri()
            path = path[len(base) :]
        elif host:
            return Addressed(host, _decoded(path[1:]), "", by_host=True)
        bucket, _, key = path.removeprefix("/").partition("/")
        return Addressed(_decoded(bucket), _decoded(key), base, by_host=host is not None)

    def _host_of(self, given: str | None) -> str | None:
        return bucket_of_host(given, self.settings.host)

    def refusal(self, head: Head, error: PorticoError, request_id: str | None = None) -> Response:
        """The answer for an error."""
        resource = head.path.removeprefix(_PREFIX)
        if self._host_of(head.headers.get("host")) is None:
            resource = resource.removeprefix(PATH)
        request_id = request_id or new_request_id()
        response = as_s3_error(error).response(head=head.method == "HEAD", resource=resource, request_id=request_id)
        return response._replace(headers=(*response.headers, ("x-amz-request-id", request_id)))

    def request(
        self, head: Head, source: ByteSource, length: int | None, request_id: str
    ) -> tuple[S3Operation, S3Request]:
        """The operation of a request and what it takes. Raises S3Error for a request that may not come in."""
        place = self.place(head)
        query = head.query()
        headers = with_query_headers(head.headers, query)
        operation = route(head.method, place.bucket, place.key, query, headers)
        authenticated = self.authenticate(head, query, operation)
        if operation.takes_object:
            check_declared(headers)
        found, presented = authenticated.found, authenticated.presented
        payload = presented.payload if presented is not None else UNSIGNED
        described = without_checksums(headers) if operation.joins_parts else headers
        request = S3Request(
            context=RequestContext(
                contexts=self._storage.contexts,
                caller=authenticated.caller,
                operation=operation.name,
                method=head.method,
                path=head.path,
                headers=head.headers,
                token=found.token if found is not None else "",
                given_id=request_id,
                access_key=found.stored if found is not None else None,
            ),
            method=head.method,
            bucket=place.bucket,
            key=place.key,
            headers=headers,
            query=query,
            body=verified_body(source, length, described, payload, partial(_signer, presented, found)),
            is_signed=presented is not None,
            allowed_buckets=found.buckets if found is not None else None,
            base=self._base(head, place),
            settings=self.settings,
            enter=self._enter,
        )
        if request.bucket:
            request.check_bucket(request.bucket)
        return operation, request

    def probe(self, head: Head) -> Response | None:
        """The answer to a probe of the operator; None for any other request."""
        if PARAMETER not in head.query_string or not self._probe_secret:
            return None
        if not is_probe(head.query(), self._probe_secret):
            return None
        return answer_probe(head, self._verifier, self._probe_secret)

    def run(self, operation: S3Operation, request: S3Request) -> Response:
        """The answer to a call."""
        if request.query.get("versionId", "null") not in ("null", ""):
            raise no_such_version()
        check_refused_headers(request.headers)
        check_expected_owners(request)
        return operation.run(self._storage, request)

    def authenticate(self, head: Head, query: Mapping[str, str], operation: S3Operation) -> Authenticated:
        """Who sent a request. Raises S3Error."""
        presented = presented_by(head, query)
        if presented is None:
            if operation.is_public or operation.is_form:
                return Authenticated(self._anonymous, None, None)
            raise missing_signature()
        check_time(presented, time.time())
        found = self._keys.find(presented)
        self._verifier.check(head, presented, found.secret)
        return Authenticated(found.caller(), presented, found)

    def _enter(self, request: S3Request, presented: Presented, policy: str) -> S3Request:
        """The call of a form with this signature of its policy. Raises S3Error."""
        check_time(replace(presented, expires_s=604_800), time.time())
        found = self._keys.find(presented)
        self._verifier.check_policy(policy, presented, found.secret)
        context = replace(request.context, caller=found.caller(), token=found.token, access_key=found.stored)
        known = replace(request, context=context, is_signed=True, allowed_buckets=found.buckets)
        known.check_bucket(known.bucket)
        return known

    def _base(self, head: Head, place: Addressed) -> str:
        public = self.settings.public_url
        if public and not place.by_host:
            inner = (
                place.base.removeprefix(_PREFIX) if urlsplit(public).path.rstrip("/").endswith(_PREFIX) else place.base
            )
            return public.rstrip("/") + inner
        scheme = head.headers.get("x-forwarded-proto", "http").partition(",")[0].strip()
        host = head.headers.get("host", "")
        if place.by_host:
            host = _with_port_of(host, self.settings.host or "")
        return f"{scheme if scheme in ('http', 'https') else 'http'}://{host}{place.base}"


def _with_port_of(given: str, own: str) -> str:
    """The protocol's ``own`` host name, with the port of the header Host unless it has one."""
    port = _PORT.search(given)
    return own + port[0] if port and ":" not in own else own


def _signer(presented: Presented | None, found: SecretOf | None) -> ChunkSigner:
    if presented is None or found is None:
        raise missing_signature()
    key = signing_key(found.secret, presented.scope)
    return ChunkSigner(key, presented.moment, presented.scope, presented.signature)


def _decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text.encode("latin-1")).decode()
    except ValueError:
        raise _invalid_uri() from None


def _invalid_uri() -> S3Error:
    return S3Error("InvalidURI", 400, "Couldn't parse the specified URI.")


def new_request_id() -> str:
    return str(uuid4())
