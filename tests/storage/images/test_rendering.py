"""Images through the service: who gets them, in which format, with which headers, and what is kept of them."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx
import jwt
import psutil
import pytest
import requests

from app.faces.images.renditions import trim
from app.identity.derived_keys import SIGNED_URLS, derived_key
from tests.process.running import PATIENCE_S, until
from tests.storage.images.pictures import opened, picture, turned
from tests.storage.service import ANON, SECRET, SERVICE, Service, error, token

WEBP = {"accept": "image/avif,image/webp,image/apng,*/*;q=0.8"}
INVALID = (400, "400", "InvalidRequest", "The source image is invalid or unsupported for rendering")
NO_OBJECT = (400, "404", "NoSuchKey", "Object not found")


@pytest.fixture(scope="module")
def bucket(service: Service) -> str:
    name = service.bucket(public=True)
    service.upload(f"{name}/a.jpg", picture(), content_type="image/png", cache_control="max-age=60").raise_for_status()
    return name


@pytest.fixture
def private(service: Service) -> str:
    name = service.bucket()
    service.upload(f"{name}/a.jpg", picture()).raise_for_status()
    return name


def drawn(service: Service, bucket: str, query: str = "", key: str = "a.jpg", **headers: str) -> requests.Response:
    return service.get(f"/render/image/public/{bucket}/{key}{query}", None, headers=headers)


def size_of(response: requests.Response) -> tuple[int, int]:
    assert response.status_code == 200, response.text
    return opened(response.content).size


def sign(service: Service, path: str, transform: dict[str, Any], lifetime: int = 60) -> str:
    answer = service.post(f"/object/sign/{path}", json={"expiresIn": lifetime, "transform": transform})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["signedURL"])


def derived(service: Service) -> list[str]:
    return [name for _, _, names in os.walk(service.folder / "derived") for name in names]


def test_a_long_picture_keeps_its_format(service: Service) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/long.png", picture("PNG", (80, 18_000))).raise_for_status()
    for query in ("", "?width=80", "?quality=60"):
        got = drawn(service, bucket, query, "long.png", **WEBP)
        assert (size_of(got), got.headers["content-type"], got.headers["vary"]) == ((80, 18_000), "image/png", "Accept")
    assert drawn(service, bucket, "?width=70", "long.png", **WEBP).headers["content-type"] == "image/webp"
    signed = service.get(sign(service, f"{bucket}/long.png", {"width": 80}), None, headers=WEBP)
    assert size_of(signed) == (80, 18_000)
    refused = drawn(service, bucket, "?format=webp", "long.png")
    assert error(refused) == (400, "400", "InvalidRequest", "The source image resolution is too large to process")


def test_images_have_their_headers(service: Service, bucket: str) -> None:
    got = drawn(service, bucket, "?width=200&height=200&quality=60&download=x.jpg")
    assert size_of(got) == (200, 200)
    headers = got.headers
    # The type follows the bytes, not the stored type.
    assert (headers["content-type"], int(headers["content-length"])) == ("image/jpeg", len(got.content))
    assert headers["x-transformations"] == "height:200,width:200,resizing_type:fill,quality:60"
    assert headers["cache-control"] == "max-age=60"
    assert headers["accept-ranges"] == "none"
    assert headers["vary"] == "Accept"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "sandbox"
    assert headers["x-robots-tag"] == "none"
    assert headers["content-disposition"] == "attachment; filename=x.jpg; filename*=UTF-8''x.jpg"
    original = service.get(f"/object/public/{bucket}/a.jpg", None).headers
    assert headers["last-modified"] == original["last-modified"]
    assert headers["etag"] != original["etag"]
    assert "x-transformations" not in drawn(service, bucket).headers


@pytest.mark.parametrize(
    ("query", "answered"),
    [
        ("?width=5000&format=origin", "width:2000,resizing_type:fill"),
        ("?height=1e2&resize=contain&format=webp", "height:100,resizing_type:fit,format:webp"),
        ("?width=0&quality=20", "quality:20"),
        ("?width=10&resize=fill&gravity=so", "width:10,resizing_type:force,gravity:so"),
        ("?width=10&height=10&gravity=fp&x_offset=0.5&y_offset=1",
         "height:10,width:10,resizing_type:fill,gravity:fp:0.5:1"),
        ("?width=10&height=10&gravity=ea&x_offset=-3", "height:10,width:10,resizing_type:fill,gravity:ea:-3:0"),
    ],
)  # fmt: skip
def test_a_header_describes_the_transform(service: Service, bucket: str, query: str, answered: str) -> None:
    assert drawn(service, bucket, query).headers["x-transformations"] == answered


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("width=-1", "querystring/width must be >= 0"),
        ("width=a", "querystring/width must be integer"),
        ("width=1.5", "querystring/width must be integer"),
        ("width=", "querystring/width must be integer"),
        ("height=1&height=2", "querystring/height must be integer"),
        ("resize=stretch", "querystring/resize must be equal to one of the allowed values"),
        ("resize=", "querystring/resize must be equal to one of the allowed values"),
        ("quality=19", "querystring/quality must be >= 20"),
        ("quality=101", "querystring/quality must be <= 100"),
        ("format=jpeg", "querystring/format must be equal to one of the allowed values"),
        ("gravity=north", "querystring/gravity must be equal to one of the allowed values"),
        ("gravity=fp", "querystring must have required property 'x_offset'"),
        ("gravity=fp&x_offset=0", "querystring must have required property 'y_offset'"),
        ("gravity=fp&x_offset=0&y_offset=1.1", "querystring/y_offset must be <= 1"),
        ("gravity=fp&x_offset=-0.1&y_offset=1", "querystring/x_offset must be >= 0"),
        ("gravity=ea&x_offset=nan", "querystring/x_offset must be number"),
        ("gravity=ea&x_offset=1e999", "querystring/x_offset must be number"),
    ],
)
def test_invalid_parameters_are_refused(service: Service, bucket: str, query: str, message: str) -> None:
    assert error(drawn(service, bucket, f"?{query}")) == (400, "400", "InvalidRequest", message)


def test_formats_are_negotiated(service: Service, bucket: str) -> None:
    def answered(query: str, **headers: str) -> tuple[str, str | None]:
        got = drawn(service, bucket, query, **headers)
        assert got.status_code == 200
        return got.headers["content-type"], got.headers.get("vary")

    assert answered("?width=9") == ("image/jpeg", "Accept")
    assert answered("?width=9", accept="*/*") == ("image/jpeg", "Accept")
    assert answered("?width=9", accept="image/*") == ("image/jpeg", "Accept")
    assert answered("?width=9", accept="image/webp;q=0, */*") == ("image/jpeg", "Accept")
    assert answered("?width=9", accept="image/avif") == ("image/jpeg", "Accept")
    assert answered("?width=9", **WEBP) == ("image/webp", "Accept")
    assert answered("?width=9&format=origin", **WEBP) == ("image/jpeg", None)
    assert answered("?width=9&format=webp") == ("image/webp", None)
    assert answered("?width=9&format=avif") == ("image/avif", None)


def test_avif_is_negotiated_with_the_setting(own_service: Callable[..., Service]) -> None:
    service = own_service(image_negotiation="avif")
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/a.jpg", picture()).raise_for_status()

    def answered(query: str = "", **headers: str) -> tuple[str, str | None]:
        got = drawn(service, bucket, f"?width=9{query}", **headers)
        assert size_of(got)[0] == 9
        return got.headers["content-type"], got.headers.get("vary")

    assert answered(**WEBP) == ("image/avif", "Accept")
    assert answered(accept="image/avif;q=0,image/webp") == ("image/webp", "Accept")
    assert answered(accept="*/*") == ("image/jpeg", "Accept")
    assert answered("&format=origin", **WEBP) == ("image/jpeg", None)


def test_svg_is_passed_on_without_scripts(service: Service, bucket: str) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>x()</script><g/></svg>'
    service.upload(f"{bucket}/a.svg", svg).raise_for_status()
    got = drawn(service, bucket, "?width=9", "a.svg", **WEBP)
    assert got.headers["content-type"] == "image/svg+xml"
    assert got.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert b"x()" not in got.content
    assert error(drawn(service, bucket, "?format=webp", "a.svg")) == INVALID


def test_turned_images_are_turned_upright(service: Service, bucket: str) -> None:
    service.upload(f"{bucket}/turned.jpg", turned(6, (80, 60))).raise_for_status()
    assert size_of(drawn(service, bucket, "", "turned.jpg")) == (60, 80)
    assert size_of(drawn(service, bucket, "?width=10", "turned.jpg")) == (10, 13)


def test_conditions_and_heads_are_answered(service: Service, bucket: str) -> None:
    got = drawn(service, bucket, "?width=77")
    tag = got.headers["etag"]
    head = service.request("HEAD", f"/render/image/public/{bucket}/a.jpg?width=77", None)
    assert (head.status_code, head.content) == (200, b"")
    for volatile in ("date", "server"):
        assert got.headers.pop(volatile, None)
        assert head.headers.pop(volatile, None)
    assert head.headers == got.headers
    same = drawn(service, bucket, "?width=77", **{"if-none-match": tag})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert drawn(service, bucket, "?width=77", **{"if-none-match": f"W/{tag}"}).status_code == 304
    other = drawn(service, bucket, "?width=78", **{"if-none-match": tag})
    assert (other.status_code, other.headers["etag"] != tag) == (200, True)
    assert drawn(service, bucket, "?width=77", **{"if-none-match": tag, **WEBP}).status_code == 200
    assert drawn(service, bucket, "?width=77", **{"if-match": '"other"'}).status_code == 412
    ranged = drawn(service, bucket, "?width=77", range="bytes=0-1")
    assert (ranged.status_code, ranged.content) == (200, got.content)


def test_a_304_needs_no_decoder(own_service: Callable[..., Service]) -> None:
    """This service cannot draw anything: it has no time for that."""
    service = own_service(image_timeout_s=0.0)
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/a.jpg", picture()).raise_for_status()
    refused = drawn(service, bucket)
    assert error(refused) == (400, "400", "InvalidRequest", "The source image could not be rendered in time")
    assert drawn(service, bucket, **{"if-none-match": "*"}).status_code == 304


def test_a_caller_who_may_read_an_object_may_render_it(service: Service, private: str, bucket: str) -> None:
    url = f"/render/image/authenticated/{private}/a.jpg?width=10"
    missing = service.get(url, None)
    assert (missing.status_code, missing.json()) == (
        400,
        {"statusCode": "403", "error": "Unauthorized", "message": "Invalid Compact JWS", "code": "AccessDenied"},
    )
    assert error(service.get(url, token())) == NO_OBJECT
    assert size_of(service.get(url)) == (10, 8)
    # An image rendered for one caller is kept, and still not shown to another.
    assert error(service.get(url, token())) == NO_OBJECT
    assert error(service.get(url.replace("authenticated", "public"), None))[2:] == ("NoSuchBucket", "Bucket not found")
    # Anybody with a token may read from a public bucket.
    assert size_of(service.get(f"/render/image/authenticated/{bucket}/a.jpg?width=10", token())) == (10, 8)
    assert error(drawn(service, bucket, "", "none")) == NO_OBJECT


def test_policies_see_the_operation(service: Service, private: str) -> None:
    service.sql(
        "create policy images on storage.objects for select to authenticated"
        f" using (bucket_id = '{private}' and storage.operation() = 'storage.render.image_authenticated')"
    )
    try:
        assert error(service.get(f"/object/authenticated/{private}/a.jpg", token())) == NO_OBJECT
        assert size_of(service.get(f"/render/image/authenticated/{private}/a.jpg?width=10", token())) == (10, 8)
    finally:
        service.sql("drop policy images on storage.objects")


def test_signed_transforms_are_rendered(service: Service, private: str) -> None:
    path = f"{private}/a.jpg"
    url = sign(service, path, {"width": "100", "height": 50, "resize": "contain", "quality": 30})
    assert url.startswith(f"/render/image/sign/{path}?token=")
    claims = jwt.decode(url.partition("token=")[2], derived_key(SECRET, SIGNED_URLS), algorithms=["HS256"])
    assert claims["transformations"] == "height:50,width:100,resize:contain,quality:30"
    assert (claims["url"], claims["scope"]) == (path, "download")
    got = service.get(f"{url}&width=10&quality=x&download=b.jpg", None, headers=WEBP)
    assert size_of(got) == (67, 50)
    assert got.headers["content-type"] == "image/webp"
    assert got.headers["expires"].endswith("GMT")
    assert "cache-control" not in got.headers
    assert got.headers["content-disposition"].startswith("attachment; filename=b.jpg")
    origin = sign(service, path, {"width": 10, "format": "origin"})
    assert service.get(origin, None, headers=WEBP).headers["content-type"] == "image/jpeg"
    point = {"width": 10, "height": 10, "gravity": "fp", "x_offset": 0.5, "y_offset": 0}
    assert service.get(sign(service, path, point), None).headers["x-transformations"].endswith("gravity:fp:0.5:0")
    assert sign(service, path, {}).startswith(f"/object/sign/{path}?token=")
    clamped = sign(service, path, {"width": 100_000})
    assert service.get(clamped, None).headers["x-transformations"] == "width:2000,resizing_type:fill"


def test_tokens_open_what_they_were_signed_for(service: Service, private: str) -> None:
    path = f"{private}/a.jpg"
    transformed = sign(service, path, {"width": 100}).partition("token=")[2]
    plain = sign(service, path, {}).partition("token=")[2]
    upload = service.post(f"/object/upload/sign/{path}2").json()["token"]

    def answered(route: str, given: str) -> tuple[str, str]:
        return error(service.get(f"{route}/{path}?token={given}", None))[2:]

    assert answered("/object/sign", transformed) == ("InvalidSignature", "Token is for a transformed image")
    assert answered("/render/image/sign", plain) == ("InvalidSignature", "Token is not for a transformed image")
    assert answered("/render/image/sign", upload) == ("InvalidSignature", "Token is not scoped for download")
    assert answered("/render/image/sign", "x") == ("InvalidJWT", "Invalid Compact JWS")
    other = service.get(f"/render/image/sign/{private}/b.jpg?token={transformed}", None)
    assert error(other)[2:] == ("InvalidSignature", "Invalid signature")
    none = service.get(f"/render/image/sign/{path}", None)
    assert error(none)[3] == "querystring must have required property 'token'"


def test_tokens_of_older_servers_are_accepted(service: Service, private: str) -> None:
    path, later = f"{private}/a.jpg", int(time.time()) + 60
    claims = {"url": path, "scope": "download", "exp": later, "transformations": "width:20,resize:undefined"}
    signed = jwt.encode(claims, derived_key(SECRET, SIGNED_URLS), algorithm="HS256")
    assert size_of(service.get(f"/render/image/sign/{path}?token={signed}", None)) == (20, 15)


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        ({"quality": 10}, "body/transform/quality must be >= 20"),
        ({"width": -1}, "body/transform/width must be >= 0"),
        ({"resize": "x"}, "body/transform/resize must be equal to one of the allowed values"),
        ({"gravity": "fp"}, "body/transform must have required property 'x_offset'"),
        ("x", "body/transform must be object"),
    ],
)
def test_unsigned_transforms_are_refused(service: Service, private: str, transform: object, message: str) -> None:
    answer = service.post(f"/object/sign/{private}/a.jpg", json={"expiresIn": 60, "transform": transform})
    assert error(answer) == (400, "400", "InvalidRequest", message)


def test_other_files_are_refused(service: Service, bucket: str) -> None:
    for content in (b"", b"a text", picture()[:200], b"%PDF-1.7\n" + picture()):
        service.upload(f"{bucket}/none", content, content_type="image/jpeg", x_upsert="true").raise_for_status()
        assert error(drawn(service, bucket, "?width=5", "none")) == INVALID
    assert service.request("HEAD", f"/render/image/public/{bucket}/none", None).status_code == 400


def test_limits_of_images_are_enforced(own_service: Callable[..., Service]) -> None:
    service = own_service(image_pixel_limit=800 * 600, image_file_limit=20_000, image_side_limit=300)
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/a.jpg", picture()).raise_for_status()
    service.upload(f"{bucket}/large.jpg", picture(size=(801, 600))).raise_for_status()
    service.upload(f"{bucket}/long.jpg", picture() + b"\0" * 20_000).raise_for_status()
    assert size_of(drawn(service, bucket, "?width=400")) == (300, 225)
    answered = error(drawn(service, bucket, "", "large.jpg"))
    assert answered[2:] == ("InvalidRequest", "The source image resolution is too large to process")
    answered = error(drawn(service, bucket, "", "long.jpg"))
    assert answered[2:] == ("InvalidRequest", "The source image file is too large to process")


def test_a_killed_decoder_fails_only_its_own_request(own_service: Callable[..., Service]) -> None:
    service = own_service(threads=4, image_timeout_s=PATIENCE_S, image_processes=1)
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/a.jpg", picture()).raise_for_status()
    assert size_of(drawn(service, bucket, "?width=20")) == (20, 15)
    (decoder,) = decoders_of(service)
    decoder.send_signal(signal.SIGSTOP)
    answers: list[requests.Response] = []
    url = f"{service.url}/render/image/public/{bucket}/a.jpg?width=21"
    thread = threading.Thread(target=lambda: answers.append(requests.get(url, timeout=PATIENCE_S)))
    thread.start()
    for _ in range(5):
        assert service.get(f"/object/public/{bucket}/a.jpg", None).status_code == 200
        assert size_of(drawn(service, bucket, "?width=20")) == (20, 15)
    decoder.kill()
    thread.join(PATIENCE_S)
    killed = (503, "503", "SlowDown", "The image could not be rendered: its decoder was killed. Try again")
    # It may have been killed before it was given the image; then another one drew it.
    assert answers[0].status_code == 200 or error(answers[0]) == killed
    assert size_of(drawn(service, bucket, "?width=21")) == (21, 16)


def test_an_image_that_takes_too_long_is_not_tried_again_at_once(own_service: Callable[..., Service]) -> None:
    service = own_service(threads=4, image_timeout_s=2.0, image_processes=1)
    bucket = service.bucket(public=True)
    for key in ("a.jpg", "b.jpg"):
        service.upload(f"{bucket}/{key}", picture()).raise_for_status()
    assert size_of(drawn(service, bucket, "?width=20", "b.jpg")) == (20, 15)
    (decoder,) = decoders_of(service)
    decoder.send_signal(signal.SIGSTOP)
    late = (400, "400", "InvalidRequest", "The source image could not be rendered in time")
    assert error(drawn(service, bucket, "?width=11")) == late
    assert decoders_of(service) == []
    # Another decoder would have the time, and has it for another image.
    assert error(drawn(service, bucket, "?width=10")) == late
    assert decoders_of(service) == []
    # It may have taken so long because of the format or the size.
    assert size_of(drawn(service, bucket, "?width=10&format=webp")) == (10, 8)
    assert size_of(drawn(service, bucket)) == (800, 600)
    assert error(drawn(service, bucket, "?width=10")) == late
    service.upload(f"{bucket}/a.jpg", picture(), x_upsert="true").raise_for_status()
    assert size_of(drawn(service, bucket, "?width=10")) == (10, 8)


def decoders_of(service: Service) -> list[psutil.Process]:
    """The decoders that are children of this process, the youngest last, and belong to this service."""
    images = service.application.services.images
    assert images is not None
    known = {decoder.pid for decoder in images._decoders._idle}
    return [each for each in psutil.Process().children() if each.pid in known]


def test_a_rendered_image_is_kept_until_its_version_is_deleted(own_service: Callable[..., Service]) -> None:
    service = own_service(replaced_bytes_grace_s=0.0)
    bucket = service.bucket(public=True)
    for content in (picture(), picture(colour="red"), picture(colour="blue")):
        service.upload(f"{bucket}/a.jpg", content, x_upsert="true").raise_for_status()
        work(service)
        assert derived(service) == []
        first = drawn(service, bucket, "?width=20")
        names = derived(service)
        assert [f'"{name}"' for name in names] == [first.headers["etag"]]
        for decoder in decoders_of(service):
            decoder.kill()
        again = drawn(service, bucket, "?width=20")
        assert (again.content, again.headers["content-type"]) == (first.content, "image/jpeg")
        assert derived(service) == names
    service.post("/object/move", json={"bucketId": bucket, "sourceKey": "a.jpg", "destinationKey": "b.jpg"})
    assert drawn(service, bucket, "?width=20", "b.jpg").content == first.content
    service.delete(f"/object/{bucket}/b.jpg").raise_for_status()
    work(service)
    assert derived(service) == []
    assert service.blobs() == set()


def test_images_of_an_object_replaced_meanwhile_are_not_kept(own_service: Callable[..., Service]) -> None:
    """Each is rendered from one version as a whole: the wide one or the high one."""
    service = own_service(replaced_bytes_grace_s=0.0)
    path = f"{service.bucket(public=True)}/a.png"
    shapes = {(20, 10): picture("PNG", (80, 40)), (20, 40): picture("PNG", (80, 160))}
    service.upload(path, shapes[20, 10]).raise_for_status()
    enough = threading.Event()

    def replace() -> None:
        headers = {"authorization": f"Bearer {SERVICE}", "x-upsert": "true"}
        with requests.Session() as session:
            for content in itertools.cycle(reversed(shapes.values())):
                if enough.is_set():
                    break
                session.post(f"{service.url}/object/{path}", content, headers=headers, timeout=PATIENCE_S)
                work(service)

    thread = threading.Thread(target=replace)
    thread.start()
    seen: dict[str, tuple[int, int]] = {}
    try:
        while len(seen) < 10 or set(seen.values()) != set(shapes):
            got = service.get(f"/render/image/public/{path}?width=20", None)
            size = size_of(got)
            assert size in shapes
            assert seen.setdefault(got.headers["etag"], size) == size
    finally:
        enough.set()
        thread.join(PATIENCE_S)
    work(service)
    assert len(derived(service)) <= 1


def work(service: Service) -> None:
    """Returns when everything that is to be deleted is: the service's own thread may be at it, too."""
    service.application.services.storage.background.work_now()
    until(lambda: not service.sql("select from storage.work where kind = 'delete_blob'"))


def test_kept_images_have_a_limit(own_service: Callable[..., Service]) -> None:
    service = own_service(image_cache=0)
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/a.jpg", picture()).raise_for_status()
    assert size_of(drawn(service, bucket, "?width=20")) == (20, 15)
    assert derived(service) == []


def test_the_oldest_images_are_dropped_first(service: Service, private: str) -> None:
    backend = service.application.services.storage.backend
    made = [service.get(f"/render/image/authenticated/{private}/a.jpg?width={side}") for side in range(100, 120)]
    names = [each.headers["etag"].strip('"') for each in made]
    sizes = {blob.key.rpartition("/")[2]: blob.size for blob in backend.list("derived/")}
    total = sum(sizes.values())
    trim(backend, total)
    assert len(derived(service)) == len(sizes)
    trim(backend, total - 1)
    left = set(derived(service))
    assert set(names[-5:]) <= left
    assert len(left) < len(sizes)
    assert total * 3 // 4 < sum(sizes[name] for name in left) <= (total - 1) * 7 // 8
    assert service.get(f"/render/image/authenticated/{private}/a.jpg?width=100").content == made[0].content


def test_routes_do_not_exist_with_images_off(own_service: Callable[..., Service]) -> None:
    service = own_service(images="off")
    path = f"{service.bucket(public=True)}/a.jpg"
    service.upload(path, picture()).raise_for_status()
    for route in ("public", "authenticated", "sign"):
        answer = service.get(f"/render/image/{route}/{path}")
        assert (answer.status_code, answer.json()) == (
            404,
            {
                "statusCode": "404",
                "error": "Not Found",
                "message": f"Route GET:/render/image/{route}/{path} not found",
                "code": "InvalidRequest",
            },
        )
    assert sign(service, path, {"width": 10}).startswith("/object/sign/")


def test_a_released_client_renders_images(service: Service, storage3_client: Callable[[Service, str], Any]) -> None:
    client = storage3_client(service, SERVICE)
    client.create_bucket("pictures", options={"public": True})
    files = client.from_("pictures")
    files.upload("a b.jpg", picture(), {"content-type": "image/jpeg"})
    transform = {"width": 40, "height": 20, "resize": "contain", "quality": 50}
    assert opened(files.download("a b.jpg", {"transform": transform})).size == (27, 20)
    signed = files.create_signed_url("a b.jpg", 60, {"transform": transform})["signedURL"]
    assert opened(httpx.get(signed).content).size == (27, 20)
    public = files.get_public_url("a b.jpg", {"transform": transform})
    assert opened(httpx.get(public, headers={"apikey": ANON}).content).size == (27, 20)
