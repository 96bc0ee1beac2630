"""Two concurrent writers: exactly the checked change is committed."""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable
from functools import partial

from bench.siege.client import Answer, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds

_A, _B = (token("authenticated", sub=f"0000000{letter}-0000-4000-8000-000000000000") for letter in "ab")
_LARGE = bytes(20_000_000)


def _at_once(*calls: Callable[[], Answer]) -> list[Answer]:
    answers: list[Answer | None] = [None] * len(calls)

    def call(number: int) -> None:
        answers[number] = calls[number]()

    threads = [threading.Thread(target=call, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answer for answer in answers if answer is not None]


def _owners_bucket(service: Besieged) -> str:
    """Everybody may insert and read, only the owner may update."""
    bucket = service.bucket()
    condition = f"bucket_id = '{bucket}'"
    own = f"{condition} and owner_id = auth.jwt() ->> 'sub'"
    service.sql(
        f"create policy {bucket}_i on storage.objects for insert to authenticated with check ({condition});"
        f"create policy {bucket}_s on storage.objects for select to authenticated using ({condition});"
        f"create policy {bucket}_u on storage.objects for update to authenticated using ({own}) with check ({own})"
    )
    return bucket


def _later(service: Besieged, delay_s: float, path: str) -> Answer:
    time.sleep(delay_s)
    return service.ask("POST", path, b"of B", _B)


def _trial_and_commit(grounds: Grounds, seconds: float) -> Finding:
    service, tally, chance, hit = grounds.service, Tally(), random.Random(8), 0
    bucket = _owners_bucket(service)
    ways: dict[str, dict[str, str]] = {"PUT": {}, "POST": {"x_upsert": "true"}}
    took = service.ask("PUT", f"/object/{bucket}/first", _LARGE, _A).seconds
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline or tally.tried < 4:
        method = list(ways)[tally.tried % 2]
        path = f"/object/{bucket}/{secrets.token_hex(6)}"
        delay = chance.random() * took

        first, second = _at_once(
            partial(service.ask, method, path, _LARGE, _A, **ways[method]), partial(_later, service, delay, path)
        )
        hit += second.status == 200
        lost = second.status == 200 and service.ask("GET", path).body != b"of B"
        tally.add(not lost, (f"{method} of 20 MB by A, POST by B {delay:.2f} s later", first.status, second.status))
    return tally.finding(f"B was first in {hit}")


def _signed_upload(grounds: Grounds, _: float) -> Finding:
    service, tally = grounds.service, Tally()
    bucket = _owners_bucket(service)
    for upsert in ("true", "false"):
        path = f"{bucket}/{secrets.token_hex(6)}"
        signed = service.ask("POST", f"/object/upload/sign/{path}", None, _A, x_upsert=upsert)
        service.ask("POST", f"/object/{path}", b"of B", _B)
        refused = service.ask("PUT", f"/object/{path}", b"of A", _A)
        assert refused.status != 200, refused
        if signed.status == 200:
            service.ask("PUT", f"/object/upload/sign/{path}?token={signed.json['token']}", b"of A", None)
        tally.add(
            service.ask("GET", f"/object/{path}").body == b"of B",
            f"A's upload URL, signed with x-upsert: {upsert}, replaced B's object",
        )
    return tally.finding()


def _past_the_rules(grounds: Grounds, seconds: float) -> Finding:
    service, tally, moved = grounds.service, Tally(), 0
    free, images = service.bucket(), service.bucket(file_size_limit=1000, allowed_mime_types=["image/*"])
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline or tally.tried < 10:
        key, word = secrets.token_hex(6), "move" if tally.tried % 2 else "copy"
        service.ask("POST", f"/object/{free}/{key}", b"png", Content_Type="image/png")
        body = {"bucketId": free, "sourceKey": key, "destinationBucket": images, "destinationKey": key}
        _, answer = _at_once(
            partial(service.ask, "PUT", f"/object/{free}/{key}", bytes(3000), Content_Type="text/html"),
            partial(service.ask, "POST", f"/object/{word}", body),
        )
        moved += answer.status == 200
        there = service.ask("GET", f"/object/{images}/{key}")
        tally.add(
            there.status != 200 or there.body == b"png", (word, there.headers.get("content-type"), len(there.body))
        )
    return tally.finding(f"{moved} were moved or copied")


def _conditions(grounds: Grounds, seconds: float) -> Finding:
    """Exactly one of many concurrent writes with the same If-Match succeeds, and one of many that create the same
    key."""
    service, tally = grounds.service, Tally()
    bucket = service.bucket()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline or tally.tried < 4:
        path = f"/object/{bucket}/{secrets.token_hex(6)}"
        made = _at_once(*[partial(service.ask, "POST", path, b"%d" % n) for n in range(4)])
        tally.add([answer.status for answer in made].count(200) == 1, [answer.status for answer in made])
        etag = service.ask("GET", path).headers["etag"]
        changed = _at_once(*[partial(service.ask, "PUT", path, b"new %d" % n, if_match=etag) for n in range(4)])
        tally.add([answer.status for answer in changed].count(200) == 1, [answer.status for answer in changed])
    return tally.finding()


ATTACKS = (
    Attack(
        "an upload and a creation", "who may not replace an object does not, whenever it was created", _trial_and_commit
    ),
    Attack(
        "an upload URL signed before", "an upload URL replaces nothing that its signer may not replace", _signed_upload
    ),
    Attack("a move that races a write", "no object passes the rules of a bucket on its way into it", _past_the_rules),
    Attack("writes with one condition", "of writers with the same condition one succeeds", _conditions),
)
