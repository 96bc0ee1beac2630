"""The face of this protocol: finds the target of a request, authenticates its caller and runs its operation."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from app.errors import PorticoError
from app.faces.s3.body import verified_body
from app.faces.s3.buckets import check_expected_owners
from app.faces.s3.checksums import without_checksums
from app.faces.s3.chunked import ChunkSigner
from app.faces.s3.errors import S3Error, as_s3_error, no_such_version
from app.faces.s3.host_names import bucket_of_host
from app.faces.s3.key_ring import KeyRing, SigningSecret
from app.faces.s3.object_headers import check_refused_headers
from app.faces.s3.probe import PARAMETER, answer_probe, is_probe
from app.faces.s3.query_headers import with_query_headers
from app.faces.s3.request import S3Request
from app.faces.s3.request_signature import RequestSignature, check_time, signature_of_request
from app.faces.s3.routes import S3Operation, route
from app.faces.s3.signature import UNSIGNED, signing_key
from app.faces.s3.verification import Verifier, missing_signature
from app.faces.shared.upload_body import check_declared
from app.http.head import Head
from app.http.response import Response
from app.identity import Caller
from app.random_uuid import new_uuid
from app.settings import Settings
from app.storage.bytes.backend import ByteSource
from app.storage.request_context import RequestContext, anonymous
from app.storage.storage import Storage
from app.storage.versions import UNVERSIONED

PATH = "/s3"
_PREFIX = "/storage/v1"
_REMEMBERED_HEADS = 64
_PORT = re.compile(r":[0-9]+\Z")


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """The target of a request. ``base``: the protocol's path, as the client knows it. ``by_host``: whether the host
    name led here, and not the path."""

    bucket: str
    key: str
    base: str
    by_host: bool


class Routed(NamedTuple):
    """The operation of a request, and the values in its head that it takes. ``headers`` has also those in the query."""

    target: RequestTarget
    query: Mapping[str, str]
    headers: Mapping[str, str]
    operation: S3Operation


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The caller of a request, and its signature and secret; both are None for a request that needs no signature."""

    caller: Caller
    signature: RequestSignature | None
    found: SigningSecret | None


class S3Face:
    """The face. The threads of a process share it."""

    def __init__(self, storage: Storage, keys: KeyRing, settings: Settings, probe_secret: str | None = None) -> None:
        self._probe_secret = probe_secret
        self._storage = storage
        self._keys = keys
        self.settings = settings
        self._verifier = Verifier(settings.public_url, settings.s3_protocol_host, settings.s3_protocol_debug)
        self._anonymous = anonymous()
        # Admission needs the same as the request itself.
        self.routed = lru_cache(_REMEMBERED_HEADS)(self._routed)
        self.signature_of = lru_cache(_REMEMBERED_HEADS)(_signature_of)

    def leads_here(self, path: str, host: str | None) -> bool:
        """Whether a request to this path on this host is one of this protocol."""
        inner = path.removeprefix(_PREFIX)
        return inner == PATH or inner.startswith(PATH + "/") or self._host_of(host) is not None

    def target(self, head: Head) -> RequestTarget:
        """The target of a request. Raises S3Error for a path that is not UTF-8, or in which the protocol's own path is
        spelled differently."""
        host = self._host_of(head.headers.get("host"))
        path, base = head.path, ""
        if host is None:
            base = _PREFIX + PATH if path.startswith(_PREFIX) else PATH
            if path != base and not path.startswith(base + "/"):
                raise _invalid_uri()
            path = path[len(base) :]
        elif host:
            return RequestTarget(host, _decoded(path[1:]), "", by_host=True)
        bucket, _, key = path.removeprefix("/").partition("/")
        return RequestTarget(_decoded(bucket), _decoded(key), base, by_host=host is not None)

    def _host_of(self, given: str | None) -> str | None:
        return bucket_of_host(given, self.settings.s3_protocol_host)

    def refusal(self, head: Head, error: PorticoError, request_id: str | None = None) -> Response:
        """The response for an error."""
        resource = head.path.removeprefix(_PREFIX)
        if self._host_of(head.headers.get("host")) is None:
            resource = resource.removeprefix(PATH)
        request_id = request_id or new_request_id()
        response = as_s3_error(error).response(head=head.method == "HEAD", resource=resource, request_id=request_id)
        return response._replace(headers=(*response.headers, ("x-amz-request-id", request_id)))

    def request(
        self, head: Head, source: ByteSource, length: int | None, request_id: str
    ) -> tuple[S3Operation, S3Request]:
        """The operation of a request, and the request as operations take it. Raises S3Error for a refused request."""
        target, query, headers, operation = self.routed(head)
        authenticated = self.authenticate(head, operation)
        if operation.takes_object:
            check_declared(headers)
        found, signature = authenticated.found, authenticated.signature
        payload = signature.payload if signature is not None else UNSIGNED
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
            bucket=target.bucket,
            key=target.key,
            headers=headers,
            query=query,
            body=verified_body(source, length, described, payload, partial(_signer, signature, found)),
            is_signed=signature is not None,
            allowed_buckets=found.buckets if found is not None else None,
            base=self._base(head, target),
            settings=self.settings,
            authenticate_form=self._authenticate_form,
        )
        if request.bucket:
            request.check_bucket(request.bucket)
        return operation, request

    def _routed(self, head: Head) -> Routed:
        """Raises S3Error for a head that names no operation."""
        target, query = self.target(head), head.query()
        headers = with_query_headers(head.headers, query)
        return Routed(target, query, headers, route(head.method, target.bucket, target.key, query, headers))

    def probe(self, head: Head) -> Response | None:
        """The response to an operator's probe; None for any other request."""
        if PARAMETER not in head.query_string or not self._probe_secret:
            return None
        if not is_probe(head.query(), self._probe_secret):
            return None
        return answer_probe(head, self._verifier, self._probe_secret)

    def run(self, operation: S3Operation, request: S3Request) -> Response:
        """The response to a request."""
        if not operation.takes_version and request.version_id not in (None, UNVERSIONED):
            raise no_such_version()
        check_refused_headers(request.headers)
        check_expected_owners(request)
        return operation.run(self._storage, request)

    def authenticate(self, head: Head, operation: S3Operation, *, is_early: bool = False) -> Authenticated:
        """The caller of a request. ``is_early``: its body is not received yet. Raises S3Error."""
        signature = self.signature_of(head)
        if signature is None:
            if operation.is_public or operation.is_form:
                return Authenticated(self._anonymous, None, None)
            raise missing_signature()
        check_time(signature, time.time())
        found = self._keys.find(signature)
        check = self._verifier.check_early if is_early else self._verifier.check
        check(head, signature, found.secret)
        return Authenticated(found.caller(), signature, found)

    def knows_key_of(self, head: Head) -> bool:
        """Whether ``authenticate`` needs neither the database nor the network."""
        try:
            signature = self.signature_of(head)
        except S3Error:
            return True
        return signature is None or self._keys.is_in_settings(signature)

    def _authenticate_form(self, request: S3Request, signature: RequestSignature, policy: str) -> S3Request:
        """The request of a form whose policy has this signature, with the caller. Raises S3Error."""
        check_time(replace(signature, expires_s=604_800), time.time())
        found = self._keys.find(signature)
        self._verifier.check_policy(policy, signature, found.secret)
        context = replace(request.context, caller=found.caller(), token=found.token, access_key=found.stored)
        known = replace(request, context=context, is_signed=True, allowed_buckets=found.buckets)
        known.check_bucket(known.bucket)
        return known

    def _base(self, head: Head, target: RequestTarget) -> str:
        public = self.settings.public_url
        if public and not target.by_host:
            has_prefix = urlsplit(public).path.rstrip("/").endswith(_PREFIX)
            inner = target.base.removeprefix(_PREFIX) if has_prefix else target.base
            return public.rstrip("/") + inner
        scheme = head.headers.get("x-forwarded-proto", "http").partition(",")[0].strip()
        host = head.headers.get("host", "")
        if target.by_host:
            host = _with_port_of(host, self.settings.s3_protocol_host or "")
        return f"{scheme if scheme in ('http', 'https') else 'http'}://{host}{target.base}"


def _signature_of(head: Head) -> RequestSignature | None:
    return signature_of_request(head, head.query())


def _with_port_of(given: str, own: str) -> str:
    """The protocol's ``own`` host name, with the port of the header Host unless it has one."""
    port = _PORT.search(given)
    return own + port[0] if port and ":" not in own else own


def _signer(signature: RequestSignature | None, found: SigningSecret | None) -> ChunkSigner:
    if signature is None or found is None:
        raise missing_signature()
    key = signing_key(found.secret, signature.scope)
    return ChunkSigner(key, signature.moment, signature.scope, signature.signature)


def _decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text.encode("latin-1")).decode()
    except ValueError:
        raise _invalid_uri() from None


def _invalid_uri() -> S3Error:
    return S3Error("InvalidURI", 400, "Couldn't parse the specified URI.")


def new_request_id() -> str:
    return new_uuid()
