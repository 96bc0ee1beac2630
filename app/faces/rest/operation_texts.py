"""The titles and parameters of the REST API's operations, for its OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping

from app.faces.rest.buckets import CREATE, LIST_BUCKETS, SETTINGS
from app.faces.rest.listing import LIST
from app.faces.rest.listing_v2 import LIST_V2
from app.faces.rest.objects import COPY, NAMES, PREFIXES
from app.faces.rest.operation_text import DOWNLOAD_NAME, TOKEN, OperationText
from app.faces.rest.signed_urls import SIGN, SIGN_MANY, SIGN_UPLOAD_BODY

OPERATION_TEXTS: Mapping[tuple[str, str], OperationText] = {
    ("POST", "/bucket"): OperationText("Create a bucket", CREATE),
    ("GET", "/bucket"): OperationText("List the buckets that the caller may see", query=LIST_BUCKETS),
    ("POST", "/bucket/{bucket}/empty"): OperationText("Delete all objects of a bucket"),
    ("GET", "/bucket/{bucket}"): OperationText("Describe a bucket"),
    ("PUT", "/bucket/{bucket}"): OperationText("Change the settings of a bucket", SETTINGS),
    ("DELETE", "/bucket/{bucket}"): OperationText("Delete an empty bucket"),
    ("GET", "/object/info/authenticated/{bucket}/*"): OperationText("Describe an object"),
    ("GET", "/object/info/public/{bucket}/*"): OperationText("Describe an object of a public bucket"),
    ("GET", "/object/info/{bucket}/*"): OperationText("Describe an object"),
    ("GET", "/object/authenticated/{bucket}/*"): OperationText("Download an object", query=(DOWNLOAD_NAME,)),
    ("GET", "/object/public/{bucket}/*"): OperationText("Download from a public bucket", query=(DOWNLOAD_NAME,)),
    ("GET", "/object/sign/{bucket}/*"): OperationText("Download by a signed URL", query=(TOKEN, DOWNLOAD_NAME)),
    ("GET", "/object/{bucket}/*"): OperationText("Download an object", query=(DOWNLOAD_NAME,)),
    ("PUT", "/object/upload/sign/{bucket}/*"): OperationText("Upload by a signed URL", query=(TOKEN,)),
    ("POST", "/upload/direct/{bucket}/*"): OperationText("Begin a signed upload to the backend", query=(TOKEN,)),
    ("POST", "/upload/complete/{bucket}/*"): OperationText("Complete an upload to the backend", query=(TOKEN,)),
    ("PUT", "/object/{bucket}/*"): OperationText("Upload an object in place of another"),
    ("POST", "/object/upload/sign/{bucket}/*"): OperationText("Sign a URL for an upload", SIGN_UPLOAD_BODY),
    ("POST", "/object/sign/{bucket}/*"): OperationText("Sign a URL for a download", SIGN),
    ("POST", "/object/sign/{bucket}"): OperationText("Sign URLs for several downloads", SIGN_MANY),
    ("POST", "/object/list-v2/{bucket}"): OperationText("List objects in pages by cursor", LIST_V2),
    ("POST", "/object/list/{bucket}"): OperationText("List the objects and folders of a folder", LIST),
    ("POST", "/object/move"): OperationText("Move or rename an object", NAMES),
    ("POST", "/object/copy"): OperationText("Copy an object", COPY),
    ("POST", "/object/{bucket}/*"): OperationText("Upload an object"),
    ("DELETE", "/object/{bucket}/*"): OperationText("Delete an object"),
    ("DELETE", "/object/{bucket}"): OperationText("Delete several objects", PREFIXES),
    ("DELETE", "/cdn"): OperationText("Purge a CDN; none is configured"),
    ("DELETE", "/cdn/{bucket}"): OperationText("Purge a bucket from a CDN; none is configured"),
    ("DELETE", "/cdn/{bucket}/*"): OperationText("Purge an object from a CDN; none is configured"),
}
"""The text of each operation, by method and path of its route."""
