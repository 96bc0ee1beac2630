"""The records that observers get. Those of each request are tuples, which take a third of the time to make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.observation.tracing import Trace


class ObservedOperation(NamedTuple):
    """One GraphQL operation.

    ``name`` and ``kind`` ("query" or "mutation") are those of the document, '' if it has no name or is invalid.
    ``role`` is the caller's, '' if the caller was not identified. ``codes`` are those of the errors in the response.
    ``started`` is a time of ``time.perf_counter``. ``stages`` has the milliseconds of each stage that was reached, in
    their order. ``text`` is the document, whose literals may be secrets: never log it.
    """

    name: str
    kind: str
    role: str
    codes: tuple[str, ...]
    started: float
    stages: Mapping[str, float]
    text: str

    def __repr__(self) -> str:
        return f"ObservedOperation({self.kind} {self.name!r} as {self.role!r}, {self.codes})"

    @property
    def milliseconds(self) -> float:
        return sum(self.stages.values())


class ObservedRequest(NamedTuple):
    """One HTTP request and its response.

    ``face`` is the API: graphql, rest, s3, resumable or images; for another route it is the first part of the path.
    ``operation`` is the route within it, '' for a request that the server refused before it was routed. ``codes`` are
    those of the errors in the response. ``received`` and ``sent`` are the lengths of the bodies in bytes. ``started``
    is a time of ``time.perf_counter``; ``seconds`` is the time until the response was ready, before it was sent.
    ``operations`` are those of the GraphQL API; a batch has several.
    """

    face: str
    method: str
    operation: str
    status: int
    role: str
    codes: tuple[str, ...]
    received: int
    sent: int
    started: float
    seconds: float
    request_id: str = ""
    trace: Trace | None = None
    operations: tuple[ObservedOperation, ...] = ()


Observer = Callable[[ObservedRequest], None]


@dataclass(frozen=True, slots=True)
class SlowOperation:
    """The slowest run of an operation. ``key`` is the same for documents that differ only in their literals.
    ``document`` is the document without literals and comments. ``at`` is when the run ended, in seconds since 1970."""

    key: str
    name: str
    kind: str
    role: str
    codes: tuple[str, ...]
    milliseconds: float
    stages: Mapping[str, float]
    document: str
    at: float
