"""Checks of an object's MIME type. It becomes a response header and decides what browsers do with the bytes."""

from __future__ import annotations

import re

from app.storage.errors import InvalidContentType

# No slash after a comma: browsers read what follows the comma as another type if it has one. Codecs are lists, as in
# "video/webm;codecs=vp8,opus". No control characters: headers cannot contain them.
_PARAMETERS = r"[\x20-\x2b\x2d-\x7e]*(,[\x20-\x2e\x30-\x7e]*)?"
_CONTENT_TYPE = re.compile(rf"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+*-]+ *(;{_PARAMETERS})?", re.ASCII)


def is_content_type(text: str) -> bool:
    """Whether the text is one MIME type, and no browser can read a second one in it."""
    return _CONTENT_TYPE.fullmatch(text) is not None


def check_content_type(content_type: str) -> str:
    """The type without surrounding spaces; '' when there is none. Raises InvalidContentType."""
    content_type = content_type.strip()
    if content_type and not is_content_type(content_type):
        raise InvalidContentType(content_type)
    return content_type
