"""GET /render/image: serves an object, drawn as requested, to callers who may download the object."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
from collections.abc import Sequence
from functools import lru_cache

from app.faces.images.decoders import DecoderFailed, DecoderKilled, Decoders, DecodersBusy, DecoderTimeout
from app.faces.images.errors import decoder_killed, not_drawn, too_many_images, too_often
from app.faces.images.failures import Failures
from app.faces.images.formats import MEDIA_TYPES, takes
from app.faces.images.jobs import Drawn, OutputFormat, Wanted
from app.faces.images.rates import RenderRates
from app.faces.images.renditions import Renditions
from app.faces.images.transform import Transform
from app.faces.rest.downloads import content_disposition
from app.faces.rest.errors import RestError
from app.faces.rest.request import RestRequest
from app.faces.rest.versions import refuse_version
from app.faces.shared.object_headers import ROBOTS, stored_header
from app.http.preconditions import evaluate
from app.http.response import Headers, Response
from app.storage.bytes.backend import BlobMissing, Readable
from app.storage.bytes.blobs import blob_key
from app.storage.errors import PreconditionFailed
from app.storage.reading import Reading, find_with_bytes, modified
from app.storage.records import StoredObject
from app.storage.request_context import RequestContext
from app.storage.storage import Storage
from app.times import http_date

log = logging.getLogger("portico.storage")

_POLICIES = {MEDIA_TYPES["SVG"]: "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
_RENDERER = "1"
"""This number must change whenever the same request would get different bytes: caches then drop the old ones."""


class Rendering:
    """Draws objects. ``codec`` names the version of the drawing library and its settings, since others may write
    different bytes. ``offered``: the formats for clients that accept them by name, the best first."""

    def __init__(
        self,
        decoders: Decoders,
        renditions: Renditions,
        rates: RenderRates,
        largest_file: int,
        codec: str,
        offered: Sequence[OutputFormat],
    ) -> None:
        self._rates = rates
        self._offered = offered
        self._decoders = decoders
        self._renditions = renditions
        self._largest_file = largest_file
        self._renderer = f"{_RENDERER} {codec}"
        self._failures = Failures()

    def serve(
        self, storage: Storage, request: RestRequest, reading: Reading, transform: Transform, expires: int | None = None
    ) -> Response:
        """The response. ``expires``: when the signed URL expires, in seconds since 1970."""
        refuse_version(request.query.get("versionId"))
        return find_with_bytes(
            storage,
            request.context,
            request.name,
            reading,
            lambda found, _: self._respond(storage, request, found, transform, expires),
        )

    def _respond(
        self, storage: Storage, request: RestRequest, found: StoredObject, transform: Transform, expires: int | None
    ) -> Response | None:
        """The response, or None if the object's bytes are missing."""
        wanted = _wanted(transform, request.headers.get("accept"), self._offered)
        name = self._name(found, wanted)
        tag, second = f'"{name}"', modified(found)
        headers = _headers(request, found, transform, expires, tag, second)
        outcome = evaluate(request.headers, etag=tag, modified=second)
        if outcome == "failed":
            raise PreconditionFailed
        if outcome == "not modified":
            return Response(304, headers, content_type=None)
        storage.note_access(found.id)
        try:
            drawn = self._drawn(storage, request, found, wanted, name)
        except BlobMissing:
            return None
        policy = ("content-security-policy", _POLICIES.get(drawn.media_type, "sandbox"))
        body = b"" if request.method == "HEAD" else drawn.content
        return Response(200, (*headers, policy), body, drawn.media_type, len(drawn.content))

    def _name(self, found: StoredObject, wanted: Wanted) -> str:
        """The name of the drawing. Drawings with different bytes have different names."""
        text = b"\n".join([found.version.encode(), self._renderer.encode(), _text_of(wanted)])
        return hashlib.sha256(text).hexdigest()[:32]

    def _drawn(self, storage: Storage, request: RestRequest, found: StoredObject, wanted: Wanted, name: str) -> Drawn:
        cached = self._renditions.find(storage, found.version, name)
        if cached is not None:
            return cached
        if reason := self._failures.of(found.version, wanted):
            raise not_drawn(reason)
        if not self._rates.allow(request.client, request.name):
            raise too_often()
        # The object is opened before a decoder is taken: it might be replaced while a decoder starts.
        source = storage.backend.open_read(blob_key(found.version))
        try:
            drawn = self._draw_again(storage, request.context, found, wanted, name, source)
        finally:
            source.close()
        if isinstance(drawn, str):
            raise not_drawn(drawn)
        return drawn

    def _draw_again(
        self,
        storage: Storage,
        context: RequestContext,
        found: StoredObject,
        wanted: Wanted,
        name: str,
        source: Readable,
    ) -> Drawn | str:
        """Draw the bytes and store the result as a rendition. Returns it, or the reason why the decoder refuses."""
        if source.length > self._largest_file:
            return "file"
        try:
            with self._decoders.one() as decoder:
                # Another request may have drawn it while this one waited.
                cached = self._renditions.find(storage, found.version, name)
                if cached is not None:
                    return cached
                drawn = decoder.draw(wanted, source)
        except DecodersBusy:
            raise too_many_images() from None
        except DecoderFailed as ex:
            log.warning("the decoder of object %s ended: %s", found.id, type(ex).__name__)
            raise self._failed(found.version, wanted, ex) from None
        if isinstance(drawn, Drawn):
            self._renditions.keep(storage, context, found.version, name, drawn)
        return drawn

    def _failed(self, version: str, wanted: Wanted, ex: DecoderFailed) -> RestError:
        if isinstance(ex, DecoderKilled):
            return decoder_killed()
        reason = "time" if isinstance(ex, DecoderTimeout) else "invalid"
        self._failures.note(version, wanted, reason)
        return not_drawn(reason)


@lru_cache(1000)
def _text_of(wanted: Wanted) -> bytes:
    return wanted.encode(0)


def _wanted(transform: Transform, accept: str | None, offered: Sequence[OutputFormat]) -> Wanted:
    """The drawing for a client that accepts these types. It is equal for all clients that get the same bytes."""
    plain = dataclasses.replace(transform, format="")
    if transform.format == "avif":
        return Wanted(plain, "avif", negotiated=False)
    if transform.format == "webp":
        return Wanted(plain, "webp", negotiated=False)
    if not transform.format:
        for each in offered:
            if takes(accept, each.upper()):
                return Wanted(plain, each, negotiated=True)
    return Wanted(plain, "origin", negotiated=False)


def _headers(
    request: RestRequest, found: StoredObject, transform: Transform, expires: int | None, tag: str, second: int
) -> Headers:
    """The response headers that do not depend on the drawing."""
    headers = [
        ("accept-ranges", "none"),
        ("etag", tag),
        ("last-modified", http_date(second)),
        ("x-robots-tag", stored_header(found.metadata, ROBOTS) or "none"),
        ("cache-control", found.caching) if expires is None else ("expires", http_date(expires)),
        # As for downloads: other sites may embed any image whose URL they have.
        ("cross-origin-resource-policy", "cross-origin"),
        ("x-content-type-options", "nosniff"),
    ]
    if not transform.format:
        headers.append(("vary", "Accept"))
    if transformations := transform.as_header():
        headers.append(("x-transformations", transformations))
    download = request.query.get("download")
    if download is not None:
        headers.append(("content-disposition", content_disposition(download)))
    return tuple(headers)
