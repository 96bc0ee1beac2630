"""Reads the identity of a request from the headers of a client or proxy: X-Request-Id and the W3C trace context.

https://www.w3.org/TR/trace-context/
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_REQUEST_ID = re.compile(r"[ -~]{1,200}", re.ASCII)
_TRACE_PARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]*)?", re.ASCII)
_TRACE_STATE = re.compile(r"[\t -~]{1,512}", re.ASCII)
_LONGEST_PARENT = 256


@dataclass(frozen=True, slots=True)
class Trace:
    """A valid trace context: the header traceparent, its trace id and span id, and the header tracestate, '' without
    one."""

    parent: str
    trace_id: str
    span_id: str
    state: str = ""


def read_request_id(given: str | None) -> str:
    """The request id of the header; '' if there is none, or if it is too long or has characters that must not be
    logged."""
    return given if given is not None and _REQUEST_ID.fullmatch(given) else ""


def read_trace(parent: str | None, state: str | None) -> Trace | None:
    """The trace context of the headers; None if there is none or it is invalid. An invalid state is left out."""
    if parent is None or len(parent) > _LONGEST_PARENT:
        return None
    found = _TRACE_PARENT.fullmatch(parent)
    if found is None or found[1] == "ff" or not found[2].strip("0") or not found[3].strip("0"):
        return None
    if found[5] and found[1] == "00":
        return None
    return Trace(parent, found[2], found[3], state if state and _TRACE_STATE.fullmatch(state) else "")
