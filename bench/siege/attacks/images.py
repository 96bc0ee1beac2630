"""Images: files that grow or are two things at once, sizes beyond the limits, and images of what is hidden."""

from __future__ import annotations

import gzip
import io
import struct
import zlib
from collections.abc import Iterator

from PIL import Image

from bench.siege.client import token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Grounds

_STRANGER, _OWNER = token("authenticated", sub="a stranger"), token("authenticated", sub="an owner")
_SCRIPT = b"<script>alert(document.domain)</script>"
_MOST_MEMORY = 400 * 1024 * 1024


def _png(width: int, height: int, data: bytes = b"", *chunks: tuple[bytes, bytes]) -> bytes:
    """A PNG that says it is so large, with these bytes for its picture."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), *chunks, (b"IDAT", zlib.compress(data, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )


def _picture(kind: str, **options: object) -> bytes:
    written = io.BytesIO()
    Image.radial_gradient("L").convert("RGB").save(written, kind, **options)
    return written.getvalue()


def _bombs() -> Iterator[tuple[str, bytes]]:
    yield "a wide PNG", _png(60_000, 60_000, bytes(1_000_000))
    yield "a PNG as wide as can be said", _png(2**31 - 1, 2**31 - 1)
    yield "a PNG of one row", _png(2**31 - 1, 1)
    yield "a PNG whose data grows", _png(100, 100, bytes(200_000_000))
    yield (
        "a PNG with a text that grows",
        _png(9, 9, bytes(300), (b"zTXt", b"a\0\0" + zlib.compress(bytes(200_000_000), 9))),
    )
    yield (
        "a PNG with a profile that grows",
        _png(9, 9, bytes(300), (b"iCCP", b"a\0\0" + zlib.compress(bytes(200_000_000), 9))),
    )
    yield (
        "a GIF as large as can be said",
        b"GIF89a\xff\xff\xff\xff\x80\0\0" + bytes(6) + b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02D\x01\0;",
    )
    yield (
        "a BMP upside down",
        b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54, 0, 0, 54, 40, 65_000, -65_000, 1, 24, 0, 0, 0, 0, 0, 0),
    )
    yield "a TIFF whose directory is itself", b"II*\0\x08\0\0\0\x01\0\0\x01\x04\0\x01\0\0\0\xff\xff\xff\x7f\x08\0\0\0"
    yield (
        "an SVG with entities",
        b'<!DOCTYPE svg [<!ENTITY a "' + b"x" * 1000 + b'">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
    )
    yield (
        "an SVG whose document type names a file",
        b'<!DOCTYPE svg SYSTEM "file:///etc/passwd"><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
    )
    yield (
        "a compressed SVG that grows",
        gzip.compress(b'<svg xmlns="http://www.w3.org/2000/svg">' + bytes(200_000_000), 9),
    )
    yield "an SVG that is deep", b'<svg xmlns="http://www.w3.org/2000/svg">' + b"<g>" * 200_000


def _growing(grounds: Grounds, _: float) -> Finding:
    service, tally = grounds.service, Tally()
    bucket, before = service.bucket(public=True), service.memory()
    for number, (name, content) in enumerate(_bombs()):
        service.ask("POST", f"/object/{bucket}/{number}", content, Content_Type="image/png")
        answer = service.ask("GET", f"/render/image/public/{bucket}/{number}?width=50", None, None)
        tally.add(
            answer.status in (200, 400) and answer.seconds < 20,
            (name, answer.status, answer.seconds, answer.body[:200]),
        )
    grown = service.memory() - before
    tally.add(grown < _MOST_MEMORY, f"a worker grew by {grown} bytes")
    tally.add(service.is_responsive(), "the service does not respond")
    return tally.finding()


def _two_things(grounds: Grounds, _: float) -> Finding:
    """Images that are pages too, and drawings with scripts: what is answered runs nothing."""
    service, tally = grounds.service, Tally()
    bucket = service.bucket(public=True)
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" %s>%s</svg>'
    files = (
        _picture("PNG") + _SCRIPT,
        _picture("JPEG", comment=_SCRIPT),
        _picture("GIF", comment=_SCRIPT),
        _png(9, 9, bytes(300), (b"tEXt", b"a\0" + _SCRIPT)),
        svg % (b'onload="alert(1)"', _SCRIPT),
        svg % (b"", b'<a xlink:href="javascript:alert(1)"><text>x</text></a>'),
        svg % (b"", b'<a><set attributeName="href" to="javascript:alert(1)"/><text>x</text></a>'),
        svg % (b"", b'<use href="data:image/svg+xml,<svg onload=alert(1)>"/>'.replace(b"<svg", b"&lt;svg")),
        svg % (b"", b'<foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/></foreignObject>'),
        svg % (b"", b'<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>'),
        svg % (b"", b'<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>'),
    )
    for number, content in enumerate(files):
        service.ask("POST", f"/object/{bucket}/{number}", content, Content_Type="text/html")
        for query in ("", "?width=20&format=origin"):
            answer = service.ask("GET", f"/render/image/public/{bucket}/{number}{query}", None, None)
            harmless = (
                answer.headers.get("x-content-type-options") == "nosniff"
                and "sandbox" in answer.headers.get("content-security-policy", "")
                and answer.headers.get("content-type", "").startswith("image/")
                and not any(
                    each in answer.body.lower() for each in (b"<script", b"alert(1)", b"onload", b"javascript:")
                )
            )
            tally.add(
                answer.status == 400 or harmless, (number, query, answer.status, answer.headers, answer.body[:300])
            )
    return tally.finding()


def _beyond_the_limits(grounds: Grounds, _: float) -> Finding:
    service, tally = grounds.service, Tally()
    bucket = service.bucket(public=True)
    service.ask("POST", f"/object/{bucket}/k", _picture("PNG"), Content_Type="image/png")
    for query in (
        "width=-1", "width=1e400", "width=nan", "height=0x10", "width=1&width=2", "width=", "quality=0", "quality=101",
        "resize=stretch", "format=svg", "format=../../etc/passwd", "gravity=fp&x_offset=2&y_offset=0", "gravity=fp",
        "x_offset=nan&gravity=no&width=5", "x_offset=1e400&gravity=no&width=5", "width=1%00", "width[]=5",
    ):  # fmt: skip
        answer = service.ask("GET", f"/render/image/public/{bucket}/k?{query}", None, None)
        tally.add(answer.status in (200, 400) and answer.seconds < 10, (query, answer.status, answer.body[:200]))
    for query in (
        "width=999999999&height=999999999&resize=fill",
        "width=2000&height=1&resize=fill",
        "width=3&height=2000",
    ):
        answer = service.ask("GET", f"/render/image/public/{bucket}/k?{query}&format=origin", None, None)
        side = max(Image.open(io.BytesIO(answer.body)).size) if answer.status == 200 else 0
        tally.add(answer.status == 200 and side <= 256, (query, answer.status, side))
    return tally.finding()


def _hidden_images(grounds: Grounds, _: float) -> Finding:
    """Rendered images requested by callers who may not read them, and by URLs that are signed for something else."""
    service, tally = grounds.service, Tally()
    bucket = service.bucket()
    service.sql(
        f"create policy siege_images on storage.objects to authenticated using (bucket_id = '{bucket}'"
        " and owner_id = auth.jwt() ->> 'sub') with check (owner_id = auth.jwt() ->> 'sub')"
    )
    service.ask("POST", f"/object/{bucket}/k", _picture("PNG"), _OWNER, Content_Type="image/png")
    mine = f"/render/image/authenticated/{bucket}/k?width=20"
    drawn = service.ask("GET", mine, None, _OWNER)
    tally.add(drawn.status == 200, ("its owner", drawn.status, drawn.body))
    other = service.ask("GET", mine.replace("/k?", "/none?"), None, _STRANGER)
    for headers in ({}, {"If_None_Match": drawn.headers.get("etag", "")}, {"If_Match": "*"}):
        answer = service.ask("GET", mine, None, _STRANGER, **headers)
        tally.add(
            (answer.status, answer.body) == (other.status, other.body), (headers, answer.status, answer.body[:200])
        )
    for path in (f"/render/image/public/{bucket}/k?width=20", f"/render/image/sign/{bucket}/k?width=20"):
        tally.add(service.ask("GET", path, None, _STRANGER).status == 400, path)
    small, plain = (
        (service.ask("POST", f"/object/sign/{bucket}/k", body, _OWNER).json or {}).get("signedURL", "")
        for body in ({"expiresIn": 60, "transform": {"width": 20}}, {"expiresIn": 60})
    )
    tally.add(service.ask("GET", small, None, None).status == 200, "the signed image itself")
    for signed, route in ((small, "/object/sign"), (plain, "/render/image/sign"), (small, "/render/image/public")):
        path = f"{route}/{bucket}/k?{signed.partition('?')[2]}"
        tally.add(service.ask("GET", path, None, None).status == 400, (route, "by a token for something else"))
    wider = service.ask("GET", f"{small}&width=200&format=avif", None, None)
    tally.add(wider.body == service.ask("GET", small, None, None).body, "a query widens a signed image")
    service.sql("drop policy siege_images on storage.objects")
    return tally.finding()


ATTACKS = (
    Attack("images that grow", "no file makes the service draw for long or take much memory", _growing),
    Attack("images that are pages", "nothing that runs is in a drawn image", _two_things),
    Attack("images beyond the limits", "no request gets an image beyond the limits", _beyond_the_limits),
    Attack("images of what is hidden", "who may not read an object gets no image of it", _hidden_images),
)
