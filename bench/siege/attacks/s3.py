"""The S3 protocol: signatures for something else, framing, documents, and leaks to unauthorized callers."""

from __future__ import annotations

import hashlib
import random
import re
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from app.faces.s3.signature import EMPTY, Scope, canonical_request, sign, signing_key, string_to_sign
from bench.siege.client import S3_KEY, S3_SECRET, Answer, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds
from bench.siege.signing import PREFIX, ask_s3, presigned, words

_KEPT = b"what was there before"


def _is_refused(answer: Answer) -> bool:
    return 400 <= answer.status < 500


def _other_uses(mine: str, theirs: str) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Method, path, what is added to the query, and headers: requests that a URL to PUT ``mine`` is not for."""
    host = {"X-Forwarded-Host": "elsewhere.example.com", "Forwarded": "host=elsewhere.example.com"}
    for method in ("GET", "HEAD", "DELETE", "POST", "PATCH"):
        yield method, mine, "", {}
    for path in (
        theirs, mine + "/", mine + "%00", mine + "%2F..%2Fkept", mine + "/../kept", mine.replace("/s3/", "/s3//", 1),
        mine.replace("/s3/", "/s%33/", 1), mine.replace("/s3/", "/S3/", 1), mine.upper(),
        mine.replace("/", "//"), mine.replace("/s3/", "/s3/./", 1),
    ):  # fmt: skip
        yield "PUT", path, "", {}
        yield "PUT", path, "", host
    for more in (
        "&uploads", "&tagging", "&acl", "&policy", "&partNumber=1&uploadId=x", "&X-Amz-Expires=604800",
        "&X-Amz-SignedHeaders=host%3Bx-amz-acl", "&versionId=1", "&X-Amz-Credential=other", "&x-id=PutObject",
    ):  # fmt: skip
        yield "PUT", mine, more, {}
    bucket, _, key = theirs.removeprefix(f"{PREFIX}/").partition("/")
    for name in ("x-amz-copy-source", "X-Amz-Copy-Source", "x-amz-acl", "x-amz-meta-a", "x-amz-tagging",
                 "x-amz-security-token", "x-amz-storage-class", "x-amz-copy-source-range"):  # fmt: skip
        yield "PUT", mine, "", {name: f"{bucket}/{key}"}
        yield "PUT", mine, f"&{name}={bucket}%2F{key}", {}


def _another_use(grounds: Grounds, _: float) -> Finding:
    """URLs that are signed for one object, used for everything else."""
    service, tally = grounds.service, Tally()
    bucket, private = service.bucket(), service.bucket()
    theirs = f"{PREFIX}/{private}/kept"
    service.ask("POST", f"/object/{private}/kept", _KEPT)
    # Its holder chose the key, and it looks like another path.
    mine = f"{PREFIX}/{bucket}/upload/s3/{private}/kept"
    query = presigned(service, "PUT", mine).partition("?")[2]
    tries = [
        *_other_uses(mine, theirs),
        *(
            ("PUT", path, "", {"X-Forwarded-Prefix": mine.removesuffix(path)})
            for path in (f"/s3/{private}/kept", f"{PREFIX}/{private}/kept")
        ),
        ("PUT", f"/s3/{private}/kept", "", {"X-Forwarded-Prefix": f"{PREFIX}/{bucket}/upload, /x"}),
    ]
    for method, path, more, headers in tries:
        answer = service.ask(method, f"{path}?{query}{more}", b"evil", None, **headers)
        tally.add(_is_refused(answer), (method, path, more, headers, answer.status, answer.body))
    tally.add(service.ask("GET", f"/object/{private}/kept").body == _KEPT, "the other object was changed")
    rows = service.sql(f"select name from storage.objects where bucket_id = '{bucket}'")
    tally.add(rows == [], ("something was stored", rows))
    right = service.ask("PUT", f"{mine}?{query}", b"mine", None)
    tally.add(right.status == 200, ("the signed use itself", right.status, right.body))
    return tally.finding()


_SIGNED_CHUNKS = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"


def _chunked(service: Besieged, path: str, content: bytes) -> tuple[dict[str, str], bytes]:
    """The headers and the body of a PUT in signed chunks with a signed trailer."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = Scope(moment[:8], "us-east-1", "s3")
    key = signing_key(S3_SECRET, scope)
    headers = {
        "host": f"{service.address[0]}:{service.address[1]}",
        "x-amz-content-sha256": _SIGNED_CHUNKS,
        "x-amz-date": moment,
        "x-amz-decoded-content-length": str(len(content)),
        "x-amz-trailer": "x-amz-checksum-sha256",
    }
    names = ";".join(sorted(headers))
    request = canonical_request("PUT", path, "", sorted(headers.items()), _SIGNED_CHUNKS)
    previous = sign(key, string_to_sign(moment, scope, request))
    credential = f"Credential={S3_KEY}/{scope}, SignedHeaders={names}, Signature={previous}"
    headers["authorization"] = f"AWS4-HMAC-SHA256 {credential}"
    body, half = b"", len(content) // 2
    for chunk in (content[:half], content[half:], b""):
        said = f"{moment}\n{scope}\n{previous}\n{EMPTY}\n{hashlib.sha256(chunk).hexdigest()}"
        previous = sign(key, f"AWS4-HMAC-SHA256-PAYLOAD\n{said}")
        body += f"{len(chunk):x};chunk-signature={previous}\r\n".encode() + chunk + (b"\r\n" if chunk else b"")
    line = b"x-amz-checksum-sha256:" + b64encode(hashlib.sha256(content).digest())
    digest = hashlib.sha256(line + b"\n").hexdigest()
    signature = sign(key, f"AWS4-HMAC-SHA256-TRAILER\n{moment}\n{scope}\n{previous}\n{digest}")
    return headers, body + line + b"\r\nx-amz-trailer-signature:" + signature.encode() + b"\r\n\r\n"


def _forged_chunks(grounds: Grounds, _: float) -> Finding:
    """Bodies in signed chunks of which one byte is another, is missing, or is there twice, and cut and joined ones."""
    service, tally, chance = grounds.service, Tally(), random.Random(7)
    bucket, content = service.bucket(), bytes(range(256)) * 2
    path = f"{PREFIX}/{bucket}/k"
    headers, body = _chunked(service, path, content)
    for number in range(150):
        at = chance.randrange(len(body))
        changed = (
            body[:at] + bytes([body[at] ^ (1 << chance.randrange(8))]) + body[at + 1 :],
            body[:at] + body[at + 1 :],
            body[:at] + body[at : at + 1] + body[at:],
            body[:at],
            body[:at] + body,
        )[number % 5]
        answer = service.ask("PUT", path, changed, None, **headers)
        stored = service.ask("GET", f"/object/{bucket}/k").body if answer.status == 200 else content
        tally.add(answer.status < 500 and answer.status != 0 and stored == content, (number, at, answer.status))
    answer = service.ask("PUT", path, body, None, **headers)
    tally.add(answer.status == 200, ("the right one", answer.status, answer.body))
    return tally.finding()


_STRANGER = token("authenticated", sub="a stranger")


def _being_there(grounds: Grounds, _: float) -> Finding:
    """The same request for what is hidden and for what is not there, as a user without rights on it."""
    service, tally = grounds.service, Tally()
    hidden = service.bucket(file_size_limit=10, allowed_mime_types=["image/png"])
    service.ask("POST", f"/object/{hidden}/there", b"x", Content_Type="image/png")
    created = ask_s3(service, "POST", f"/{hidden}/there?uploads", None, None, {"content-type": "image/png"}).body
    upload = re.findall(rb"<UploadId>([^<]*)", created)[0].decode()
    copied = {"x-amz-copy-source": f"{hidden}/there"}, {"x-amz-copy-source": f"{hidden}/none"}
    pairs: list[tuple[str, str, str, bytes | None, dict[str, str], dict[str, str]]] = [
        (method, f"/{hidden}/there{query}", f"/{hidden}/none{query}", body, {}, {})
        for method, query, body in (
            ("GET", "", None), ("HEAD", "", None), ("DELETE", "", None), ("PUT", "", b"x"), ("GET", "?tagging", None),
            ("GET", "?attributes", None), ("POST", "?uploads", None), ("GET", "?partNumber=1", None),
            ("PUT", "", b"more than ten bytes"),
        )
    ]  # fmt: skip
    pairs += [
        (method, f"/{hidden}/{key}", f"/nosuchbucket/{key}", body, {}, {})
        for method, key, body in (
            ("GET", "k", None), ("PUT", "k", b"more than ten bytes"), ("DELETE", "k", None),
            ("POST", "k?uploads", None),
            ("GET", "?list-type=2", None), ("GET", "?versions", None), ("GET", "?uploads", None), ("HEAD", "", None),
            ("DELETE", "", None), ("GET", "?location", None), ("GET", "?versioning", None),
        )
    ]  # fmt: skip
    pairs += [("PUT", f"/{hidden}/copy", f"/{hidden}/copy", None, *copied)]
    pairs += [
        (method, f"/{hidden}/there?uploadId={upload}{more}", f"/{hidden}/there?uploadId=none{more}", body, {}, {})
        for method, more, body in (("GET", "", None), ("HEAD", "", None))
    ]
    for method, one_path, other_path, body, one_headers, other_headers in pairs:
        one = words(ask_s3(service, method, one_path, body, _STRANGER, one_headers))
        other = words(ask_s3(service, method, other_path, body, _STRANGER, other_headers))
        tally.add(one == other, (method, one_path, other_path, one, other))
    tally.add(ask_s3(service, "GET", "/", None, _STRANGER).status == 200, "the stranger did not come in at all")
    tally.add(ask_s3(service, "GET", f"/{hidden}/there").body == b"x", "the object is readable")
    return tally.finding()


def _documents() -> Iterator[bytes]:
    laughs = b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10))
    yield b'<!DOCTYPE x [<!ENTITY a0 "lol">' + laughs + b"]><Delete><Object><Key>&a9;</Key></Object></Delete>"
    yield b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&f;</Key></Object></Delete>'
    yield b'<!DOCTYPE Delete SYSTEM "http://127.0.0.1:1/x.dtd"><Delete/>'
    yield b"<Delete>" + b"<a>" * 300_000 + b"</a>" * 100_000
    yield b"<Delete>" + b"<Object><Key>k</Key></Object>" * 60_000 + b"</Delete>"
    yield b"<Delete " + b" ".join(b'a%d=""' % n for n in range(100_000)) + b"/>"
    yield b"<Delete>" + b"x" * (3 * 1024 * 1024) + b"</Delete>"
    yield "<?xml version='1.0' encoding='utf-7'?><Delete/>".encode("utf-7")
    yield b"\xff\xfe" + "<Delete><Object><Key>k</Key></Object>".encode("utf-16-le")
    yield b"<Delete><Object><Key>" + b"&#0;" + b"</Key></Object></Delete>"


def _hostile_documents(grounds: Grounds, _: float) -> Finding:
    """Documents that grow, point elsewhere, or never end, as the body of every operation that reads one."""
    service, tally, longest = grounds.service, Tally(), 0.0
    bucket = service.bucket()
    for document in _documents():
        complete = document.replace(b"Delete", b"CompleteMultipartUpload").replace(b"Object", b"Part")
        for path, body in ((f"/{bucket}?delete", document), (f"/{bucket}/k?uploadId=x", complete)):
            answer = ask_s3(service, "POST", path, body)
            longest = max(longest, answer.seconds)
            held = _is_refused(answer) and answer.seconds < 10 and b"root:" not in answer.body
            tally.add(held, (path, body[:80], answer.status, answer.body[:200], answer.seconds))
    tally.add(service.is_responsive(), "the service does not respond")
    return tally.finding(f"at most {longest:.1f} s")


def _limits_at_once(grounds: Grounds, _: float) -> Finding:
    """Parts that together are too large, sent at once and completed while others still come."""
    service, tally, limit = grounds.service, Tally(), 100_000
    bucket = service.bucket(file_size_limit=limit)
    for number in range(4):
        key = f"/{bucket}/k{number}"
        upload = re.findall(rb"<UploadId>([^<]*)", ask_s3(service, "POST", f"{key}?uploads").body)[0].decode()

        def part(n: int, key: str = key, upload: str = upload) -> tuple[int, str | None]:
            answer = ask_s3(service, "PUT", f"{key}?partNumber={n}&uploadId={upload}", b"x" * (limit * 6 // 10))
            return n, answer.headers.get("etag") if answer.status == 200 else None

        def complete(tags: list[tuple[int, str | None]], key: str = key, upload: str = upload) -> Answer:
            listed = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{tag}</ETag></Part>" for n, tag in tags if tag)
            body = f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>".encode()
            return ask_s3(service, "POST", f"{key}?uploadId={upload}", body)

        with ThreadPoolExecutor(8) as pool:
            tags = list(pool.map(part, range(1, 9)))
            answers: list[Any] = list(pool.map(lambda _, tags=tags: complete(tags), range(4)))
        statuses = [each.status for each in answers]
        tally.add(all(status in (200, 400, 404, 413) for status in statuses), (key, statuses))
    sizes = service.sql(f"select (metadata ->> 'size')::bigint from storage.objects where bucket_id = '{bucket}'")
    tally.add(all(size <= limit for (size,) in sizes), sizes)
    return tally.finding()


ATTACKS = (
    Attack("signed URLs used otherwise", "a signed URL is for one method and one object", _another_use),
    Attack("forged chunks", "a body in signed chunks is stored as it was signed, or not at all", _forged_chunks),
    Attack("hidden or not there, by S3", "callers of S3 do not learn whether hidden objects exist", _being_there),
    Attack("documents that grow", "no XML document takes long, or reads what is elsewhere", _hostile_documents),
    Attack("parts beyond the limit", "an object of parts is no larger than its bucket allows", _limits_at_once),
)
