"""Writes XML documents of responses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from app.http.response import Headers, Response

XML = "application/xml; charset=utf-8"

_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_NAMESPACE = ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
_SPECIAL = re.compile("[&<>\t\n\r]")
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
# Characters that XML 1.0 cannot contain, not even as references.
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

ElementContent = str | int | bool | None | Sequence["Element"]
Element = tuple[str, ElementContent]
"""A name, which attributes may follow, and the content: text, a number, or elements; None for no element at all."""


def document(root: str, *members: Element, text: str = "", namespace: bool = True) -> bytes:
    """The document whose root has these members, or only this text."""
    name = root + _NAMESPACE if namespace else root
    return (_DECLARATION + "".join(_written([(name, members or text)]))).encode()


def xml_response(root: str, *members: Element, text: str = "", headers: Headers = ()) -> Response:
    """The response with such a document."""
    return Response(headers=headers, body=document(root, *members, text=text), content_type=XML)


def _written(elements: Iterable[Element]) -> Iterable[str]:
    for name, content in elements:
        if content is None:
            continue
        if isinstance(content, bool):
            inner = "true" if content else "false"
        elif isinstance(content, int):
            inner = str(content)
        elif isinstance(content, str):
            inner = _escaped(content)
        else:
            inner = "".join(_written(content))
        yield f"<{name}>{inner}</{name.partition(' ')[0]}>" if inner else f"<{name}/>"


def _escaped(text: str) -> str:
    if not text.isprintable() or not text.isascii():
        text = _IMPOSSIBLE.sub("\ufffd", text)
    return _SPECIAL.sub(lambda found: _REFERENCES[found[0]], text)
