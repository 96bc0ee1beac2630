"""The access log: one line for each request, without its path, query and credentials. ACCESS_LOG=on turns it on."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from app.hooks import hookimpl
from app.observation import ObservedRequest, Observer
from app.services import Services

log = logging.getLogger("portico.access")


@hookimpl
def observers(services: Services) -> Sequence[Observer]:
    return (_log,) if services.settings.access_log else ()


def _log(observed: ObservedRequest) -> None:
    names = ",".join(each.name or "(anonymous)" for each in observed.operations)
    fields = {
        "face": observed.face,
        "method": observed.method,
        "operation": names or observed.operation,
        "role": observed.role,
        "status": observed.status,
        "codes": ",".join(observed.codes),
        "received": observed.received,
        "sent": observed.sent,
        "ms": round(observed.seconds * 1000, 3),
        "stages": _stages(observed),
        "request_id": observed.request_id,
        "trace_id": observed.trace.trace_id if observed.trace else "",
    }
    log.info("request", extra={name: value for name, value in fields.items() if value not in ("", {})})


def _stages(observed: ObservedRequest) -> dict[str, float]:
    """The milliseconds of each stage, summed over all operations."""
    found: dict[str, float] = {}
    for operation in observed.operations:
        for stage, took in operation.stages.items():
            found[stage] = found.get(stage, 0.0) + took
    return {stage: round(took, 3) for stage, took in found.items()}
