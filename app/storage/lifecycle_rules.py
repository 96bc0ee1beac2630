"""Lifecycle rules of a bucket: what they name, read from the JSON that ``storage.buckets.lifecycle`` has.

The JSON has the words of S3's clients, such as ``[{"Status": "Enabled", "Filter": {"Prefix": "tmp/"}, "Expiration":
{"Days": 7}}]``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

log = logging.getLogger("portico.storage")

_MOST_DAYS = 100_000


class InvalidRule(ValueError):
    """The rule has another form; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class LifecycleRule:
    """One rule that is enabled. It names objects by ``prefix``, ``tags`` and size: more than ``larger_than`` and less
    than ``smaller_than`` bytes. The other fields are its actions; None for those that it does not have."""

    id: str
    prefix: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    larger_than: int | None = None
    smaller_than: int | None = None
    days: int | None = None
    date: datetime | None = None
    expired_markers: bool = False
    noncurrent_days: int | None = None
    newest_kept: int = 0
    upload_days: int | None = None


def read_lifecycle(text: str) -> tuple[LifecycleRule, ...]:
    """The enabled rules in JSON. A rule that SQL wrote in another form names nothing, and is logged."""
    found = []
    rules = json.loads(text)
    for each in rules if isinstance(rules, list) else ():
        try:
            rule = read_rule(each)
        except InvalidRule as ex:
            log.warning("a lifecycle rule of a bucket is not used: %s", ex)
        else:
            if each["Status"] == "Enabled":
                found.append(rule)
    return tuple(found)


def read_rule(given: Any) -> LifecycleRule:
    """The rule in a JSON object. Raises InvalidRule."""
    if not isinstance(given, dict) or given.get("Status") not in ("Enabled", "Disabled"):
        raise InvalidRule("a rule has a Status, Enabled or Disabled")
    chosen = _object(given, "Filter")
    chosen = {**chosen, **_object(chosen, "And")}
    tags = [*_list(chosen, "Tags"), *([chosen["Tag"]] if "Tag" in chosen else [])]
    expiration, noncurrent = _object(given, "Expiration"), _object(given, "NoncurrentVersionExpiration")
    abort = _object(given, "AbortIncompleteMultipartUpload")
    rule = LifecycleRule(
        id=_text(given, "ID"),
        prefix=_text(chosen, "Prefix") or _text(given, "Prefix"),
        tags={_text(tag, "Key"): _text(tag, "Value") for tag in tags if isinstance(tag, dict)},
        larger_than=_number(chosen, "ObjectSizeGreaterThan", least=0, most=2**53),
        smaller_than=_number(chosen, "ObjectSizeLessThan", least=1, most=2**53),
        days=_number(expiration, "Days"),
        date=_date(expiration.get("Date")),
        expired_markers=expiration.get("ExpiredObjectDeleteMarker") is True,
        noncurrent_days=_number(noncurrent, "NoncurrentDays"),
        newest_kept=_number(noncurrent, "NewerNoncurrentVersions", most=100) or 0,
        upload_days=_number(abort, "DaysAfterInitiation"),
    )
    if rule.days is not None and rule.date is not None:
        raise InvalidRule("an Expiration has Days or a Date")
    if noncurrent and rule.noncurrent_days is None:
        raise InvalidRule("a NoncurrentVersionExpiration has NoncurrentDays")
    actions = (rule.days, rule.date, rule.noncurrent_days, rule.upload_days, rule.expired_markers or None)
    if all(each is None for each in actions):
        raise InvalidRule("a rule has an action: an expiration, or the abort of uploads")
    return rule


def _object(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = given.get(name) or {}
    if not isinstance(found, dict):
        raise InvalidRule(f"{name} is expected as an object")
    return found


def _list(given: Mapping[str, Any], name: str) -> list[Any]:
    found = given.get(name) or []
    if not isinstance(found, list):
        raise InvalidRule(f"{name} is expected as a list")
    return found


def _text(given: Mapping[str, Any], name: str) -> str:
    found = given.get(name) or ""
    if not isinstance(found, str):
        raise InvalidRule(f"{name} is expected as a text")
    return found


def _number(given: Mapping[str, Any], name: str, *, least: int = 1, most: int = _MOST_DAYS) -> int | None:
    found = given.get(name)
    if found is None:
        return None
    if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= most:
        raise InvalidRule(f"{name} is expected as a number from {least} to {most}")
    return found


def _date(given: Any) -> datetime | None:
    if given is None:
        return None
    try:
        found = datetime.fromisoformat(given)
    except (TypeError, ValueError):
        raise InvalidRule("a Date is expected in the format of ISO 8601") from None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    if (found.hour, found.minute, found.second, found.microsecond) != (0, 0, 0, 0) or found.utcoffset():
        raise InvalidRule("a Date is midnight UTC")
    return found
