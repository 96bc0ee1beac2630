"""Measures the time of each stage of a request, for observers and the header Server-Timing
(https://www.w3.org/TR/server-timing/)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import chain
from operator import sub
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, cast

from app.observation import ObservedOperation
from app.pipeline.records import GraphQLResponse, ParsedDocument

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")

_in_milliseconds = (1000.0).__mul__


class TimedResponse(NamedTuple):
    """A response, its operations as observers see them, and the value of its header Server-Timing."""

    response: GraphQLResponse
    operations: tuple[ObservedOperation, ...]
    server_timing: str


class Timing:
    """The times of the stages of one operation, and its document and role as soon as these are known. A stage's time
    includes the plugins that wrap it, and everything until the next stage begins."""

    __slots__ = ("_around", "_marks", "document", "role")

    def __init__(self, around: Mapping[str, Callable[..., Any]]) -> None:
        self._around = around
        # For each stage two items: its name and the time when it began.
        self._marks: list[Any] = []
        self.document: ParsedDocument | None = None
        self.role = ""

    def of(self, stage: str, function: Callable[[*Arguments], R], *arguments: *Arguments) -> R:
        """The result of ``function``, whose time counts for ``stage``."""
        self._marks += stage, perf_counter()
        around = self._around.get(stage)
        return function(*arguments) if around is None else cast(R, around(function, *arguments))

    def on(self, response: GraphQLResponse) -> TimedResponse:
        """The response with the times of the stages, the last of which ends now."""
        milliseconds = self._milliseconds(perf_counter())
        name, kind, text = "", "", ""
        if self.document is not None:
            operation = self.document.operation
            name = operation.name.value if operation.name else ""
            kind, text = operation.operation.value, self.document.text
        observed = ObservedOperation(name, kind, self.role, response.codes, self._marks[1], milliseconds, text)
        return TimedResponse(response, (observed,), _server_timing(milliseconds))

    def _milliseconds(self, now: float) -> dict[str, float]:
        stages, begun = self._marks[::2], self._marks[1::2]
        took = list(map(_in_milliseconds, map(sub, (*begun[1:], now), begun)))
        found = dict(zip(stages, took, strict=True))
        return found if len(found) == len(took) else _added(zip(stages, took, strict=True))


def together(response: GraphQLResponse, parts: Iterable[TimedResponse]) -> TimedResponse:
    """The joined ``response`` of a batch, with the operations of all ``parts`` and the sums of their times."""
    operations = tuple(operation for part in parts for operation in part.operations)
    milliseconds = _added(each for operation in operations for each in operation.stages.items())
    return TimedResponse(response, operations, _server_timing(milliseconds))


def _added(times: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for stage, took in times:
        found[stage] = found.get(stage, 0.0) + took
    return found


def _server_timing(milliseconds: Mapping[str, float]) -> str:
    return _metrics(len(milliseconds)) % tuple(chain.from_iterable(milliseconds.items()))


@cache
def _metrics(count: int) -> str:
    """A template for a header with ``count`` metrics."""
    return ", ".join(["%s;dur=%.3f"] * count)
