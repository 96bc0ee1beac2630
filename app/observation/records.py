"""The records that observers are given. Those of each request are tuples, which are made in a third of the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.observation.tracing import Trace


class ObservedOperation(NamedTuple):
    """One GraphQL operation.

    ``name`` and ``kind`` ("query" or "mutation") are those of the document, '' if it has no name or was not understood.
    ``role`` is the caller's, '' if it was not identified. ``codes`` are those of the errors in the answer. ``started``
    is of ``time.perf_counter``; ``stages`` has the milliseconds of each stage that was reached, in their order.
    ``text`` is the document, whose literals may be secrets: never log it.
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
    """One HTTP request and its answer.

    ``door`` is the API: graphql, rest, s3, resumable or images, or else the first part of the path of another route.
    ``operation`` is the route within it, '' for a request that the server refused before it was routed. ``codes`` are
    those of the errors in the answer. ``received`` and ``sent`` are the lengths of the bodies in bytes. ``started`` is
    of ``time.perf_counter``; the request took ``seconds`` until its answer was made, which is before it was sent.
    ``operations`` are those of the GraphQL API; a batch has several.
    """

    door: str
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
    """The slowest run of an operation. ``key`` is the same for documents that differ in nothing but their literals;
    ``document`` has none of them, and no comments. ``at`` is when it ended, in seconds since 1970."""

    key: str
    name: str
    kind: str
    role: str
    codes: tuple[str, ...]
    milliseconds: float
    stages: Mapping[str, float]
    document: str
    at: float
