"""How long each stage of a request took, for the Server-Timing header (https://www.w3.org/TR/server-timing/)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, TypeVar, TypeVarTuple, cast

from app.pipeline.records import Reply

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")


class Timing:
    """The times of the stages of one request, which began at ``started`` (perf_counter seconds). The time of what
    plugins wrap around a stage counts as the stage's."""

    __slots__ = ("_around", "_last", "_milliseconds")

    def __init__(self, started: float, around: Mapping[str, Callable[..., Any]]) -> None:
        self._around = around
        self._last = started
        self._milliseconds: dict[str, float] = {}

    def of(self, stage: str, function: Callable[[*Arguments], R], *arguments: *Arguments) -> R:
        """What ``function`` returns; its time counts for ``stage``."""
        around = self._around.get(stage)
        try:
            return function(*arguments) if around is None else cast(R, around(function, *arguments))
        finally:
            now = perf_counter()
            self._milliseconds[stage] = self._milliseconds.get(stage, 0.0) + (now - self._last) * 1000
            self._last = now

    def on(self, reply: Reply) -> Reply:
        """The reply with the header."""
        value = ", ".join([f"{stage};dur={milliseconds:.3f}" for stage, milliseconds in self._milliseconds.items()])
        return replace(reply, headers=[*reply.headers, ("Server-Timing", value)])
