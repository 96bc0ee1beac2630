"""SVG is passed on without what runs or loads anything."""

from __future__ import annotations

import pytest

from app.storage.images.jobs import Drawn
from app.storage.images.svg import LARGEST
from tests.storage.images.conftest import Draw

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def cleaned(draw: Draw, inside: str, attributes: str = "") -> str:
    """What is left inside of a document's element, with the attributes that are left."""
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
def test_what_is_left(draw: Draw, inside: str, left: str) -> None:
    assert cleaned(draw, inside) == f">{left}"


def test_attributes_of_the_document(draw: Draw) -> None:
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
        b'<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
        b'<!DOCTYPE svg SYSTEM "file:///etc/passwd"><svg xmlns="http://www.w3.org/2000/svg"/>',
        b"<svg/>",
        b"<html/>",
        b'<svg xmlns="http://www.w3.org/2000/svg">',
        b'<svg xmlns="http://www.w3.org/2000/svg"/><x/>',
        b'<svg xmlns="http://www.w3.org/2000/svg">\xff</svg>',
        b'<svg xmlns="http://www.w3.org/2000/svg">' + b" " * LARGEST + b"</svg>",
    ],
    ids=["entities", "external", "no namespace", "another", "unfinished", "more", "not UTF-8", "large"],
)
def test_what_is_refused(draw: Draw, content: bytes) -> None:
    assert draw(content) == "invalid"


def test_it_may_be_as_deep_as_it_likes(draw: Draw) -> None:
    deep = "<g>" * 20_000 + "</g>" * 20_000
    assert cleaned(draw, deep) == f">{deep}"
