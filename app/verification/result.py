"""The result of a question to the API or to SQL: a value or a failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Value:
    """The value: ``data`` is decoded JSON."""

    data: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """``code``: the error code of the API, empty on the SQL side. ``sqlstate``: empty if the failure did not come from
    the database."""

    message: str
    code: str = ""
    sqlstate: str = ""


ResultOrFailure = Value | Failure

QUERY_CANCELED = "57014"


def is_timeout(result: ResultOrFailure) -> bool:
    return isinstance(result, Failure) and (result.sqlstate == QUERY_CANCELED or result.code == "STATEMENT_TIMEOUT")


def is_refusal(result: ResultOrFailure) -> bool:
    """Whether a limit of the service refused the question."""
    return isinstance(result, Failure) and result.code == "LIMIT_EXCEEDED"


def same_failure(one: ResultOrFailure, other: ResultOrFailure) -> bool:
    """Whether both failed for the same reason."""
    return isinstance(one, Failure) and isinstance(other, Failure) and one.sqlstate == other.sqlstate != ""
