"""The records of each request that observers get when its response is ready, for metrics, logs and traces."""

from app.observation.records import ObservedOperation, ObservedRequest, Observer, SlowOperation
from app.observation.tracing import Trace, read_request_id, read_trace

__all__ = [
    "ObservedOperation",
    "ObservedRequest",
    "Observer",
    "SlowOperation",
    "Trace",
    "read_request_id",
    "read_trace",
]
