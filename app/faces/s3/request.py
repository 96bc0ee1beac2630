"""The request that an operation of this protocol takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.faces.s3.body import VerifiedBody, read_all
from app.faces.s3.errors import access_denied, invalid_argument
from app.faces.s3.request_signature import RequestSignature
from app.faces.s3.xml_reading import MAX_XML_BYTES
from app.settings import Settings
from app.storage.records import ObjectName
from app.storage.request_context import RequestContext


@dataclass(frozen=True, slots=True)
class S3Request:
    """One request. Names in ``headers`` are in lower case; ``query`` has the last value of each parameter.

    ``bucket`` and ``key`` are '' if the request names none. ``is_signed``: whether it has a credential.
    ``allowed_buckets``: the buckets for which its access key is valid; None for all. ``base``: the URL of the face, as
    the client knows it. ``authenticate_form`` takes this request and the signature of a form's policy, and returns the
    request with its caller.
    """

    context: RequestContext
    method: str
    bucket: str
    key: str
    headers: Mapping[str, str] = field(repr=False)
    query: Mapping[str, str] = field(repr=False)
    body: VerifiedBody = field(repr=False)
    is_signed: bool
    allowed_buckets: frozenset[str] | None
    base: str
    settings: Settings
    authenticate_form: Callable[[S3Request, RequestSignature, str], S3Request] = field(repr=False)

    @property
    def name(self) -> ObjectName:
        """The object that the path names."""
        return ObjectName(self.bucket, self.key)

    @property
    def version_id(self) -> str | None:
        """The version of the object that the request means; None for the current one."""
        return self.query.get("versionId") or None

    @property
    def is_head(self) -> bool:
        return self.method == "HEAD"

    def document(self) -> bytes:
        """The body of a request that has an XML document. Raises S3Error if it is too long."""
        return read_all(self.body, MAX_XML_BYTES)

    def check_bucket(self, bucket: str) -> None:
        """Raise S3Error if the access key is not valid for the bucket."""
        if self.allowed_buckets is not None and bucket not in self.allowed_buckets:
            raise access_denied("The access key is not for this bucket")

    def number(self, name: str, default: int, *, least: int = 0, most: int) -> int:
        """A number in the query; larger values become ``most``. Raises S3Error."""
        return _number(self.query, name, default, least=least, most=most)

    def number_in_header(self, name: str, default: int, *, most: int) -> int:
        """A number in a header, as in ``number``."""
        return _number(self.headers, name, default, least=0, most=most)


def _number(given: Mapping[str, str], name: str, default: int, *, least: int, most: int) -> int:
    value = given.get(name)
    if value is None:
        return default
    digits = value.removeprefix("+")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 9 or int(digits) < least:
        raise invalid_argument(f"Argument {name} must be an integer >= {least}")
    return min(int(digits), most)
