"""What is decided on a request of this protocol before its body is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.errors import PorticoError
from app.faces.s3.body import decoded_length, is_streaming
from app.faces.s3.face import S3Face
from app.faces.s3.presented_signature import Presented, presented_by
from app.faces.s3.query_headers import with_query_headers
from app.faces.s3.routes import route
from app.faces.s3.verification import missing_signature
from app.faces.s3.xml_reading import LARGEST_XML
from app.http.admission import Admitted
from app.http.head import ReceivedHead
from app.http.refusal import OVERLOADED
from app.http.response import Response
from app.storage.errors import TooLarge

# What signatures of chunks, and the parts of a form, add to an object.
_ENVELOPE = 1024 * 1024
_SHARE_OF_FRAMING = 32
_SMALL = 64 * 1024


@dataclass(frozen=True, slots=True)
class S3Admission:
    """A rule of app.http.admission. ``largest_upload`` is the largest object, in bytes."""

    face: S3Face
    largest_upload: int

    def leads_here(self, path: str, host: str | None) -> bool:
        return self.face.leads_here(path, host)

    def may_wait(self, head: ReceivedHead) -> bool:
        """Whether ``admit`` verifies the signature, for which it may ask the database for an access key. A small body
        is received before the answer anyway: then it is verified once, with the rest of the request."""
        length = head.headers.get("content-length", "")
        return not (length.isascii() and length.isdigit() and len(length) < 10 and int(length) <= _SMALL)

    def admit(self, head: ReceivedHead) -> Admitted:
        sent = head.as_sent()
        place = self.face.place(sent)
        query = sent.query()
        headers = with_query_headers(sent.headers, query)
        operation = route(sent.method, place.bucket, place.key, query, headers)
        if not operation.is_form:
            if self.may_wait(head):
                self.face.authenticate(sent, query, operation)
            presented = presented_by(sent, query)
            if presented is None and not operation.is_public:
                raise missing_signature()
            if operation.takes_object:
                self._check_length(headers, presented)
        if not operation.takes_object:
            return Admitted(LARGEST_XML)
        return Admitted(self.largest_upload + self.largest_upload // _SHARE_OF_FRAMING + _ENVELOPE)

    def busy_status(self, head: ReceivedHead) -> int:
        return OVERLOADED

    def refusal(self, head: ReceivedHead, error: PorticoError) -> Response:
        return self.face.refusal(head.as_sent(), error)

    def too_large(self, head: ReceivedHead, largest: int) -> Response:
        return self.refusal(head, TooLarge())

    def _check_length(self, headers: Mapping[str, str], presented: Presented | None) -> None:
        if presented is not None and is_streaming(presented.payload):
            length = decoded_length(headers)
        else:
            length = int(headers.get("content-length") or 0)
        if length > self.largest_upload:
            raise TooLarge
