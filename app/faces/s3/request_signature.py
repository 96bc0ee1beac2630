"""Reads the signature of a request: from a header, from the query, or from the fields of a form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from app.faces.s3.errors import S3Error, access_denied, invalid_request
from app.faces.s3.signature import ALGORITHM, EMPTY, UNSIGNED, Scope
from app.http.head import Head
from app.times import read_http_date

_MOMENT = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_SIGNATURE = re.compile(r"[0-9a-f]{64}", re.ASCII)
_PARTS = {"Credential", "SignedHeaders", "Signature"}
_WITHOUT_BODY = ("GET", "HEAD", "DELETE")
_LONGEST_S = 604_800
_LONGEST_CREDENTIAL = 500
_SKEW_S = 15 * 60
_OLDER = "This service verifies signatures of version 4: set signature_version='s3v4' in the client."


@dataclass(frozen=True, slots=True)
class RequestSignature:
    """The signature of a request. ``moment``: when it was signed, as yyyymmddThhmmssZ. ``expires_s``: the lifetime of a
    presigned URL in seconds; None if the signature is in a header. ``payload``: the value of x-amz-content-sha256.
    ``token``: the session token."""

    access_key: str
    scope: Scope
    moment: str
    signed_headers: tuple[str, ...]
    signature: str = field(repr=False)
    payload: str = UNSIGNED
    expires_s: int | None = None
    token: str | None = field(default=None, repr=False)


def signature_of_request(head: Head, query: Mapping[str, str]) -> RequestSignature | None:
    """The signature in the header or in the query; None without one. Raises S3Error for a malformed signature."""
    authorization = head.headers.get("authorization", "")
    if authorization.startswith(ALGORITHM):
        return _of_header(head, authorization)
    if query.get("X-Amz-Algorithm") == ALGORITHM:
        return _of_query(head, query)
    if authorization.startswith("AWS ") or ("Signature" in query and "AWSAccessKeyId" in query):
        raise invalid_request(_OLDER)
    return None


def signature_of_form(fields: Mapping[str, str]) -> RequestSignature:
    """The signature in the fields of a form; it signs the field ``policy``. The names of ``fields`` are in lower
    case."""
    if fields.get("x-amz-algorithm") != ALGORITHM:
        raise invalid_request(_OLDER) if "awsaccesskeyid" in fields else access_denied("Missing signature")
    access_key, scope = _credential(fields.get("x-amz-credential", ""))
    return RequestSignature(
        access_key=access_key,
        scope=scope,
        moment=_moment(fields.get("x-amz-date", ""), scope),
        signed_headers=(),
        signature=_signature(fields.get("x-amz-signature", "")),
        token=fields.get("x-amz-security-token"),
    )


def _of_header(head: Head, authorization: str) -> RequestSignature:
    parts = _parts(authorization[len(ALGORITHM) :])
    if not parts.keys() >= _PARTS:
        raise malformed("Credential, SignedHeaders and Signature are expected")
    access_key, scope = _credential(parts["Credential"])
    return RequestSignature(
        access_key=access_key,
        scope=scope,
        moment=_moment(head.headers.get("x-amz-date") or _as_moment(head.headers.get("date", "")), scope),
        signed_headers=_names(parts["SignedHeaders"]),
        signature=_signature(parts["Signature"]),
        payload=head.headers.get("x-amz-content-sha256", EMPTY if head.method in _WITHOUT_BODY else UNSIGNED),
        token=head.headers.get("x-amz-security-token"),
    )


def _parts(text: str) -> dict[str, str]:
    """The parts of the header by name. A regular expression would backtrack over spaces, whose number any client can
    choose."""
    pairs = (each.partition("=") for each in text.split(","))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _of_query(head: Head, query: Mapping[str, str]) -> RequestSignature:
    access_key, scope = _credential(query.get("X-Amz-Credential", ""))
    signed = _names(query.get("X-Amz-SignedHeaders", ""))
    payload = query.get("X-Amz-Content-Sha256")
    if payload is None:
        # Without a signature the header could have been changed, so it is ignored.
        given = head.headers.get("x-amz-content-sha256") if "x-amz-content-sha256" in signed else None
        payload = given or UNSIGNED
    return RequestSignature(
        access_key=access_key,
        scope=scope,
        moment=_moment(query.get("X-Amz-Date", ""), scope),
        signed_headers=signed,
        signature=_signature(query.get("X-Amz-Signature", "")),
        payload=payload,
        expires_s=_expires(query.get("X-Amz-Expires", "")),
        token=query.get("X-Amz-Security-Token") or head.headers.get("x-amz-security-token"),
    )


def _names(text: str) -> tuple[str, ...]:
    """The names of the signed headers. Each may occur once, so that the signed text is no longer than the request."""
    names = tuple(text.lower().split(";"))
    if len(set(names)) < len(names):
        raise malformed("a header is signed twice")
    return names


# Cached, since a client sends the same credential all day.
@lru_cache(256)
def _credential(text: str) -> tuple[str, Scope]:
    # A longer credential is malformed. It raises, so it is not cached.
    parts = text.rsplit("/", 4) if len(text) <= _LONGEST_CREDENTIAL else ()
    if len(parts) != 5 or parts[4] != "aws4_request" or not parts[0]:
        raise malformed("the credential is expected as KEY/yyyymmdd/region/s3/aws4_request")
    access_key, date, region, service, _ = parts
    if service != "s3":
        raise access_denied("Invalid Service")
    return access_key, Scope(date, region, service)


def _moment(text: str, scope: Scope) -> str:
    if not _MOMENT.fullmatch(text):
        raise access_denied("x-amz-date is expected as yyyymmddThhmmssZ, or the header Date")
    if text[:8] != scope.date:
        raise malformed("the date of the credential is not that of x-amz-date")
    return text


def _as_moment(text: str) -> str:
    """The value of the header Date in the format of x-amz-date; '' if it is not a date."""
    date = read_http_date(text)
    return "" if date is None else datetime.fromtimestamp(date, UTC).strftime("%Y%m%dT%H%M%SZ")


def _signature(text: str) -> str:
    if not _SIGNATURE.fullmatch(text):
        raise malformed("the signature is expected as 64 hexadecimal digits")
    return text


def _expires(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= _LONGEST_S or len(text) > 9:
        raise S3Error(
            "AuthorizationQueryParametersError", 400, f"X-Amz-Expires is expected between 1 and {_LONGEST_S} seconds"
        )
    return int(text)


def malformed(why: str) -> S3Error:
    """The signature is malformed."""
    return S3Error("AuthorizationHeaderMalformed", 400, f"Invalid signature format: {why}")


def check_time(signature: RequestSignature, now: float) -> None:
    """Raise S3Error unless the signature is valid at ``now``, in seconds since 1970."""
    try:
        signed = datetime.fromisoformat(signature.moment).timestamp()
    except ValueError:
        raise access_denied("x-amz-date is not a time") from None
    if signed > now + _SKEW_S or (signature.expires_s is None and signed < now - _SKEW_S):
        raise S3Error(
            "RequestTimeTooSkewed",
            403,
            "The difference between the request time and the current time is too large.",
            details=(
                ("RequestTime", signature.moment),
                ("ServerTime", datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")),
                ("MaxAllowedSkewMilliseconds", str(_SKEW_S * 1000)),
            ),
        )
    if signature.expires_s is not None and now > signed + signature.expires_s:
        raise access_denied("Request has expired")
