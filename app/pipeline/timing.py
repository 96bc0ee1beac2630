"""How long each stage of a request took, for the Server-Timing header (https://www.w3.org/TR/server-timing/)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import ParamSpec, TypeVar

from app.pipeline.records import Reply

P = ParamSpec("P")
R = TypeVar("R")


class Timing:
    """The times of one request's stages, which began at ``started`` (perf_counter seconds)."""

    __slots__ = ("_last", "_milliseconds")

    def __init__(self, started: float) -> None:
        self._last = started
        self._milliseconds: dict[str, float] = {}

    def of(self, stage: str, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """What ``function`` returns; its time counts for ``stage``."""
        try:
            return function(*args, **kwargs)
        finally:
            now = perf_counter()
            self._milliseconds[stage] = self._milliseconds.get(stage, 0.0) + (now - self._last) * 1000
            self._last = now

    @property
    def milliseconds(self) -> Mapping[str, float]:
        return self._milliseconds

    def on(self, reply: Reply) -> Reply:
        """The reply with the header."""
        value = ", ".join([f"{stage};dur={milliseconds:.3f}" for stage, milliseconds in self._milliseconds.items()])
        return replace(reply, headers=[*reply.headers, ("Server-Timing", value)])
