"""The routes of this API."""

from __future__ import annotations

from app.faces.rest import buckets, downloads, listing, listing_v2, objects, signed_urls, uploads
from app.faces.rest.errors import RestError
from app.faces.rest.request import RestRequest
from app.faces.rest.router import Route
from app.http.response import Response
from app.storage.storage import Storage


def _purge_cdn(_storage: Storage, request: RestRequest) -> Response:
    """DELETE /cdn, /cdn/{bucket}, /cdn/{bucket}/{key}: there is no CDN to purge.

    Caches between the service and its clients follow ``cache-control`` and ``etag``.
    """
    request.context.check_service_role()
    raise RestError("MissingParameter", 400, "No CDN is configured")


ROUTES: tuple[Route, ...] = (
    Route("POST", "/bucket", buckets.create_bucket, "storage.bucket.create"),
    Route("GET", "/bucket", buckets.list_buckets, "storage.bucket.list"),
    Route("POST", "/bucket/{bucket}/empty", buckets.empty_bucket, "storage.bucket.empty"),
    Route("GET", "/bucket/{bucket}", buckets.get_bucket, "storage.bucket.get"),
    Route("PUT", "/bucket/{bucket}", buckets.update_bucket, "storage.bucket.update"),
    Route("DELETE", "/bucket/{bucket}", buckets.delete_bucket, "storage.bucket.delete"),
    Route(
        "GET", "/object/info/authenticated/{bucket}/*", downloads.info_authenticated, "object.get_authenticated_info"
    ),
    Route("GET", "/object/info/public/{bucket}/*", downloads.info_public, "storage.object.info_public", "ignored"),
    Route("GET", "/object/info/{bucket}/*", downloads.info_object, "object.get_authenticated_info", "optional"),
    Route("GET", "/object/authenticated/{bucket}/*", downloads.get_authenticated, "storage.object.get_authenticated"),
    Route("GET", "/object/public/{bucket}/*", downloads.get_public, "storage.object.get_public", "ignored"),
    Route("GET", "/object/sign/{bucket}/*", signed_urls.get_signed, "storage.object.get_signed", "ignored"),
    Route("GET", "/object/{bucket}/*", downloads.get_object, "storage.object.get_authenticated", "optional"),
    Route(
        "PUT",
        "/object/upload/sign/{bucket}/*",
        signed_urls.put_signed,
        "storage.object.upload_signed",
        "ignored",
        takes_object=True,
    ),
    Route("PUT", "/object/{bucket}/*", uploads.put_object, "storage.object.upload_update", takes_object=True),
    Route("POST", "/object/upload/sign/{bucket}/*", signed_urls.sign_upload, signed_urls.SIGN_UPLOAD),
    Route("POST", "/object/sign/{bucket}/*", signed_urls.sign_object, "storage.object.sign"),
    Route("POST", "/object/sign/{bucket}", signed_urls.sign_objects, "storage.object.sign_many"),
    Route("POST", "/object/list-v2/{bucket}", listing_v2.list_objects_v2, "storage.object.list_v2", "verified"),
    Route("POST", "/object/list/{bucket}", listing.list_objects, "storage.object.list"),
    Route("POST", "/object/move", objects.move_object, "storage.object.move"),
    Route("POST", "/object/copy", objects.copy_object, "storage.object.copy"),
    Route("POST", "/object/{bucket}/*", uploads.create_object, "storage.object.upload", takes_object=True),
    Route("DELETE", "/object/{bucket}/*", objects.delete_object, "storage.object.delete"),
    Route("DELETE", "/object/{bucket}", objects.delete_objects, "storage.object.delete_many"),
    Route("DELETE", "/cdn", _purge_cdn, "storage.cdn.purge"),
    Route("DELETE", "/cdn/{bucket}", _purge_cdn, "storage.cdn.purge"),
    Route("DELETE", "/cdn/{bucket}/*", _purge_cdn, "storage.cdn.purge"),
)
