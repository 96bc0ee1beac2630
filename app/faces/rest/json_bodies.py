"""JSON bodies and query parameters, with the coercions that clients of this API rely on.

A body is described by its members; unknown ones are dropped. The messages are those of a JSON Schema validator, because
clients show them to their users.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from app.faces.rest.errors import RestError, invalid_json, invalid_request, unsupported_coding
from app.faces.rest.request import RestRequest
from app.storage.errors import TooLarge

# Well above the size of a list of a thousand keys of the maximum length.
MAX_JSON_BODY_BYTES = 4 * 1024 * 1024

_INTEGER = re.compile(r"\s*[+-]?\d{1,18}(\.0*)?(e\+?\d{1,2})?\s*", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"\s*[+-]?(\d{1,18}(\.\d{0,18})?|\.\d{1,18})(e[+-]?\d{1,2})?\s*", re.ASCII | re.IGNORECASE)

# JavaScript's largest exact integer.
_GREATEST = 2**53 - 1

IDENTITY = "identity"
"""The content coding that leaves a body unchanged."""

MemberKind = Literal["string", "integer", "number", "boolean", "object", "strings", "any"]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object. ``least`` and ``most`` bound a number or the length of a list; ``among``: allowed
    values."""

    name: str
    kind: MemberKind
    required: bool = False
    nullable: bool = False
    least: int | None = None
    most: int | None = None
    among: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    default: Any = None


def read_json_object(request: RestRequest, members: tuple[Member, ...], *, optional: bool = False) -> dict[str, Any]:
    """The members of the request's JSON body; absent ones have their default, or are left out if that is None.

    ``optional``: the body may be absent, which counts as an empty object. Raises RestError or TooLarge.
    """
    raw = _read(request)
    if not raw and optional:
        return {}
    if request.media_type != "application/json":
        raise invalid_request("body must be object")
    if not raw:
        raise empty_json_body()
    if request.headers.get("content-encoding", IDENTITY).strip().lower() != IDENTITY:
        raise unsupported_coding()
    return check_object(_decoded(raw), members, "body")


def ignore_body(request: RestRequest) -> None:
    """Read the body of an operation that needs none, since some clients send a JSON string.

    Raises RestError if it is neither JSON nor text, or TooLarge.
    """
    raw = _read(request)
    if raw and request.media_type == "application/json":
        _decoded(raw)
    elif raw and request.media_type != "text/plain":
        raise unsupported_media_type(request.media_type)


def _read(request: RestRequest) -> bytes:
    raw = request.body.read(MAX_JSON_BODY_BYTES + 1)
    if len(raw) > MAX_JSON_BODY_BYTES:
        raise TooLarge("body")
    return raw


def _decoded(raw: bytes) -> Any:
    try:
        return _decoder.decode(raw.decode(json.detect_encoding(raw), "surrogatepass"))
    except (ValueError, RecursionError):
        raise invalid_json("Body is not valid JSON but content-type is set to 'application/json'") from None


def refuse_empty_json(request: RestRequest) -> None:
    """Raise RestError if the request declares JSON and its body is empty, even if no body is needed."""
    if request.media_type == "application/json":
        raw = request.body.read(MAX_JSON_BODY_BYTES)
        if not raw:
            raise empty_json_body()


def empty_json_body() -> RestError:
    return invalid_json("Body cannot be empty when content-type is set to 'application/json'")


def unsupported_media_type(media_type: str) -> RestError:
    return invalid_json(f"Unsupported Media Type: {media_type}")


def check_object(value: object, members: tuple[Member, ...], where: str) -> dict[str, Any]:
    """The members of ``value``, coerced. Messages begin with ``where``: body, querystring or a path below them.

    Raises RestError.
    """
    if not isinstance(value, Mapping):
        raise invalid_request(f"{where} must be object")
    for member in members:
        if member.required and member.name not in value:
            raise invalid_request(f"{where} must have required property '{member.name}'")
    found: dict[str, Any] = {}
    for member in members:
        if member.name in value:
            found[member.name] = _check(value[member.name], member, f"{where}/{member.name}")
        elif member.default is not None:
            found[member.name] = member.default
    return found


def _check(value: object, member: Member, where: str) -> Any:
    if value is None and member.nullable:
        return None
    if member.kind == "any":
        return value
    if member.kind == "object":
        return check_object(value, member.members, where) if member.members else _object(value, where)
    result = _COERCIONS[member.kind](value, where)
    if member.kind == "integer":
        _check_bounds(result, member, where, "must be >= {}", "must be <= {}")
    elif member.kind == "strings":
        few, many = "must NOT have fewer than {} items", "must NOT have more than {} items"
        _check_bounds(len(result), member, where, few, many)
    if member.among and result not in member.among:
        raise invalid_request(f"{where} must be equal to one of the allowed values")
    return result


def _check_bounds(value: int, member: Member, where: str, low: str, high: str) -> None:
    if member.least is not None and value < member.least:
        raise invalid_request(f"{where} {low.format(member.least)}")
    if member.most is not None and value > member.most:
        raise invalid_request(f"{where} {high.format(member.most)}")


def _string(value: object, where: str) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return json.dumps(value)
    raise invalid_request(f"{where} must be string")


def _integer(value: object, where: str) -> int:
    if isinstance(value, bool) or value is None:
        return int(bool(value))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    elif isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(Decimal(value.strip()))
    if not isinstance(value, int):
        raise invalid_request(f"{where} must be integer")
    if abs(value) > _GREATEST:
        raise invalid_request(f"{where} must be {'<=' if value > 0 else '>='} {_GREATEST if value > 0 else -_GREATEST}")
    return value


def _number(value: object, where: str) -> float:
    if value is None or isinstance(value, bool | int) or (isinstance(value, str) and _NUMBER.fullmatch(value)):
        value = float(value or 0)
    if not isinstance(value, float) or not math.isfinite(value):
        raise invalid_request(f"{where} must be number")
    return value


def _boolean(value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    if value is None or value in (0, 1):
        return bool(value)
    raise invalid_request(f"{where} must be boolean")


def _strings(value: object, where: str) -> list[str]:
    if isinstance(value, str | int | float):
        value = [value]
    if not isinstance(value, list):
        raise invalid_request(f"{where} must be array")
    return [_string(item, f"{where}/{index}") for index, item in enumerate(value)]


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise invalid_request(f"{where} must be object")
    return value


_COERCIONS: Mapping[str, Callable[[object, str], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "strings": _strings,
}


def _refuse(name: str) -> Any:
    raise ValueError(name)


_decoder = json.JSONDecoder(parse_constant=_refuse)
