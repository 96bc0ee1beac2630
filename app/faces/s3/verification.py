"""Verifies the signatures of requests."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from app.faces.s3.errors import S3Error, access_denied
from app.faces.s3.request_signature import RequestSignature
from app.faces.s3.signature import (
    canonical_query,
    canonical_request,
    canonical_value,
    sign,
    signing_key,
    string_to_sign,
)
from app.faces.s3.signed_variants import Candidate, candidates
from app.http.head import Head

log = logging.getLogger("portico.storage.s3")

_LONGEST_LOGGED = 1200
_MESSAGE = (
    "The request signature we calculated does not match the signature you provided. Check your key and signing method."
)
_UNSIGNED_ALLOWED = frozenset({
    "x-amz-date", "x-amz-content-sha256", "x-amz-user-agent", "x-amz-cf-id", "x-amz-trailer",
    "x-amz-decoded-content-length",
})  # fmt: skip
_UNSIGNED_PREFIXES = ("x-amz-checksum-", "x-amz-sdk-")
_REMEMBERED_HOSTS = 1000
# More heads are not remembered, see app.http.head.
_MOST_CHECKED = 64
_LONGEST_HOST = 261


def check_signed_headers(head: Head, signature: RequestSignature) -> None:
    """Raise S3Error unless the host is signed, and every header that could change the effect of the request.

    Otherwise the holder of a presigned URL could add a header, such as the source of a copy.
    """
    signed = set(signature.signed_headers)
    extra = [
        name
        for name, _ in head.lines
        if name.startswith("x-amz-")
        and name not in signed
        and name not in _UNSIGNED_ALLOWED
        and not name.startswith(_UNSIGNED_PREFIXES)
    ]
    if "host" not in signed:
        extra.append("host")
    if extra:
        message = "There were headers present in the request which were not signed"
        raise S3Error("AccessDenied", 403, message, details=(("HeadersNotSigned", ", ".join(dict.fromkeys(extra))),))


@dataclass(slots=True)
class Verifier:
    """Verifies signatures. ``host``: the face's own host name. ``debug``: whether errors contain the text that the
    service has signed."""

    public_url: str | None
    host: str | None = None
    debug: bool = False
    _winners: dict[str, int] = field(default_factory=dict)
    _checked: dict[Head, str] = field(default_factory=dict, repr=False)

    def check_early(self, head: Head, signature: RequestSignature, secret: str) -> None:
        """``check`` before the body is received; the next ``check`` of the same head then takes no time."""
        self.check(head, signature, secret)
        if len(self._checked) >= _MOST_CHECKED:
            # Requests whose body never arrived.
            self._checked.clear()
        self._checked[head] = secret

    def check(self, head: Head, signature: RequestSignature, secret: str) -> None:
        """Raise S3Error unless the request was signed with ``secret``."""
        if self._checked and self._checked.pop(head, None) == secret:
            return
        check_signed_headers(head, signature)
        key = signing_key(secret, signature.scope)
        query = canonical_query(head.query_string)
        client_host = head.headers.get("host", "")
        values = _signed_values(head, signature)
        first = ""
        for number, candidate in self._in_order(head, client_host):
            # The first variant is the request as received.
            signed = list(values.items()) if number == 0 else _signed(values, candidate)
            canonical = canonical_request(head.method, candidate.path, query, signed, signature.payload)
            text = string_to_sign(signature.moment, signature.scope, canonical)
            if hmac.compare_digest(sign(key, text), signature.signature):
                self._remember(client_host, number)
                return
            if number == 0:
                first = canonical
        raise self._mismatch(head, signature, first)

    def check_policy(self, policy: str, signature: RequestSignature, secret: str) -> None:
        """Raise S3Error unless the policy of a form was signed with ``secret``."""
        if not hmac.compare_digest(sign(signing_key(secret, signature.scope), policy), signature.signature):
            raise S3Error("SignatureDoesNotMatch", 403, _MESSAGE)

    def _in_order(self, head: Head, client_host: str) -> Iterator[tuple[int, Candidate]]:
        """The candidates with their numbers; the one that matched for this host before comes first."""
        known = self._winners.get(client_host, 0)
        numbered = enumerate(candidates(head, self.public_url, self.host))
        if not known:
            yield from numbered
            return
        every = list(numbered)
        yield from sorted(every, key=lambda each: each[0] != known)

    def _remember(self, client_host: str, number: int) -> None:
        # A longer value is not a host name, and a client with valid signatures may send any number of them.
        if len(client_host) <= _LONGEST_HOST and number != self._winners.get(client_host, 0):
            if len(self._winners) >= _REMEMBERED_HOSTS:
                self._winners.clear()
            self._winners[client_host] = number

    def _mismatch(self, head: Head, signature: RequestSignature, canonical: str) -> S3Error:
        """The error. Also logs a line for the operator that shows the request as it arrived."""
        absent = sorted(set(signature.signed_headers) - head.headers.keys())
        log.warning(
            "a signature does not match: %s %s, host %s, key %s, signed headers %s, absent of these: %s, signed at %s",
            *map(
                _shortened,
                (
                    head.method,
                    head.path,
                    head.headers.get("host", ""),
                    signature.access_key,
                    ";".join(signature.signed_headers),
                    ", ".join(absent) or "none",
                    signature.moment,
                ),
            ),
        )
        details: tuple[tuple[str, str], ...] = ()
        if self.debug:
            text = string_to_sign(signature.moment, signature.scope, canonical)
            details = (("StringToSign", text), ("CanonicalRequest", canonical))
        return S3Error("SignatureDoesNotMatch", 403, _MESSAGE, details=details)


def _shortened(text: str) -> str:
    """The text, limited to the length that an ordinary client sends, since anyone may send long texts repeatedly."""
    return text if len(text) <= _LONGEST_LOGGED else f"{text[:_LONGEST_LOGGED]}... ({len(text)} characters)"


def _signed_values(head: Head, signature: RequestSignature) -> dict[str, str]:
    """The canonical values of the signed headers. They are computed once, since any client can choose their number."""
    given: dict[str, list[str]] = {name: [] for name in signature.signed_headers}
    for name, value in head.lines:
        if name in given:
            given[name].append(value)
    return {name: canonical_value(values) for name, values in given.items()}


def _signed(values: Mapping[str, str], candidate: Candidate) -> list[tuple[str, str]]:
    """The signed headers with the values that they have in this variant of the request."""
    changed = {"host": candidate.host, "accept-encoding": candidate.accept_encoding}
    of_variant = {name: canonical_value([value or ""]) for name, value in changed.items() if name in values}
    return list({**values, **of_variant}.items())


def missing_signature() -> S3Error:
    """The request is not signed."""
    return access_denied("Missing signature")
