"""The lifecycle rules of a bucket: the XML of S3, and the JSON that the database keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element as Node

from app.faces.s3.errors import S3Error, invalid_argument, invalid_request, malformed_xml, not_implemented
from app.faces.s3.request import S3Request
from app.faces.s3.xml_reading import children, local_name, read_document, text_of
from app.faces.s3.xml_writing import XML, Element, xml_response
from app.http.response import Response
from app.random_uuid import new_uuid
from app.storage import bucket_configurations as configurations
from app.storage.lifecycle_rules import InvalidRule, read_rule
from app.storage.storage import Storage

_MOST_RULES = 1000
_LONGEST_ID = 255
_NUMBERS = frozenset({
    "Days", "NoncurrentDays", "NewerNoncurrentVersions", "DaysAfterInitiation", "ObjectSizeGreaterThan",
    "ObjectSizeLessThan",
})  # fmt: skip
_TEXTS = frozenset({"ID", "Status", "Prefix", "Date", "Key", "Value"})
_UNSUPPORTED = frozenset({"Transition", "NoncurrentVersionTransition"})


def get_lifecycle(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}?lifecycle"""
    found = configurations.read(storage, request.context, request.bucket, "lifecycle")
    if found is None:
        raise S3Error("NoSuchLifecycleConfiguration", 404, "The lifecycle configuration does not exist")
    rules: Sequence[Mapping[str, Any]] = json.loads(found)
    return xml_response("LifecycleConfiguration", *(("Rule", _elements(each)) for each in rules))


def put_lifecycle(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}?lifecycle"""
    root = read_document(request.document(), "LifecycleConfiguration")
    rules = [_rule(each) for each in children(root, "Rule")]
    if not 1 <= len(rules) <= _MOST_RULES:
        raise malformed_xml(f"Between 1 and {_MOST_RULES} rules are expected")
    if len({each["ID"] for each in rules}) < len(rules):
        raise invalid_argument("Rule ID must be unique. Found same ID for more than one rule")
    configurations.write(storage, request.context, request.bucket, "lifecycle", rules)
    return Response(content_type=XML)


def delete_lifecycle(storage: Storage, request: S3Request) -> Response:
    """DELETE /{bucket}?lifecycle"""
    configurations.write(storage, request.context, request.bucket, "lifecycle", None)
    return Response(204, content_type=XML)


def _rule(node: Node) -> dict[str, Any]:
    """The rule as JSON. Raises S3Error."""
    rule: dict[str, Any] = _object(node)
    rule["ID"] = rule.get("ID") or new_uuid()
    if len(rule["ID"]) > _LONGEST_ID:
        raise invalid_argument(f"ID length should not exceed allowed limit of {_LONGEST_ID}")
    if rule.get("Status") not in ("Enabled", "Disabled"):
        raise malformed_xml("The Status is Enabled or Disabled")
    if "Filter" not in rule and "Prefix" not in rule:
        raise malformed_xml("A rule has a Filter or a Prefix")
    days = (rule.get("Expiration") or {}).get("Days")
    if days is not None and days < 1:
        raise invalid_argument("'Days' for Expiration action must be a positive integer")
    try:
        read_rule(rule)
    except InvalidRule as ex:
        if not any(text_of(each, "Date") for each in children(node, "Expiration")):
            raise malformed_xml(str(ex)) from None
        raise invalid_argument(str(ex)) from None
    if rule.get("AbortIncompleteMultipartUpload") and "Tag" in str(rule.get("Filter")):
        raise invalid_request("AbortIncompleteMultipartUpload cannot be specified with Tags.")
    return rule


def _object(node: Node) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in node:
        name, content = local_name(each), (each.text or "").strip()
        if name in _UNSUPPORTED:
            raise not_implemented(name)
        if name in _NUMBERS:
            if not content.lstrip("-").isdigit() or len(content) > 18:
                raise malformed_xml(f"{name} is expected as a number")
            found[name] = int(content)
        elif name == "ExpiredObjectDeleteMarker":
            found[name] = content == "true"
        elif name in _TEXTS:
            found[name] = content if name == "Date" else each.text or ""
        elif name == "Tag" and local_name(node) == "And":
            found.setdefault("Tags", []).append(_object(each))
        else:
            found[name] = _object(each)
    return found


def _elements(value: Mapping[str, Any]) -> list[Element]:
    found: list[Element] = []
    for name, content in value.items():
        if isinstance(content, list):
            found += [(name.removesuffix("s"), _elements(each)) for each in content]
        elif isinstance(content, dict):
            found.append((name, _elements(content)))
        else:
            found.append((name, content))
    return found
