"""SVG is passed on without what runs or loads anything."""

from __future__ import annotations

import gzip
import zlib

import pytest

from app.faces.images.jobs import Drawn
from app.faces.images.svg import MAX_SVG_BYTES
from tests.storage.images.conftest import Draw

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def cleaned(draw: Draw, inside: str, attributes: str = "") -> str:
    """The remaining content of a document's element, with its remaining attributes."""
    drawn = draw(f'<?xml version="1.0"?>\n<!-- made -->\n{HEAD}{attributes}>{inside}</svg>'.encode())
    assert isinstance(drawn, Drawn)
    assert drawn.media_type == "image/svg+xml"
    text = drawn.content.decode()
    assert text.startswith(HEAD)
    assert text.endswith("</svg>")
    return text.removeprefix(HEAD).removesuffix("</svg>")


@pytest.mark.parametrize(
    ("inside", "left"),
    [
        ('<rect width="5" fill="&lt;&quot;&amp;"/>', """<rect width="5" fill='&lt;"&amp;'></rect>"""),
        ("<text>a &lt; b &#xe9; <![CDATA[<x>]]></text>", "<text>a &lt; b é &lt;x&gt;</text>"),
        ("<script>alert(1)</script><g/>", "<g></g>"),
        ("<SCRIPT>alert(1)</SCRIPT>", ""),
        ("<foreignObject><p/><rect/></foreignObject>", ""),
        ('<g onclick="x()" onLoad="y()" id="a"/>', '<g id="a"></g>'),
        ('<a href="javascript:x()"><rect/></a>', "<a><rect></rect></a>"),
        ('<a xlink:href="https://example.org/"/>', "<a></a>"),
        ('<use xlink:href="#part"/><use href=" #other"/>', '<use xlink:href="#part"></use><use href=" #other"></use>'),
        ('<image href="data:image/png;base64,AA=="/>', '<image href="data:image/png;base64,AA=="></image>'),
        ('<image href="data:image/svg+xml,%3Csvg/%3E"/>', "<image></image>"),
        ('<image href="data:text/html,x"/>', "<image></image>"),
        ('<set attributeName="href" to="javascript:x()"/>', ""),
        ('<animate attributeName="xlink:href" values="javascript:x()"/>', ""),
        ('<set attributeName="onclick" to="x()"/>', ""),
        ('<animate attributeName="x" from="0" to="5"/>', '<animate attributeName="x" from="0" to="5"></animate>'),
        ('<h:script xmlns:h="http://www.w3.org/1999/xhtml">x</h:script>', ""),
        ('<h:iframe xmlns:h="http://www.w3.org/1999/xhtml" src="https://example.org/"/>', ""),
        ('<g xmlns:i="http://www.inkscape.org/" i:label="a" xml:space="preserve"/>', '<g xml:space="preserve"></g>'),
        ("<?xml-stylesheet href='https://example.org/x.css'?><g/>", "<g></g>"),
        ("<style>.a { fill: red }</style>", "<style>.a { fill: red }</style>"),
    ],
)
def test_harmless_elements_are_kept(draw: Draw, inside: str, left: str) -> None:
    assert cleaned(draw, inside) == f">{left}"


def test_attributes_of_the_document_are_cleaned(draw: Draw) -> None:
    assert cleaned(draw, "", ' onload="x()" viewBox="0 0 9 9"') == ' viewBox="0 0 9 9">'


def test_parameters_have_no_effect(draw: Draw) -> None:
    content = f"\ufeff{HEAD}><rect/></svg>".encode()
    assert draw(content, width=10, height=10) == draw(content)
    assert draw(content, "webp", negotiated=True) == draw(content)
    assert draw(content, "webp") == "invalid"
    assert draw(content, "avif") == "invalid"


@pytest.mark.parametrize(
    "content",
    [
        b"<svg/>",
        b"<html/>",
        b'<svg xmlns="http://www.w3.org/2000/svg">',
        b'<svg xmlns="http://www.w3.org/2000/svg"/><x/>',
        b'<svg xmlns="http://www.w3.org/2000/svg">\xff</svg>',
        b'<svg xmlns="http://www.w3.org/2000/svg">' + b" " * MAX_SVG_BYTES + b"</svg>",
    ],
    ids=["no namespace", "another", "unfinished", "more", "not UTF-8", "large"],
)
def test_invalid_documents_are_refused(draw: Draw, content: bytes) -> None:
    assert draw(content) == "invalid"


DECLARING = (
    b'<!DOCTYPE svg [<!ENTITY a "b">]>',
    b'<!DOCTYPE svg SYSTEM "file:///etc/passwd" [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>',
    b"<!DOCTYPE svg [<!ATTLIST svg onload CDATA 'x()'>]>",
    b"<!DOCTYPE svg []>",
)


@pytest.mark.parametrize("document_type", DECLARING)
def test_a_document_type_with_declarations_is_refused(draw: Draw, document_type: bytes) -> None:
    for content in (b"<svg xmlns='http://www.w3.org/2000/svg'>&a;</svg>", b"<svg xmlns='http://www.w3.org/2000/svg'/>"):
        assert draw(document_type + content) == "document type"


@pytest.mark.parametrize(
    "document_type",
    [
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">',
        '<!DOCTYPE svg\n  SYSTEM "file:///etc/passwd">',
        "<!DOCTYPE svg>",
    ],
    ids=["the usual one", "a file", "bare"],
)
def test_a_document_type_without_declarations_is_left_out(draw: Draw, document_type: str) -> None:
    # Perhaps that file declares it.
    unknown = "&none;" if '"' in document_type else ""
    drawn = draw(
        f'<?xml version="1.0" standalone="no"?>{document_type}\n{HEAD}><g id="a"/>&lt;{unknown}</svg>'.encode()
    )
    assert isinstance(drawn, Drawn)
    assert drawn.content.decode() == f'{HEAD}><g id="a"></g>&lt;</svg>'


def test_a_compressed_svg_is_cleaned(draw: Draw) -> None:
    content = f"{HEAD}><rect onload='x()'/></svg>".encode()
    assert draw(gzip.compress(content)) == draw(content)
    for broken in (gzip.compress(content)[:-20], b"\x1f\x8b" + content, gzip.compress(b"a text")):
        assert draw(broken) == "invalid"
    # A gigabyte in a megabyte.
    bomb = zlib.compressobj(wbits=31)
    packed = b"".join(bomb.compress(b" " * 2**20) for _ in range(1024)) + bomb.flush()
    assert draw(packed) == "invalid"


def test_a_deep_svg_is_cleaned(draw: Draw) -> None:
    deep = "<g>" * 20_000 + "</g>" * 20_000
    assert cleaned(draw, deep) == f">{deep}"
