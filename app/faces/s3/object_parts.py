"""Reads an object by the parts of which it was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.faces.s3.errors import S3Error, invalid_argument
from app.faces.s3.listed_parts import MOST_PARTS, PART_NUMBER
from app.faces.s3.request import S3Request
from app.faces.s3.stored_checksums import checksums_in, elements_of, headers_of, kind_header
from app.faces.s3.stored_parts import ObjectPart, parts_in
from app.faces.s3.xml_writing import Element
from app.faces.shared.ranges import WHOLE, ResponsePart
from app.http.response import Headers

_LARGEST_PAGE = 1000
_COUNT = "x-amz-mp-parts-count"


def part_number(request: S3Request) -> int:
    """The number of a part in the query. Raises S3Error."""
    value = request.query.get("partNumber", "")
    if not PART_NUMBER.fullmatch(value) or not 1 <= int(value) <= MOST_PARTS:
        raise invalid_argument(f"Part number must be an integer between 1 and {MOST_PARTS}, inclusive")
    return int(value)


def requested_part(number: int, metadata: Mapping[str, Any], size: int) -> tuple[ResponsePart, Headers]:
    """The part of this number, and the headers of its checksums. An object that was not uploaded in parts is its own
    part 1.

    Raises S3Error if there is no such part.
    """
    parts, stored = parts_in(metadata), checksums_in(metadata)
    if not parts and number == 1:
        return _response_part(0, size, size, ()), headers_of(stored)
    found = next((each for each in parts if each.number == number), None)
    if found is None or found.end > size:
        raise S3Error("InvalidPartNumber", 416, "The requested partnumber is not satisfiable")
    checksums = headers_of(found.checksums, kind=False)
    part = _response_part(found.start, found.end, size, ((_COUNT, str(len(parts))),))
    return part, (*checksums, *kind_header(stored)) if checksums else ()


def _response_part(start: int, end: int, size: int, headers: Headers) -> ResponsePart:
    if start == end:
        # An empty part has no Content-Range, which cannot express it.
        return WHOLE._replace(end=0, headers=headers) if not size else ResponsePart(206, start, end, headers)
    return ResponsePart(206, start, end, (("content-range", f"bytes {start}-{end - 1}/{size}"), *headers))


def parts_element(request: S3Request, metadata: Mapping[str, Any]) -> list[Element] | None:
    """A page of the parts for the attributes of an object; None for an object that was not uploaded in parts."""
    parts = parts_in(metadata)
    if not parts:
        return None
    most = request.number_in_header("x-amz-max-parts", _LARGEST_PAGE, most=_LARGEST_PAGE)
    marker = request.number_in_header("x-amz-part-number-marker", 0, most=MOST_PARTS)
    beyond = [each for each in parts if each.number > marker]
    given = beyond[:most]
    return [
        ("PartsCount", len(parts)),
        ("PartNumberMarker", marker),
        ("NextPartNumberMarker", given[-1].number if given else 0),
        ("MaxParts", most),
        ("IsTruncated", len(beyond) > most),
        *(("Part", _members(each)) for each in given),
    ]


def _members(part: ObjectPart) -> list[Element]:
    return [("PartNumber", part.number), ("Size", part.size), *elements_of(part.checksums, kind=False)]
