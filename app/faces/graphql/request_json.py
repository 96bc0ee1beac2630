"""Reads the JSON of a request: its body, or a parameter of its query string."""

from __future__ import annotations

import json
import sys
from typing import Any

from app.errors import OverLimit, RequestError

IDENTITY = "identity"
"""The content coding that leaves a body unchanged."""


def read_json(raw: bytes, what: str) -> Any:
    """The value of a JSON text, which error messages call ``what``. Raises RequestError."""
    try:
        # The codec "utf-8-sig" would do the same in ten times the time.
        text = raw.decode().removeprefix("\ufeff").strip(_JSON_WHITESPACE)
        # ``decode`` also looks for whitespace on both sides, and takes twice the steps.
        value, end = _decoder.raw_decode(text)
    except UnicodeDecodeError:
        raise _not_json(f"{what} is not UTF-8: it") from None
    except (json.JSONDecodeError, RecursionError):
        raise _not_json(what) from None
    except ValueError:
        # The only valid JSON that Python refuses are long integers, whose conversion takes quadratic time.
        most = sys.get_int_max_str_digits()
        raise OverLimit(f"{what} has a whole number of more than {most} digits") from None
    if end < len(text):
        raise _not_json(what)
    return value


def refuse_coding(coding: str | None) -> None:
    """Raises RequestError for a body with a content coding, such as a compressed one: RFC 9110, 15.5.16."""
    if coding and coding.strip().lower() != IDENTITY:
        message = "The body must not be compressed or coded otherwise: Content-Encoding is not supported"
        raise RequestError(message, code="UNSUPPORTED_MEDIA_TYPE", hint="Send it as plain JSON.", status=415)


def _refuse(name: str) -> Any:
    raise json.JSONDecodeError("JSON has no such value", name, 0)


# Refuses NaN and Infinity, which Python accepts but JSON does not have. There is one decoder, since making one takes
# longer than decoding a small body.
_decoder = json.JSONDecoder(parse_constant=_refuse)
_JSON_WHITESPACE = " \t\n\r"


def _not_json(what: str) -> RequestError:
    return RequestError(f"{what} must be JSON")
