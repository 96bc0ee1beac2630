"""The routes of images, and their decoder processes. They exist only if the setting IMAGES is on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from app.distribution import how_to_install
from app.errors import PorticoError
from app.faces.images.decoders import Decoders
from app.faces.images.jobs import DecoderLimits, OutputFormat
from app.faces.images.parameters import MEMBERS, transform_in_claims, transform_in_query, transform_of
from app.faces.images.rates import RenderRates
from app.faces.images.rendering import Rendering
from app.faces.images.renditions import Renditions
from app.faces.rest.json_bodies import Member, read_json_object
from app.faces.rest.operation_text import DOWNLOAD_NAME, TOKEN, OperationText
from app.faces.rest.request import RestRequest
from app.faces.rest.router import Route
from app.faces.rest.signed_urls import EXPIRES_IN, VERSION, lifetime_of, signed_download, verified
from app.faces.rest.versions import refuse_version
from app.faces.shared.signing import DOWNLOAD
from app.http.response import Response
from app.settings import Settings
from app.storage.reading import Reading
from app.storage.storage import Storage

_SIGNED_PATH = "/render/image/sign"
_OFFERED: Mapping[str, Sequence[OutputFormat]] = {"webp": ("webp",), "avif": ("avif", "webp")}
_QUERY = (*MEMBERS, DOWNLOAD_NAME)
_TEXT = OperationText("Download an image in another size or format", query=_QUERY)
_TEXT_OF_PUBLIC = OperationText("Download an image of a public bucket in another size or format", query=_QUERY)
_TEXT_OF_SIGNED = OperationText("Download an image as a signed URL permits", query=(TOKEN, DOWNLOAD_NAME))
_SIGN = (EXPIRES_IN, Member("transform", "object", members=MEMBERS), VERSION)


class ImagesUnusable(PorticoError):
    """IMAGES is on, but the library that draws images is not installed."""

    code = "IMAGES_UNUSABLE"


class ImagesFace:
    """The operations on images of one process."""

    def __init__(self, rendering: Rendering, decoders: Decoders, longest_side: int) -> None:
        self._rendering = rendering
        self._decoders = decoders
        self._longest_side = longest_side

    @property
    def routes(self) -> Sequence[Route]:
        return (
            Route("GET", "/render/image/authenticated/{bucket}/*", self.get_authenticated,
                  "storage.render.image_authenticated", "verified", _TEXT),
            Route("GET", "/render/image/public/{bucket}/*", self.get_public,
                  "storage.render.image_public", "ignored", _TEXT_OF_PUBLIC),
            Route("GET", f"{_SIGNED_PATH}/{{bucket}}/*", self.get_signed,
                  "storage.render.image_sign", "ignored", _TEXT_OF_SIGNED),
            Route("POST", "/object/sign/{bucket}/*", self.sign, "storage.object.sign"),
        )  # fmt: skip

    def get_authenticated(self, storage: Storage, request: RestRequest) -> Response:
        """GET /render/image/authenticated/{bucket}/{key}"""
        return self._rendering.serve(
            storage, request, Reading(), transform_in_query(request.query_string, self._longest_side)
        )

    def get_public(self, storage: Storage, request: RestRequest) -> Response:
        """GET /render/image/public/{bucket}/{key}"""
        reading = Reading(as_service=True, public_only=True)
        return self._rendering.serve(
            storage, request, reading, transform_in_query(request.query_string, self._longest_side)
        )

    def get_signed(self, storage: Storage, request: RestRequest) -> Response:
        """GET /render/image/sign/{bucket}/{key}?token=...: the token permits one transform; the query has no effect."""
        claims, request = verified(storage, request, DOWNLOAD, transformed=True)
        transform = transform_in_claims(claims, self._longest_side)
        return self._rendering.serve(storage, request, Reading(as_service=True), transform, int(claims["exp"]))

    def sign(self, storage: Storage, request: RestRequest) -> Response:
        """POST /object/sign/{bucket}/{key}: sign a URL for the object, or for one transform of the image."""
        body = read_json_object(request, _SIGN)
        refuse_version(body.get("versionId"))
        wanted = body.get("transform")
        if not wanted:
            return signed_download(storage, request, lifetime_of(body))
        transform = transform_of(wanted, "body/transform", self._longest_side)
        claim = transform.as_claim()
        if not claim:
            return signed_download(storage, request, lifetime_of(body))
        claims = {"transformations": claim, **({"format": transform.format} if transform.format else {})}
        return signed_download(storage, request, lifetime_of(body), _SIGNED_PATH, claims)

    def close(self) -> None:
        """End the processes."""
        self._decoders.close()


def open_images(settings: Settings) -> ImagesFace:
    """The face, for a service whose setting IMAGES is on. Raises ImagesUnusable."""
    try:
        codec = version("pillow")
    except PackageNotFoundError:
        hint = f"{how_to_install('images')}, or set IMAGES=off."
        raise ImagesUnusable("IMAGES is on, but Pillow is not installed", hint=hint) from None
    limits = DecoderLimits(settings.image_pixel_limit, settings.image_timeout_s, settings.image_frames)
    decoders = Decoders(limits, settings.image_processes, settings.threads)
    renditions = Renditions(settings.image_cache)
    offered = _OFFERED[settings.image_negotiation]
    codec = f"{codec} {settings.image_frames}"
    rates = RenderRates(settings.image_rate)
    rendering = Rendering(decoders, renditions, rates, settings.image_file_limit, codec, offered)
    return ImagesFace(rendering, decoders, settings.image_side_limit)
