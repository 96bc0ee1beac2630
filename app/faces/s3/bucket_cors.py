"""The CORS rules of a bucket: the XML of S3, and the JSON that the database keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element as Node

from app.faces.s3.errors import S3Error, invalid_request, malformed_xml
from app.faces.s3.request import S3Request
from app.faces.s3.xml_reading import children, read_document, text_of
from app.faces.s3.xml_writing import XML, Element, xml_response
from app.faces.shared.origin_rules import METHODS
from app.http.response import Response
from app.storage import bucket_configurations as configurations
from app.storage.storage import Storage

_MOST_RULES = 100
_LONGEST_ID = 255
# The element of each list, and the member of the JSON.
_LISTS = {
    "AllowedOrigin": "AllowedOrigins",
    "AllowedMethod": "AllowedMethods",
    "AllowedHeader": "AllowedHeaders",
    "ExposeHeader": "ExposeHeaders",
}


def get_cors(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}?cors"""
    found = configurations.read(storage, request.context, request.bucket, "cors")
    if found is None:
        raise S3Error("NoSuchCORSConfiguration", 404, "The CORS configuration does not exist")
    rules: Sequence[Mapping[str, Any]] = json.loads(found)
    return xml_response("CORSConfiguration", *(("CORSRule", _elements(each)) for each in rules))


def put_cors(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}?cors"""
    root = read_document(request.document(), "CORSConfiguration")
    rules = [_rule(each) for each in children(root, "CORSRule")]
    if not 1 <= len(rules) <= _MOST_RULES:
        raise malformed_xml(f"Between 1 and {_MOST_RULES} rules are expected")
    configurations.write(storage, request.context, request.bucket, "cors", rules)
    return Response(content_type=XML)


def delete_cors(storage: Storage, request: S3Request) -> Response:
    """DELETE /{bucket}?cors"""
    configurations.write(storage, request.context, request.bucket, "cors", None)
    return Response(204, content_type=XML)


def _rule(node: Node) -> dict[str, Any]:
    """The rule as JSON. Raises S3Error."""
    rule: dict[str, Any] = {}
    identifier, age = text_of(node, "ID"), text_of(node, "MaxAgeSeconds")
    if identifier:
        if len(identifier) > _LONGEST_ID:
            raise malformed_xml(f"An ID has at most {_LONGEST_ID} characters")
        rule["ID"] = identifier
    for element, member in _LISTS.items():
        values = [(each.text or "").strip() for each in children(node, element)]
        if not all(value and value.isascii() and value.isprintable() for value in values):
            raise malformed_xml(f"Each {element} is expected to have printable ASCII characters")
        if values:
            rule[member] = values
    if age:
        if not (age.isascii() and age.isdigit() and len(age) < 10):
            raise malformed_xml("MaxAgeSeconds is expected as a number of seconds")
        rule["MaxAgeSeconds"] = int(age)
    _check(rule)
    return rule


def _check(rule: Mapping[str, Any]) -> None:
    if not rule.get("AllowedOrigins") or not rule.get("AllowedMethods"):
        raise malformed_xml("A rule has at least one AllowedOrigin and one AllowedMethod")
    for method in rule["AllowedMethods"]:
        if method not in METHODS:
            raise invalid_request(f"Found unsupported HTTP method in CORS config. Unsupported method is {method}")
    for member in ("AllowedOrigins", "AllowedHeaders"):
        if any(value.count("*") > 1 for value in rule.get(member, ())):
            raise invalid_request(f"{member.removesuffix('s')} can not have more than one wildcard.")


def _elements(rule: Mapping[str, Any]) -> list[Element]:
    lists: list[Element] = [
        (element, str(value)) for element, member in _LISTS.items() for value in rule.get(member) or ()
    ]
    return [("ID", rule.get("ID")), *lists, ("MaxAgeSeconds", rule.get("MaxAgeSeconds"))]
