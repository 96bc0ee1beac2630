"""Reads XML documents of requests."""

from __future__ import annotations

from xml.etree.ElementTree import Element as Node
from xml.etree.ElementTree import ParseError

from app.faces.s3.errors import malformed_xml

MAX_XML_BYTES = 2 * 1024 * 1024


def read_document(data: bytes, root: str) -> Node:
    """The root of the document, without namespaces. Raises S3Error for anything else, and for DTDs."""
    # The extra s3-protocol may be missing if this protocol is off.
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        found: Node = fromstring(data, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        raise malformed_xml("The XML you provided was not well-formed") from None
    if local_name(found) != root:
        raise malformed_xml(f"A document with the root {root} is expected")
    return found


def local_name(node: Node) -> str:
    """The name without its namespace."""
    return node.tag.rpartition("}")[2]


def children(node: Node, name: str) -> list[Node]:
    return [each for each in node if local_name(each) == name]


def text_of(node: Node, name: str) -> str | None:
    """The text of the first child of this name, unchanged; None without one."""
    found = children(node, name)
    return (found[0].text or "") if found else None
