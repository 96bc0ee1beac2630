"""What observers are told about each request after its answer was made: metrics, logs and traces are made of it."""

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
