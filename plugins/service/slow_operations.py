"""Slow GraphQL operations: a log line for each, and a record of the slowest recent ones, without their values."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any

from app.hooks import hookimpl
from app.observation import ObservedOperation, ObservedRequest, Observer, SlowOperation
from app.observation.redaction import key_of, without_literals
from app.observation.slow_operations import Slowest, shared_file
from app.services import Services
from app.settings import Setting, Settings
from app.settings.kinds import Number

log = logging.getLogger("portico.slow")

SLOW_OPERATION_MS = Setting(
    "slow_operation_ms",
    Number(0),
    1000,
    "The milliseconds after which a GraphQL operation is logged and recorded as slow, without its values; 0 for never.",
    section="Log and metrics",
)


class SlowOperations:
    """Logs slow GraphQL operations, and records the slowest recent ones without their values.

    One instance for each application.
    """

    def __init__(self) -> None:
        self._slowest = Slowest(None)

    @hookimpl
    def settings(self) -> Sequence[Setting[Any]]:
        return (SLOW_OPERATION_MS,)

    @hookimpl
    def before_fork(self, settings: Settings) -> None:
        if settings.workers > 1:
            self._slowest = Slowest(shared_file())

    @hookimpl
    def observers(self, services: Services) -> Sequence[Observer]:
        slow_ms = services.settings[SLOW_OPERATION_MS]
        slowest = self._slowest

        def observe(observed: ObservedRequest) -> None:
            for operation in observed.operations:
                took = operation.milliseconds
                if took >= slow_ms:
                    slow = _slow(operation, took)
                    slowest.add(slow)
                    _log(slow, observed.request_id)

        return (observe,) if slow_ms else ()

    @hookimpl
    def closing(self) -> None:
        self._slowest.close()

    @hookimpl
    def slow_operations(self) -> Sequence[SlowOperation]:
        return self._slowest.operations()


def _slow(operation: ObservedOperation, took: float) -> SlowOperation:
    document = without_literals(operation.text)
    return SlowOperation(
        key=key_of(document, operation.name),
        name=operation.name,
        kind=operation.kind,
        role=operation.role,
        codes=operation.codes,
        milliseconds=took,
        stages=operation.stages,
        document=document,
        at=time.time(),
    )


def _log(slow: SlowOperation, request_id: str) -> None:
    fields = {
        "operation": slow.name,
        "plan": slow.key,
        "role": slow.role,
        "codes": list(slow.codes),
        "ms": round(slow.milliseconds, 3),
        "stages": {stage: round(took, 3) for stage, took in slow.stages.items()},
        "request_id": request_id,
    }
    log.warning("a slow operation", extra={name: value for name, value in fields.items() if value})
