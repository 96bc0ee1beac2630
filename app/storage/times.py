"""Times as HTTP writes them (RFC 9110 section 5.6.7), and as our JSON does."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

_EARLIEST = int(datetime(1, 1, 1, tzinfo=UTC).timestamp())
_LATEST = int(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())


def http_date(seconds: float) -> str:
    """``seconds`` since 1970 as ``Sat, 21 Nov 2026 05:17:34 GMT``; what is outside the years 1 to 9999 as their end."""
    return format_datetime(datetime.fromtimestamp(max(_EARLIEST, min(int(seconds), _LATEST)), UTC), usegmt=True)


def now_as_json() -> str:
    """Now in UTC with milliseconds and Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_http_date(text: str) -> int | None:
    """Seconds since 1970, or None for what is no date: a condition with such a one is ignored."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp())
