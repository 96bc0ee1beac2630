"""Work after the commit: replaced bytes are deleted after the grace period, events are delivered at least once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import pytest

from app.storage.upkeep import work
from tests.process.running import until
from tests.storage.listening import Listening
from tests.storage.service import Service, running

CREATED, REMOVED = "ObjectCreated:Post", "ObjectRemoved:Delete"


def waiting(service: Service, kind: str = "delete_blob") -> int:
    count: int = service.sql(f"select count(*) from storage.work where kind = '{kind}'")[0][0]
    return count


def test_replaced_bytes_stay_for_a_while(own_service: Callable[..., Service]) -> None:
    service = own_service(replaced_bytes_grace_s=3600.0)
    background = service.application.services.storage.background
    path = f"{service.bucket()}/k"
    service.upload(path, b"one").raise_for_status()
    (first,) = service.blobs()
    service.upload(path, b"two", x_upsert="true").raise_for_status()
    background.work_now()
    assert len(service.blobs()) == 2
    assert waiting(service) == 1
    service.sql("update storage.work set due_at = due_at - interval '2 hours'")
    background.work_now()
    assert len(service.blobs()) == 1
    assert first not in service.blobs()
    assert waiting(service) == 0
    assert service.get(f"/object/{path}").content == b"two"


def test_deleting_lists_the_bytes_in_the_same_transaction(own_service: Callable[..., Service]) -> None:
    service = own_service(replaced_bytes_grace_s=0.0)
    bucket = service.bucket()
    for key in "abc":
        service.upload(f"{bucket}/{key}").raise_for_status()
    service.delete(f"/object/{bucket}/a").raise_for_status()
    service.delete(f"/object/{bucket}", json={"prefixes": ["b"]}).raise_for_status()
    service.post(f"/bucket/{bucket}/empty").raise_for_status()
    service.application.services.storage.background.work_now()
    # The service's own thread may do it too.
    until(lambda: service.blobs() == set() and waiting(service) == 0)


def test_the_service_works_off_its_list(own_service: Callable[..., Service]) -> None:
    service = own_service(replaced_bytes_grace_s=0.0)
    path = f"{service.bucket()}/k"
    service.upload(path).raise_for_status()
    service.delete(f"/object/{path}").raise_for_status()
    until(lambda: service.blobs() == set())


def test_failed_deletions_of_bytes_are_retried(own_service: Callable[..., Service]) -> None:
    service = own_service(replaced_bytes_grace_s=0.0)
    storage = service.application.services.storage
    path = f"{service.bucket()}/k"
    service.upload(path).raise_for_status()

    def fail(keys: object) -> None:
        raise OSError("the disk is away")

    working = storage.backend.delete_many
    storage.backend.delete_many = fail  # type: ignore[method-assign]
    service.delete(f"/object/{path}").raise_for_status()
    until(lambda: service.sql("select last_error from storage.work") == [["OSError: the disk is away"]])
    storage.backend.delete_many = working  # type: ignore[method-assign]
    service.sql("update storage.work set due_at = now() - interval '1 second'")
    storage.background.work_now()
    until(lambda: service.blobs() == set() and waiting(service) == 0)


def test_events_describe_each_change(own_service: Callable[..., Service]) -> None:
    plugin = Listening()
    service = own_service(plugins={"listening": plugin})
    bucket, other = service.bucket(), service.bucket()
    service.upload(f"{bucket}/a", b"12345", content_type="a/b").raise_for_status()
    service.put(f"/object/{bucket}/a", data=b"1").raise_for_status()
    keys = {"bucketId": bucket, "sourceKey": "a"}
    service.post("/object/copy", json={**keys, "destinationKey": "b"}).raise_for_status()
    service.post("/object/move", json={**keys, "destinationKey": "c", "destinationBucket": other}).raise_for_status()
    service.delete(f"/object/{bucket}/b").raise_for_status()
    service.delete(f"/object/{other}", json={"prefixes": ["c", "no"]}).raise_for_status()
    service.upload(f"{bucket}/z").raise_for_status()
    service.post(f"/bucket/{bucket}/empty").raise_for_status()
    service.upload(f"{bucket}/no", b"x", credential=service_less()).close()
    until(lambda: len(plugin.heard) >= 9 and waiting(service, "post_event") == 0)
    found = {(event.type, event.bucket_id, event.name) for event in plugin.heard}
    assert found == {
        ("ObjectCreated:Post", bucket, "a"),
        ("ObjectCreated:Put", bucket, "a"),
        ("ObjectCreated:Copy", bucket, "b"),
        ("ObjectRemoved:Move", bucket, "a"),
        ("ObjectCreated:Move", other, "c"),
        ("ObjectRemoved:Delete", bucket, "b"),
        ("ObjectRemoved:Delete", other, "c"),
        ("ObjectCreated:Post", bucket, "z"),
        ("ObjectRemoved:Delete", bucket, "z"),
    }
    first = next(event for event in plugin.heard if event.type == "ObjectCreated:Post" and event.name == "a")
    assert (first.metadata["size"], first.metadata["mimetype"]) == (5, "a/b")
    moved = next(event for event in plugin.heard if event.type == "ObjectCreated:Move")
    assert moved.old is not None
    assert (moved.old["bucketId"], moved.old["name"]) == (bucket, "a")


def service_less() -> str:
    from tests.storage.service import token

    return token(sub="nobody")


def work_together(*services: Service) -> None:
    """All services work through the list at the same time, until it is empty."""

    def work(service: Service) -> None:
        while service.sql("select from storage.work"):
            service.application.services.storage.background.work_now()

    threads = [threading.Thread(target=work, args=(service,)) for service in services for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("is_slow", [False, True])
def test_several_services_do_each_entry_once(
    own_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch, is_slow: bool
) -> None:
    if is_slow:
        # Each event takes longer than there is time for a batch, whose rest is given back.
        monkeypatch.setattr(work, "_SENDING_FOR_S", -1.0)
    plugin, deleted = Listening(), list[str]()
    settings = {"plugins": {"listening": plugin}, "replaced_bytes_grace_s": 0.0}
    one = own_service(**settings)
    with running(one.postgres, one.database_url, one.folder, **settings) as other:
        for service in (one, other):
            backend = service.application.services.storage.backend
            # The files show that they are gone, not how often they were deleted.
            monkeypatch.setattr(backend, "delete_many", partial(_noting, backend.delete_many, deleted))
        bucket, names = one.bucket(), [f"k{number}" for number in range(25)]
        for name in names:
            one.upload(f"{bucket}/{name}").raise_for_status()
        written = one.blobs()
        other.delete(f"/object/{bucket}", json={"prefixes": names}).raise_for_status()
        work_together(one, other)
    reported = [(event.type, event.name) for event in plugin.heard]
    assert sorted(reported) == sorted((type_, name) for type_ in (CREATED, REMOVED) for name in names)
    assert len(deleted) == len(set(deleted)) == len(written) == 25


def _noting(delete: Callable[[list[str]], None], noted: list[str], keys: list[str]) -> None:
    noted += keys
    delete(keys)


def test_events_are_sent_until_they_are_accepted(own_service: Callable[..., Service]) -> None:
    plugin = Listening()
    plugin.failing = True
    service = own_service(plugins={"listening": plugin})
    service.upload(f"{service.bucket()}/a").raise_for_status()
    failed = "select count(*) from storage.work where last_error = 'RuntimeError: not now' and attempts >= {}"
    for failures in (1, 2):
        until(lambda least=failures: service.sql(failed.format(least)) == [[1]])
        make_due(service)
    plugin.failing = False
    make_due(service)
    until(lambda: waiting(service, "post_event") == 0)
    assert [event.name for event in plugin.heard] == ["a"]


def make_due(service: Service) -> None:
    service.sql("update storage.work set due_at = now()")
    service.application.services.storage.wake.set()


def test_no_entries_are_written_without_a_receiver(service: Service) -> None:
    service.upload(f"{service.bucket()}/a").raise_for_status()
    assert waiting(service, "post_event") == 0


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[tuple[dict[str, str], dict[str, Any]]], list[int]]]:
    """A web server that records what is posted to it, and answers with the status set last."""
    posted: list[tuple[dict[str, str], dict[str, Any]]] = []
    answers = [204]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            posted.append(({name.lower(): value for name, value in self.headers.items()}, json.loads(body)))
            self.send_response(answers[-1])
            self.send_header("location", "/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", posted, answers
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("refusal", [500, 302])
def test_a_webhook_is_retried_until_it_is_accepted(
    own_service: Callable[..., Service],
    receiver: tuple[str, list[tuple[dict[str, str], dict[str, Any]]], list[int]],
    refusal: int,
) -> None:
    url, posted, answers = receiver
    answers.append(refusal)
    service = own_service(webhook_url=url, webhook_key="the key")
    bucket = service.bucket()
    service.upload(f"{bucket}/a", b"123", x_request_id="request 1").raise_for_status()
    reported = f"WebhookRefused: the receiver answered {refusal}"
    until(lambda: service.sql("select last_error from storage.work") == [[reported]])
    answers.append(204)
    make_due(service)
    until(lambda: waiting(service, "post_event") == 0)
    assert len(posted) >= 2
    headers, body = posted[-1]
    assert headers["authorization"] == "Bearer the key"
    assert body["type"] == "Webhook"
    assert body["event"]["type"] == "ObjectCreated:Post"
    payload = body["event"]["payload"]
    assert (payload["bucketId"], payload["name"], payload["metadata"]["size"]) == (bucket, "a", 3)
    assert payload["reqId"] == "request 1"
    assert body["event"]["applyTime"] < body["sentAt"]


def test_a_webhook_names_versions_where_a_bucket_keeps_them(
    own_service: Callable[..., Service], receiver: tuple[str, list[tuple[dict[str, str], dict[str, Any]]], list[int]]
) -> None:
    url, posted, answers = receiver
    answers.append(204)
    service = own_service(webhook_url=url)
    for bucket in (service.bucket(), service.bucket(versioning_status="ENABLED")):
        service.upload(f"{bucket}/a").raise_for_status()
        service.delete(f"/object/{bucket}/a").raise_for_status()
    wanted = {"deleteMarkers": "only"}
    [marker] = service.post(f"/object/list-v2/{bucket}", json=wanted).json()["objects"]
    until(lambda: waiting(service, "post_event") == 0)
    events = [body["event"] for _, body in posted]
    payloads = {each["type"]: each["payload"] for each in events if each["type"].startswith("ObjectRemoved:")}
    assert payloads.keys() == {"ObjectRemoved:Delete", "ObjectRemoved:DeleteMarkerCreated"}
    assert "versionId" not in payloads["ObjectRemoved:Delete"]
    made = payloads["ObjectRemoved:DeleteMarkerCreated"]
    assert (made["versionId"], made["isDeleteMarker"]) == (marker["versionId"], False)


@pytest.mark.parametrize(
    ("begun", "left"),
    [(b"", ["TimeoutError"]), (b"HTTP/1.1 204 No Content\r\nX: ", ["TimeoutError"]), (b"HTTP/1.1 200 OK\r\n\r\n", [])],
)
def test_a_slow_receiver_is_not_waited_for(
    own_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch, begun: bytes, left: list[str]
) -> None:
    """Otherwise nothing that the upkeep does would be done any more."""
    # The upkeep waits this long for the receiver, which never ends its answer.
    monkeypatch.setattr("plugins.storage.webhook._TIMEOUT_S", 0.5)
    posted, closed = threading.Event(), threading.Event()

    class Dripping(StreamRequestHandler):
        def handle(self) -> None:
            posted.set()
            with suppress(OSError):
                self.wfile.write(begun)
                while not closed.wait(0.05):
                    self.wfile.write(b"x")

    def outcome(service: Service) -> list[str] | None:
        errors = [row[0] for row in service.sql("select last_error from storage.work")]
        return None if None in errors else [error.partition(":")[0] for error in errors]

    server = ThreadingTCPServer(("127.0.0.1", 0), Dripping)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        service = own_service(webhook_url=f"http://127.0.0.1:{server.server_address[1]}/hook")
        service.upload(f"{service.bucket()}/a", b"123").raise_for_status()
        posted.wait()
        until(lambda: outcome(service) is not None)
        assert outcome(service) == left
    finally:
        closed.set()
        server.shutdown()
        server.server_close()


def test_a_version_that_a_row_names_is_never_deleted(own_service: Callable[..., Service]) -> None:
    """Regardless of the entries of the work list."""
    service = own_service(replaced_bytes_grace_s=0.0)
    bucket = service.bucket()
    service.upload(f"{bucket}/victim", b"victim").raise_for_status()
    service.sql(
        "insert into storage.work (kind, bucket_id, name, version)"
        " select 'delete_blob', bucket_id, 'another', version from storage.objects"
    )
    service.application.services.storage.background.work_now()
    assert waiting(service, "delete_blob") == 0
    assert service.get(f"/object/{bucket}/victim").content == b"victim"
