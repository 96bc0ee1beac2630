"""The list of parts with which a client completes a multipart upload."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple
from xml.etree.ElementTree import Element as Node

from app.faces.s3.errors import S3Error, malformed_xml
from app.faces.s3.stored_checksums import fits
from app.faces.s3.xml_reading import children, read_document, text_of
from app.storage.unfinished.records import UploadPart

MOST_PARTS = 10_000
PART_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


class ListedPart(NamedTuple):
    """A part in the client's list: its number, its entity tag without quotes, and its XML element."""

    number: int
    etag: str
    node: Node


def listed_parts(body: bytes) -> list[ListedPart]:
    """The parts in the body of the request that completes an upload. Raises S3Error."""
    root = read_document(body, "CompleteMultipartUpload")
    listed: list[ListedPart] = []
    for node in children(root, "Part"):
        number, etag = (text_of(node, "PartNumber") or "").strip(), (text_of(node, "ETag") or "").strip()
        if not PART_NUMBER.fullmatch(number) or not etag:
            raise malformed_xml("Each Part is expected to have a PartNumber and an ETag")
        listed.append(ListedPart(int(number), etag.strip('"'), node))
    if not 1 <= len(listed) <= MOST_PARTS:
        raise malformed_xml(f"Between 1 and {MOST_PARTS} parts are expected")
    if any(one.number >= other.number for one, other in pairwise(listed)):
        raise S3Error("InvalidPartOrder", 400, "The list of parts was not in ascending order.")
    return listed


def chosen(parts: list[UploadPart], wanted: list[ListedPart], smallest: int) -> list[UploadPart]:
    """The listed parts. Raises S3Error for a part that is missing or differs, or that is not the last one and has fewer
    bytes than ``smallest``."""
    there = {part.number: part for part in parts}
    found: list[UploadPart] = []
    for each in wanted:
        part = there.get(each.number)
        if part is None or part.md5 != each.etag or not fits(part, each.node):
            message = f"Part {each.number} could not be found, or its entity tag or checksum is not the one given."
            raise S3Error("InvalidPart", 400, message)
        found.append(part)
    if any(part.size < smallest for part in found[:-1]):
        raise S3Error("EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size")
    return found
