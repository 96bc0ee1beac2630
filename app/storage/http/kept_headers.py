"""Headers of an upload that its object has when it is read: how it is encoded, what to do with it, what robots may do.

They are members of the object's metadata, so a copy or a move keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.storage.errors import invalid_request
from app.storage.records import Call
from app.storage.robots import check_robots_tag

ROBOTS, ENCODING, DISPOSITION = "xRobotsTag", "contentEncoding", "contentDisposition"

# RFC 9110 section 8.4
_CODINGS = re.compile(r"[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*", re.ASCII)


def headers_to_keep(call: Call) -> dict[str, str]:
    """The metadata that these headers become, as far as they are given. Raises for a value that is not well-formed."""
    kept = {
        ROBOTS: check_robots_tag(call.header("x-robots-tag")),
        ENCODING: _encoding(call.header("content-encoding") or ""),
        DISPOSITION: _text(call.header("content-disposition") or ""),
    }
    return {name: value for name, value in kept.items() if value}


def kept_header(metadata: Mapping[str, Any], name: str) -> str | None:
    value = metadata.get(name)
    return value if isinstance(value, str) and value else None


def _encoding(value: str) -> str:
    value = value.strip()
    # This one says that there is no encoding, and has no place in an answer.
    if not value or value.lower() == "identity":
        return ""
    if not _CODINGS.fullmatch(value):
        raise invalid_request("headers/content-encoding must be a list of content codings")
    return value


def _text(value: str) -> str:
    """WSGI has bytes as Latin-1; names of files beyond ASCII are UTF-8 nowadays."""
    try:
        return value.strip().encode("latin-1").decode()
    except ValueError:
        return value.strip()
