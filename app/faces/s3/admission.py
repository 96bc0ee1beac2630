"""The admission rule of this protocol: decisions on a request before its body is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.errors import PorticoError
from app.faces.s3.body import decoded_length, is_streaming
from app.faces.s3.face import S3Face
from app.faces.s3.request_signature import RequestSignature
from app.faces.s3.verification import missing_signature
from app.faces.s3.xml_reading import MAX_XML_BYTES
from app.http.admission import Admitted
from app.http.head import ReceivedHead
from app.http.refusal import OVERLOADED_STATUS
from app.http.response import Response
from app.storage.errors import TooLarge

# The number of bytes that chunk signatures, or the other parts of a form, may add to an object.
_ENVELOPE = 1024 * 1024
_SHARE_OF_FRAMING = 32
_SMALL = 64 * 1024


@dataclass(frozen=True, slots=True)
class S3Admission:
    """An admission rule, see app.http.admission. ``largest_upload`` is the size of the largest object, in bytes."""

    face: S3Face
    largest_upload: int

    def leads_here(self, path: str, host: str | None) -> bool:
        return self.face.leads_here(path, host)

    def may_wait(self, head: ReceivedHead) -> bool:
        """Whether ``admit`` may read an access key from the database, or fetch the keys that verify a token."""
        return _is_large(head) and not self.face.knows_key_of(head.as_sent())

    def admit(self, head: ReceivedHead) -> Admitted:
        sent = head.as_sent()
        _, _, headers, operation = self.face.routed(sent)
        if not operation.is_form:
            if _is_large(head):
                self.face.authenticate(sent, operation, is_early=True)
            signature = self.face.signature_of(sent)
            if signature is None and not operation.is_public:
                raise missing_signature()
            if operation.takes_object:
                self._check_length(headers, signature)
        if not operation.takes_object:
            return Admitted(MAX_XML_BYTES)
        return Admitted(self.largest_upload + self.largest_upload // _SHARE_OF_FRAMING + _ENVELOPE)

    def busy_status(self, head: ReceivedHead) -> int:
        return OVERLOADED_STATUS

    def refusal(self, head: ReceivedHead, error: PorticoError) -> Response:
        return self.face.refusal(head.as_sent(), error)

    def too_large(self, head: ReceivedHead, largest: int) -> Response:
        return self.refusal(head, TooLarge())

    def _check_length(self, headers: Mapping[str, str], signature: RequestSignature | None) -> None:
        if signature is not None and is_streaming(signature.payload):
            length = decoded_length(headers)
        else:
            length = int(headers.get("content-length") or 0)
        if length > self.largest_upload:
            raise TooLarge


def _is_large(head: ReceivedHead) -> bool:
    """Whether the signature is verified before the body is received. A small body is received before the response
    anyway, so then the signature is verified only once, with the complete request."""
    length = head.headers.get("content-length", "")
    return not (length.isascii() and length.isdigit() and len(length) < 10 and int(length) <= _SMALL)
