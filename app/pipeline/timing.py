"""How long each stage of a request took, for observers and the header Server-Timing
(https://www.w3.org/TR/server-timing/)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import Any, TypeVar, TypeVarTuple, cast

from app.observation import ObservedOperation
from app.pipeline.records import ParsedDocument, Reply

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")


class Timing:
    """The times of the stages of one operation, which began at ``started`` (perf_counter seconds), and whose it is, as
    soon as that is known. The time of what plugins wrap around a stage counts as the stage's."""

    __slots__ = ("_around", "_last", "_started", "document", "milliseconds", "role")

    def __init__(self, started: float, around: Mapping[str, Callable[..., Any]]) -> None:
        self._around = around
        self._last = self._started = started
        self.milliseconds: dict[str, float] = {}
        self.document: ParsedDocument | None = None
        self.role = ""

    def of(self, stage: str, function: Callable[[*Arguments], R], *arguments: *Arguments) -> R:
        """What ``function`` returns; its time counts for ``stage``."""
        around = self._around.get(stage)
        try:
            return function(*arguments) if around is None else cast(R, around(function, *arguments))
        finally:
            now = perf_counter()
            self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + (now - self._last) * 1000
            self._last = now

    def on(self, reply: Reply) -> Reply:
        """The reply with the header, and with what observers are told."""
        return _timed(reply, self.milliseconds, (self._observed(reply.codes),))

    def _observed(self, codes: tuple[str, ...]) -> ObservedOperation:
        name, kind, text = "", "", ""
        if self.document is not None:
            operation = self.document.operation
            name = operation.name.value if operation.name else ""
            kind, text = operation.operation.value, self.document.text
        return ObservedOperation(name, kind, self.role, codes, self._started, self.milliseconds, text)


def together(reply: Reply, parts: Iterable[Reply]) -> Reply:
    """The reply that joins ``parts``, each of one operation, with the sum of their times."""
    operations = tuple(operation for part in parts for operation in part.operations)
    milliseconds: dict[str, float] = {}
    for operation in operations:
        for stage, took in operation.stages.items():
            milliseconds[stage] = milliseconds.get(stage, 0.0) + took
    return _timed(reply, milliseconds, operations)


def _timed(reply: Reply, milliseconds: Mapping[str, float], operations: tuple[ObservedOperation, ...]) -> Reply:
    header = ", ".join([f"{stage};dur={took:.3f}" for stage, took in milliseconds.items()])
    headers = [*reply.headers, ("Server-Timing", header)]
    return Reply(reply.status, reply.body, reply.content_type, headers, reply.codes, operations, reply.kept)
