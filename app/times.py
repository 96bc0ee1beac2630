"""Times in the formats of HTTP (RFC 9110 section 5.6.7) and of the service's JSON."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache

_EARLIEST = int(datetime(1, 1, 1, tzinfo=UTC).timestamp())
_LATEST = int(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())


def http_date(seconds: float) -> str:
    """``seconds`` since 1970 as ``Sat, 21 Nov 2026 05:17:34 GMT``, clamped to the years 1 to 9999."""
    return _http_date(int(seconds))


# Clients read the same objects repeatedly.
@lru_cache(4096)
def _http_date(seconds: int) -> str:
    return format_datetime(datetime.fromtimestamp(max(_EARLIEST, min(seconds, _LATEST)), UTC), usegmt=True)


def now_as_json() -> str:
    """The current time in UTC with milliseconds and Z."""
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1000)
    return f"{_to_the_second(seconds)}.{milliseconds:03d}Z"


@lru_cache(2)
def _to_the_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def as_json(moment: datetime) -> str:
    """A time with a zone, in UTC with milliseconds and Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_http_date(text: str) -> int | None:
    """Seconds since 1970, or None if the text is not a date; HTTP ignores a condition with such a date."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp())
