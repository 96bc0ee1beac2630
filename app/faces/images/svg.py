"""Sanitizes SVG: parses it and writes it again without anything that runs code or loads resources."""

from __future__ import annotations

import re
import zlib
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

MAX_SVG_BYTES = 2 * 1024 * 1024
_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"
_LEFT_OUT = frozenset({"script", "foreignobject", "handler", "listener"})
_ANIMATIONS = frozenset({"set", "animate"})
_PREFIXES = {"": "", _XLINK: "xlink:", _XML: "xml:"}
_HARMLESS_LINK = re.compile(r"\s*(#|data:image/(png|jpeg|gif|webp)[;,])", re.IGNORECASE)
_RUNNING = re.compile(r"on|.*href$", re.IGNORECASE)
# The separator between a namespace and a name; neither can contain it.
_BETWEEN = "\n"


class NotClean(Exception):
    """The document is not SVG, or is larger than allowed."""


class DocumentType(NotClean):
    """The document type has declarations, such as entities, which can expand without bounds."""


def unzipped(content: bytes) -> bytes:
    """Decompress gzip data, as in a file ``.svgz``. Raises NotClean."""
    try:
        # One byte more than allowed shows that the document is too large.
        return zlib.decompressobj(wbits=31).decompress(content, MAX_SVG_BYTES + 1)
    except zlib.error:
        raise NotClean from None


def cleaned(content: bytes) -> bytes:
    """The document without its document type, scripts, event handlers, foreign elements and links to other resources.

    Raises NotClean. The file that a document type names is never read.
    """
    if len(content) > MAX_SVG_BYTES:
        raise NotClean
    writer = _Writer()
    parser = expat.ParserCreate(namespace_separator=_BETWEEN)
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _check_document_type
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.text
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError):
        raise NotClean from None
    return "".join(writer.written).encode()


def _check_document_type(_name: str, _system: str | None, _public: str | None, declares: int) -> None:
    if declares:
        raise DocumentType


class _Writer:
    """Writes the allowed elements. ``_inside_left_out`` counts open elements from the outermost left-out one
    inwards."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self._inside_left_out = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, local = _split(name)
        if not self.written:
            if (namespace, local) != (_SVG, "svg"):
                raise NotClean
            self.written.append(f'<svg xmlns="{_SVG}" xmlns:xlink="{_XLINK}"')
        elif self._inside_left_out or namespace != _SVG or _is_left_out(local, attributes):
            self._inside_left_out += 1
            return
        else:
            self.written.append(f"<{local}")
        self.written.extend(_allowed_attributes(attributes))
        self.written.append(">")

    def end(self, name: str) -> None:
        if self._inside_left_out:
            self._inside_left_out -= 1
        else:
            self.written.append(f"</{_split(name)[1]}>")

    def text(self, text: str) -> None:
        if not self._inside_left_out:
            self.written.append(escape(text))


def _split(name: str) -> tuple[str, str]:
    namespace, _, local = name.rpartition(_BETWEEN)
    return namespace, local


def _is_left_out(local: str, attributes: dict[str, str]) -> bool:
    animated = attributes.get("attributeName", "").strip()
    return local.lower() in _LEFT_OUT or (local.lower() in _ANIMATIONS and bool(_RUNNING.match(animated)))


def _allowed_attributes(attributes: dict[str, str]) -> list[str]:
    allowed = []
    for name, value in attributes.items():
        namespace, local = _split(name)
        prefix = _PREFIXES.get(namespace)
        if prefix is None or local.lower().startswith("on"):
            continue
        if local.lower() == "href" and not _HARMLESS_LINK.match(value):
            continue
        allowed.append(f" {prefix}{local}={quoteattr(value)}")
    return allowed
